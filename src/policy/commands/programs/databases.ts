// Database clients: the statements that they are given, and what those of MongoDB and Redis lose. SQL is read in sql.ts.
import {
	type CodeLanguage,
	codeEffect,
	type Effect,
	forbiddenEffect,
	type Invocation,
	type ProgramRule,
	raiseEffect,
	riskyEffect,
} from "../effects.ts";

/** Options whose value is a statement, by client. */
const STATEMENT_OPTIONS: Readonly<Record<string, RegExp>> = {
	psql: /^(?:-c|--command)$/,
	mysql: /^(?:-e|--execute)$/,
	mariadb: /^(?:-e|--execute)$/,
	sqlcmd: /^-[qQ]$/,
	sqlplus: /^$/,
	clickhouse: /^(?:-q|--query)$/,
	"clickhouse-client": /^(?:-q|--query)$/,
	duckdb: /^-c(?:md)?$/,
	cockroach: /^(?:-e|--execute)$/,
	cqlsh: /^(?:-e|--execute)$/,
	snowsql: /^(?:-q|--query)$/,
	bq: /^$/,
	usql: /^(?:-c|--command)$/,
	trino: /^--execute$/,
	presto: /^--execute$/,
	spanner: /^--sql$/,
	mongosh: /^--eval$/,
	mongo: /^--eval$/,
};

/** Finds the statements in a client's options: in the next word, after `=`, or attached to a letter. */
function findStatements(command: Invocation, option: RegExp): readonly string[] {
	return command.words.flatMap((word, at) => {
		if (option.test(word)) return [command.words[at + 1] ?? ""];
		const long = /^(--[a-z-]+)=(.*)$/s.exec(word);
		if (long && option.test(long[1] ?? "")) return [long[2] ?? ""];
		const bundle = /^-([A-Za-z]*?)([ceqQ])(.*)$/s.exec(word);
		if (!bundle || !option.test(`-${bundle[2]}`)) return [];
		return [bundle[3] === "" ? (command.words[at + 1] ?? "") : (bundle[3] ?? "")];
	});
}

/** A client that takes statements by option, and reads them otherwise. */
function databaseClient(language: CodeLanguage): ProgramRule {
	return (command) => {
		const statements = findStatements(command, STATEMENT_OPTIONS[command.name] ?? /^$/).map((text) =>
			codeEffect(language, text),
		);
		return statements.length > 0 || !command.piped ? statements : [{ kind: "interpret", language }];
	};
}

/** `sqlite3 file 'statement'`: every operand after the file is a statement. */
const sqliteClient: ProgramRule = (command) => {
	const statements = command.options.operands.slice(1).map((text) => codeEffect("sql", text));
	return statements.length > 0 || !command.piped ? statements : [{ kind: "interpret", language: "sql" }];
};

const redisClient: ProgramRule = (command) => {
	const at = command.words.findIndex(
		(word, index) => !/^-/.test(word) && !/^-[hpanusi]$/.test(command.words[index - 1] ?? ""),
	);
	return at < 0
		? command.piped
			? [{ kind: "interpret", language: "redis" }]
			: []
		: [codeEffect("redis", command.words.slice(at).join(" "))];
};

const mysqladmin: ProgramRule = (command) =>
	command.options.operands.some((word) => /^(?:drop|shutdown|flush-.*)$/.test(word))
		? [forbiddenEffect("mysqladmin drops a database or stops it")]
		: [];

/** Restores may drop what they restore over. */
const databaseRestore: ProgramRule = (command) =>
	command.options.letters.has("c") || command.options.flags.some((flag) => /^--(?:clean|drop)$/.test(flag))
		? [forbiddenEffect(`${command.name} drops what it restores over`)]
		: [];

/** Finds what a text for the MongoDB shell does. */
export function findMongoEffects(text: string): readonly Effect[] {
	if (
		/\.(?:dropDatabase|drop|dropIndexes|dropUser|dropAllUsers|dropRole)\s*\(|\.(?:deleteMany|remove)\s*\(\s*(?:\{\s*\}\s*)?\)/.test(
			text,
		)
	)
		return [forbiddenEffect("drops a collection or a database")];
	return /\.(?:delete|remove|findOneAndDelete|dropIndex|shutdownServer)\w*\s*\(/.test(text)
		? [riskyEffect("changes documents")]
		: [];
}

/** Finds what a text for redis-cli does. */
export function findRedisEffects(text: string): readonly Effect[] {
	return text.split("\n").flatMap((line): readonly Effect[] => {
		const words = line.trim().toUpperCase().split(/\s+/);
		if (/^(?:FLUSHALL|FLUSHDB|SHUTDOWN|DEBUG|SWAPDB)$/.test(words[0] ?? ""))
			return [forbiddenEffect(`redis ${words[0]}`)];
		if (words[0] === "CONFIG" && words[1] === "SET") return [forbiddenEffect("redis CONFIG SET")];
		if (words[0] === "SCRIPT" && words[1] === "FLUSH") return [forbiddenEffect("redis SCRIPT FLUSH")];
		return /^(?:DEL|UNLINK|HDEL|XTRIM|LTRIM)$/.test(words[0] ?? "")
			? [raiseEffect("delete_action", `redis ${words[0]}`)]
			: [];
	});
}

export const DATABASE_CLIENTS: Readonly<Record<string, ProgramRule>> = {
	...Object.fromEntries(
		Object.keys(STATEMENT_OPTIONS).map((name) => [name, databaseClient(/^mongo/.test(name) ? "mongo" : "sql")]),
	),
	sqlite3: sqliteClient,
	sqlite: sqliteClient,
	litecli: sqliteClient,
	"redis-cli": redisClient,
	"valkey-cli": redisClient,
	keydb: redisClient,
	mysqladmin,
	pg_restore: databaseRestore,
	mongorestore: databaseRestore,
};
