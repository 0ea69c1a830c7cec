// Reads SQL as its clients do: tokens, statements, and what each statement loses, reads, writes or runs. Dialects are read
// together, because a check does not know the server. Words with a meaning are in sql.json.
import { type Effect, forbiddenEffect, raiseEffect, readEffect, riskyEffect, writeEffect } from "../effects.ts";
import sqlFile from "./sql.json" with { type: "json" };
import { hitsAllRows, namesRows } from "./sql-conditions.ts";
import { SqlStatement } from "./sql-statement.ts";
import { type SqlToken, tokenizeSql } from "./sql-tokens.ts";

const HEADS: ReadonlySet<string> = new Set(sqlFile.heads);
const BEFORE_HEADS: ReadonlySet<string> = new Set(sqlFile.before_heads);
const DROPPED_WITHOUT_LOSS: ReadonlySet<string> = new Set(sqlFile.dropped_without_loss);
const RISKY_FIRST_WORDS: ReadonlyMap<string, string> = new Map(Object.entries(sqlFile.risky_first_words));
const FORBIDDEN_FIRST_WORDS: ReadonlyMap<string, string> = new Map(Object.entries(sqlFile.forbidden_first_words));
const FUNCTIONS: ReadonlyMap<string, string> = new Map(Object.entries(sqlFile.functions));
const FILE_WORDS: ReadonlySet<string> = new Set(sqlFile.before_files);
const CODE_TAKERS: ReadonlySet<string> = new Set(sqlFile.code_takers);

/** Blocks in blocks, and statements in one statement, that are read. More is too large to be examined. */
const MAX_BLOCK_DEPTH = 8;
const MAX_HEADS = 64;

function drop(statement: SqlStatement, at: number): readonly Effect[] {
	const what = statement.word(at + 1);
	if (DROPPED_WITHOUT_LOSS.has(what)) return [];
	return [forbiddenEffect(`runs the SQL ${statement.excerpt(at)}`)];
}

function alter(statement: SqlStatement, at: number): readonly Effect[] {
	const excerpt = `runs the SQL ${statement.excerpt(at)}`;
	const dropped = statement.findWord(at + 1, (word) => word === "DROP");
	if (dropped >= 0) {
		const isRule = /^(?:DEFAULT|NOT|EXPRESSION|IDENTITY)$/.test(statement.word(dropped + 1));
		return [isRule ? riskyEffect(excerpt) : forbiddenEffect(excerpt)];
	}
	return /^(?:USER|ROLE|SYSTEM|DATABASE|LOGIN|SERVER|ACCOUNT)$/.test(statement.word(at + 1))
		? [riskyEffect(excerpt)]
		: [];
}

function changeRows(statement: SqlStatement, at: number): readonly Effect[] {
	const word = statement.word(at);
	const isMerge = statement.word(0) === "MERGE";
	if (!isMerge && hitsAllRows(statement, at))
		return [
			forbiddenEffect(
				`${word === "DELETE" ? "deletes" : "changes"} every row: ${statement.excerpt(at)}`,
				"the same with a WHERE that names the rows",
			),
		];
	if (word === "DELETE") return [raiseEffect("delete_action", `runs the SQL ${statement.excerpt(at)}`)];
	return isMerge || namesRows(statement, at)
		? []
		: [riskyEffect(`changes rows by a range: ${statement.excerpt(at)}`, "the same with a WHERE that names the rows")];
}

/** What a statement that begins at a position does by its first word. */
function headEffects(statement: SqlStatement, at: number): readonly Effect[] {
	const word = statement.word(at);
	if (word === "DROP") return drop(statement, at);
	if (word === "ALTER") return alter(statement, at);
	if (word === "DELETE" || word === "UPDATE") return changeRows(statement, at);
	if (word === "CREATE")
		return /^(?:USER|ROLE|LOGIN)$/.test(statement.word(at + 1))
			? [riskyEffect(`runs the SQL ${statement.excerpt(at)}`)]
			: [];
	const forbidden = FORBIDDEN_FIRST_WORDS.get(word);
	if (forbidden !== undefined && (forbidden === "" || forbidden === statement.word(at + 1)))
		return [forbiddenEffect(`runs the SQL ${statement.excerpt(at)}`)];
	const risky = RISKY_FIRST_WORDS.get(word);
	return risky !== undefined && (risky === "" || risky.split(" ").includes(statement.word(at + 1)))
		? [riskyEffect(`runs the SQL ${statement.excerpt(at)}`)]
		: [];
}

/** What files and programs a statement names: `COPY … PROGRAM`, `INTO OUTFILE`, `LOAD DATA INFILE`, `VACUUM INTO`. */
function fileEffects(statement: SqlStatement, at: number): readonly Effect[] {
	const word = statement.word(at);
	const text = statement.textAfter(at + 1)?.text;
	if (text === undefined) return [];
	const next = statement.word(at + 1);
	if (word === "PROGRAM" && statement.tokens[at + 1]?.kind === "text")
		return [forbiddenEffect(`SQL runs a program: ${statement.excerpt(at)}`), { kind: "script", text }];
	if (word === "OUTFILE" || word === "DUMPFILE") return [writeEffect(text)];
	if (word === "INFILE" || (word === "BULK" && next === "INSERT")) return [readEffect(text)];
	if (word === "DISK" && statement.symbol(at + 1) === "=") return [writeEffect(text)];
	const first = statement.word(0);
	const isNamed = statement.tokens[at + 1]?.kind === "text";
	if (first === "COPY" && isNamed && word === "TO") return [writeEffect(text)];
	if (first === "COPY" && isNamed && word === "FROM") return [readEffect(text)];
	return first === "VACUUM" && word === "INTO" ? [writeEffect(text)] : [];
}

/** Tokens between a function's name and its file, at most. A text behind more may be another one's. */
const USUAL_DISTANCE = 8;

/** Effects of a function or procedure by its name: what it reads, writes or runs. */
function functionEffects(statement: SqlStatement, at: number): readonly Effect[] {
	const does = FUNCTIONS.get(statement.word(at));
	const behind = statement.textAfter(at + 1);
	if (does === "run")
		return [
			forbiddenEffect(`SQL runs a program: ${statement.excerpt(at)}`),
			...(behind === null ? [] : [{ kind: "script", text: behind.text } as const]),
		];
	if (does === "risky") return [riskyEffect(`runs the SQL ${statement.excerpt(at)}`)];
	const isNamed = behind !== null && behind.distance < USUAL_DISTANCE;
	return [
		...(isNamed ? [] : [riskyEffect(`SQL reads or writes a file that the check cannot see: ${statement.excerpt(at)}`)]),
		...(behind === null ? [] : [does === "read" ? readEffect(behind.text) : writeEffect(behind.text)]),
	];
}

/** Words between a command that runs SQL and the text of it. */
const BEFORE_NESTED = /^(?:N|IMMEDIATE|FORMAT|CONCAT|FROM|USING)$/;

/** Tokens behind such a command that are joined to its text. More are too many to be examined. */
const MAX_JOINED_TOKENS = 256;

/** The texts behind a position up to a comma, joined, and whether nothing else stands among them. */
function joinTexts(
	statement: SqlStatement,
	from: number,
): { readonly text: string; readonly isWhole: boolean; readonly isCut: boolean } {
	const texts: string[] = [];
	const tokens = statement.tokens.slice(from, from + MAX_JOINED_TOKENS);
	let isWhole = true;
	let isCut = tokens.length === MAX_JOINED_TOKENS;
	for (const { kind, text, dollar, word } of tokens) {
		if (kind === "symbol" && text === ",") {
			isCut = false;
			break;
		}
		if (kind === "text" && dollar !== true) texts.push(text);
		else if (kind === "word" && !BEFORE_NESTED.test(word)) isWhole = false;
	}
	return { text: texts.join(""), isWhole, isCut };
}

const TOO_COMPLEX = raiseEffect("oversize_command", "SQL that holds more SQL than the check can follow");

/** Words at which anything is looked at. */
const MEANINGFUL: ReadonlySet<string> = new Set([...CODE_TAKERS, ...FILE_WORDS, ...FUNCTIONS.keys(), ...HEADS]);

/** Reads a text and what it holds, statement by statement. */
class SqlAnalysis {
	readonly #text: string;
	#nestedCharsLeft: number;
	#isTooComplex = false;

	constructor(text: string) {
		this.#text = text;
		// Texts in texts: each level is shorter than the one around it.
		this.#nestedCharsLeft = 1000 + 2 * text.length;
	}

	effects(): Iterable<Effect> {
		return this.#read(this.#text, 0);
	}

	*#read(text: string, depth: number): Iterable<Effect> {
		// `\'` ends a text in the standard and does not in MySQL. Both are read where they differ.
		for (const escapes of text.includes("\\'") ? [false, true] : [false]) {
			for (const part of tokenizeSql(text, escapes)) {
				if (part.kind === "client") yield* readClientLine(part.text);
				else {
					if (depth === 0) yield toMatch(part.tokens);
					yield* this.#readStatement(new SqlStatement(part.tokens), depth);
				}
			}
		}
	}

	*#readStatement(statement: SqlStatement, depth: number): Iterable<Effect> {
		const isExplained = explainsOnly(statement);
		let heads = 0;
		for (let at = 0; at < statement.tokens.length; at++) {
			if (this.#isTooComplex) return;
			const token = statement.tokens[at];
			if (token?.dollar === true) yield* this.#readNested(token.text, depth);
			const word = token?.word ?? "";
			if (!MEANINGFUL.has(word)) continue;
			if (CODE_TAKERS.has(word)) yield* this.#readCode(statement, at, depth);
			if (FILE_WORDS.has(word)) yield* fileEffects(statement, at);
			if (FUNCTIONS.has(word)) yield* functionEffects(statement, at);
			if (!HEADS.has(word) || isExplained || !beginsStatement(statement, at)) continue;
			// Each of them may look at all that follows.
			if (++heads > MAX_HEADS) yield* this.#giveUp();
			else yield* headEffects(statement, at);
		}
	}

	/** Reads what a statement runs as SQL at a position: `EXECUTE 'DROP …'`, `EXEC('…')`. */
	*#readCode(statement: SqlStatement, at: number, depth: number): Iterable<Effect> {
		const next = statement.word(at + 1);
		// `EXEC procedure 'argument'` and `EXECUTE prepared`: no SQL, unless something is joined to it.
		const isCall = /^EXEC/.test(statement.word(at));
		if (isCall && next !== "" && !BEFORE_NESTED.test(next) && !/^(?:\|\||\+)$/.test(statement.symbol(at + 2))) return;
		const { text, isWhole, isCut } = joinTexts(statement, at + 1);
		if (isCut) yield* this.#giveUp();
		if (text === "") return;
		yield* this.#readNested(text, depth);
		if (!isWhole)
			yield raiseEffect("exec_action", `runs SQL that is put together at run time: ${statement.excerpt(at)}`);
	}

	*#readNested(text: string, depth: number): Iterable<Effect> {
		this.#nestedCharsLeft -= text.length;
		if (depth >= MAX_BLOCK_DEPTH || this.#nestedCharsLeft < 0) yield* this.#giveUp();
		else yield* this.#read(text, depth + 1);
	}

	*#giveUp(): Iterable<Effect> {
		this.#isTooComplex = true;
		yield TOO_COMPLEX;
	}
}

/** Whether a statement only shows how another would run. EXPLAIN ANALYZE runs it. */
function explainsOnly(statement: SqlStatement): boolean {
	return (
		/^(?:EXPLAIN|DESCRIBE|DESC)$/.test(statement.word(0)) &&
		!statement.tokens.some(({ word }) => /^ANALY[ZS]E$/.test(word))
	);
}

/** Whether a statement of its own may begin at a position: at the start, in a CTE, a block or behind EXPLAIN ANALYZE. */
function beginsStatement(statement: SqlStatement, at: number): boolean {
	if (at === 0) return true;
	const before = statement.word(at - 1);
	if (before === "DO") return statement.word(at) !== "UPDATE";
	if (BEFORE_HEADS.has(before)) return true;
	if (/^(?:ANALY[ZS]E|VERBOSE)$/.test(before)) return statement.word(0) === "EXPLAIN";
	return /^(?:[()]|>>)$/.test(statement.symbol(at - 1));
}

/** The words of a statement, which a workspace's forbidden commands are held against. */
function toMatch(tokens: readonly SqlToken[]): Effect {
	const name = tokens[0]?.text.toLowerCase() ?? "";
	return { kind: "match", name, fields: () => tokens.map(({ text }) => text.toLowerCase()) };
}

/** Commands of the clients themselves: `\! ls`, `.shell ls`, `system ls`, `\i file`, `.output file`. */
function readClientLine(line: string): readonly Effect[] {
	const [, name = "", rest = ""] = /^(\\?!+|:!!|@+|[\\.:]?[A-Za-z.]*)\s*([\s\S]*)$/.exec(line) ?? [];
	const does = sqlFile.client_commands.find(({ names }) => names.includes(name.toLowerCase()))?.does;
	const argument = rest.trim().replace(/^(['"])(.*)\1$/s, "$2");
	if (does === "run") return [{ kind: "script", text: argument }];
	if (does === "execute") return [raiseEffect("exec_action", `runs what a query returns: ${name}`)];
	if (does === undefined || argument === "") return [];
	if (argument.startsWith("|")) return [{ kind: "script", text: argument.slice(1) }];
	if (does === "source") return [{ kind: "word", path: argument }];
	if (does === "write") return argument === "stdout" ? [] : [writeEffect(argument)];
	return copyEffects(argument);
}

/** `\copy table to 'file'`, `\copy table from program 'command'`. */
function copyEffects(argument: string): readonly Effect[] {
	const program = /\bprogram\s+'((?:[^']|'')*)'/i.exec(argument)?.[1];
	if (program !== undefined) return [{ kind: "script", text: program }];
	const [, direction, path] = /\b(from|to)\s+'?([^\s']+)'?/i.exec(argument) ?? [];
	if (path === undefined || /^p?std(?:in|out)$/i.test(path)) return [];
	return [direction?.toLowerCase() === "to" ? writeEffect(path) : readEffect(path)];
}

/** Finds what a text of SQL statements, with the commands of its client, does: each effect as its statement is read. */
export function findSqlEffects(text: string): Iterable<Effect> {
	return new SqlAnalysis(text).effects();
}
