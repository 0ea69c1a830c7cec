// Database clients: what their statements in the languages of MongoDB and Redis lose. SQL is read in sql.ts. Which words of a
// client are statements is in grammar/data.json.
import { type Effect, forbiddenEffect, type ProgramRule, raiseEffect, riskyEffect, runFileEffect } from "../effects.ts";

/** Lines of a client that follow a file: `\i file`, `source file`, `.read file`, `@file`. */
const SOURCING_LINE = /^\s*(?:source|\\\.|\\ir?|\\include|\.read|SOURCE|@{1,2})\s*([^\s;'"]{1,512})/gm;

/** Finds the files that a text for a client of SQL names as more of it. */
export function findSourcedFiles(text: string): readonly Effect[] {
	return Array.from(text.matchAll(SOURCING_LINE), (found) => runFileEffect(found[1] ?? "", "sql"));
}

/** `mongosh database file.js` */
const mongoFiles: ProgramRule = ({ words }) =>
	words.filter((word) => /\.m?js$/.test(word)).map((path) => runFileEffect(path, "mongo"));

const mysqladmin: ProgramRule = (command) =>
	command.options.operands.some((word) => /^(?:drop|shutdown|flush-.*)$/.test(word))
		? [forbiddenEffect("mysqladmin drops a database or stops it")]
		: [];

/** Restores may drop what they restore over. */
const databaseRestore: ProgramRule = (command) =>
	command.options.letters.has("c") || command.options.flags.some((flag) => /^--(?:clean|drop)$/.test(flag))
		? [forbiddenEffect(`${command.name} drops what it is about to restore`)]
		: [];

/** Names of calls and commands of MongoDB that take away collections, indexes, users or the server. */
const MONGO_ENDINGS =
	/\b(?:dropDatabase|drop|dropIndexes|dropUser|dropAllUsersFromDatabase|dropAllUsers|dropRole|shutdownServer|dropAllRolesFromDatabase)['"]?\]?\s?\(|Command\s?\(\s?\{\s?['"]?(?:drop[A-Za-z]{0,24}|shutdown)['"]?\s?:|\.(?:deleteMany|remove)['"]?\]?\s?\(\s?(?:\{\s?\}\s?)?\)/;

/** Calls that change documents, users or the server, or run a text. */
const MONGO_CHANGES =
	/\b(?:delete|remove|findOneAndDelete|dropIndex|updateMany|createUser|updateUser|grantRolesToUser|createRole|renameCollection|bulkWrite|replaceOne|setFeatureCompatibilityVersion|eval|load|adminCommand|runCommand)[A-Za-z]{0,24}['"]?\]?\s?\(|\$(?:out|merge)\b/;

/** Commands that are asked of a server as a document, but only look. */
const MONGO_LOOKS =
	/\b(?:adminCommand|runCommand)\s?\(\s?\{?\s?['"]?(?:ping|hello|isMaster|buildInfo|serverStatus|dbStats|collStats|listDatabases|listCollections|replSetGetStatus|connectionStatus|getParameter)\b/g;

/** Finds what a text for the MongoDB shell does. */
export function findMongoEffects(text: string): readonly Effect[] {
	if (MONGO_ENDINGS.test(text))
		return [forbiddenEffect("drops a collection, a database or users, or stops the server")];
	return MONGO_CHANGES.test(text.replace(MONGO_LOOKS, "")) ? [riskyEffect("changes documents or the server")] : [];
}

/** Commands of Redis by what they do. Two words stand for a command and its first argument. */
const REDIS_COMMANDS: Readonly<Record<string, "forbidden" | "risky" | "delete" | "script">> = {
	FLUSHALL: "forbidden",
	FLUSHDB: "forbidden",
	SHUTDOWN: "forbidden",
	DEBUG: "forbidden",
	SWAPDB: "forbidden",
	"CONFIG SET": "forbidden",
	"CONFIG REWRITE": "risky",
	"SCRIPT FLUSH": "forbidden",
	"FUNCTION FLUSH": "forbidden",
	"MODULE LOAD": "forbidden",
	"MODULE LOADEX": "forbidden",
	"CLUSTER RESET": "forbidden",
	SLAVEOF: "risky",
	REPLICAOF: "risky",
	MIGRATE: "risky",
	RESTORE: "risky",
	"ACL SETUSER": "risky",
	"ACL DELUSER": "risky",
	"FUNCTION LOAD": "risky",
	"FUNCTION DELETE": "risky",
	DEL: "delete",
	UNLINK: "delete",
	HDEL: "delete",
	XTRIM: "delete",
	LTRIM: "delete",
	EVAL: "script",
	EVAL_RO: "script",
};

const REDIS_SCRIPT_ENDING = /redis\.p?call\s?\(\s?['"](?:flushall|flushdb|shutdown|config|debug|swapdb|module)\b/i;
const REDIS_SCRIPT_CHANGE = /redis\.p?call\s?\(\s?(?:['"](?:del|unlink|hdel|migrate|restore)\b|[^'"\s])/i;

function redisScriptEffects(text: string): readonly Effect[] {
	if (REDIS_SCRIPT_ENDING.test(text))
		return [forbiddenEffect("redis runs a script that empties or changes the server")];
	return REDIS_SCRIPT_CHANGE.test(text) ? [riskyEffect("redis runs a script that deletes data")] : [];
}

/** Finds what a text for redis-cli does. */
export function findRedisEffects(text: string): readonly Effect[] {
	return text.split("\n").flatMap((line): readonly Effect[] => {
		const [first = "", second = ""] = line.trim().slice(0, 200).toUpperCase().split(/\s+/);
		const name = [`${first} ${second}`, first].find((key) => Object.hasOwn(REDIS_COMMANDS, key)) ?? "";
		const does = Object.hasOwn(REDIS_COMMANDS, name) ? REDIS_COMMANDS[name] : undefined;
		if (does === "forbidden") return [forbiddenEffect(`redis ${name} empties, stops or changes the server`)];
		if (does === "risky") return [riskyEffect(`redis ${name} changes the server or its data`)];
		if (does === "script") return redisScriptEffects(line);
		return does === "delete" ? [raiseEffect("delete_action", `redis ${name} deletes data`)] : [];
	});
}

export const DATABASE_CLIENTS: Readonly<Record<string, ProgramRule>> = {
	mongosh: mongoFiles,
	mongo: mongoFiles,
	mysqladmin,
	pg_restore: databaseRestore,
	mongorestore: databaseRestore,
};
