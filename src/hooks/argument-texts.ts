// What the arguments of an MCP tool say: commands, SQL, paths and addresses, by the names of its members. Pure.
import { isJsonObject, type JsonObject, parseJson } from "../json.ts";
import { toFilePath } from "../policy/workspace-path.ts";
import { foldName } from "../suggest.ts";
import { toShellWord } from "../text/shell-word.ts";
import tables from "./arguments.json" with { type: "json" };

/** The texts among a tool's arguments that can be judged. */
export interface ArgumentTexts {
	commands: string[];
	/** Statements of SQL. */
	sql: string[];
	paths: string[];
	urls: string[];
}

/** Values that are looked at. A tool's arguments rarely have more than twenty. */
const MOST_VALUES = 20_000;

type ArgumentKind = "command" | "words" | "sql" | "maybe_sql" | "path" | "url";

const KINDS = ["command", "words", "sql", "maybe_sql", "path", "url"] as const satisfies readonly ArgumentKind[];

const KIND_BY_NAME: ReadonlyMap<string, ArgumentKind> = new Map(
	KINDS.flatMap((kind) => tables[kind].map((name) => [name, kind] as const)),
);

const JSON_NAMES: ReadonlySet<string> = new Set(tables.json);

/** The arguments of another tool are often passed on as a JSON text. A file's content is none, whatever it looks like. */
function readInside(name: string, value: unknown): unknown {
	if (typeof value !== "string" || !JSON_NAMES.has(foldName(name)) || !/^\s*[{[]/.test(value)) return value;
	return parseJson(value) ?? value;
}

/** Beginnings of statements that change something, or show it. A question such as "drop shipping" begins like none. */
const SQL_BEGINNING = new RegExp(
	`^(?:${[
		"select\\s",
		"with\\s.*?\\sas\\b",
		"insert\\s+(?:\\w+\\s+)?into\\s",
		"(?:replace|merge)\\s+into\\s",
		"update\\s.{1,200}?\\sset\\s",
		"delete\\s+from\\s",
		"truncate\\s+(?:table\\s+)?\\S+\\s*(?:;|$|cascade|restart)",
		"(?:drop|alter|create)\\s+(?:or\\s+replace\\s+)?(?:\\w+\\s+)?(?:table|database|schema|view|index|user|role|function|procedure|trigger|extension|policy|system)\\s",
		"grant\\s.*?\\sto\\s",
		"revoke\\s.*?\\sfrom\\s",
		"copy\\s.*?\\s(?:from|to)\\s",
		"(?:exec|execute|call)\\s",
	].join("|")})`,
	"is",
);

/** Comments and brackets may stand before a statement. */
function looksLikeSql(text: string): boolean {
	return SQL_BEGINNING.test(text.slice(0, 2_000).replace(/^(?:\s|\(|--[^\n]*\n|\/\*[\s\S]*?\*\/)+/, ""));
}

/** PATH_MAX of Linux. What is longer, or has more than one line, is a file's text and not its name. */
function looksLikePath(text: string): boolean {
	return text !== "" && text.length <= 4_096 && !text.includes("\n");
}

/** A value among the arguments, and what its name says. */
interface Argument {
	value: unknown;
	kind: ArgumentKind | null;
}

function toWords(value: unknown): string {
	const words = Array.isArray(value) ? value : [];
	return words
		.filter((word) => typeof word === "string" || typeof word === "number")
		.map((word) => toShellWord(String(word)))
		.join(" ");
}

/**
 * The members of an object. A command whose words stand beside it, or that is a list of words itself, is put together:
 * `{command: "rm", args: ["-r", "x"]}`, `{command: ["rm", "-r", "x"]}`. `commands` has several.
 */
function toMembers(object: JsonObject): Argument[] {
	const members = Object.entries(object).map(([name, value]) => ({
		name,
		value: readInside(name, value),
		kind: KIND_BY_NAME.get(foldName(name)) ?? null,
	}));
	const words = toWords(members.find(({ kind }) => kind === "words")?.value);
	return members.map(({ name, value, kind }) => {
		if (kind !== "command") return { value, kind };
		if (typeof value === "string") return { value: words === "" ? value : `${value} ${words}`, kind };
		return { value: Array.isArray(value) && !/s$/i.test(name) ? toWords(value) : value, kind };
	});
}

function collectText(text: string, kind: ArgumentKind | null, found: ArgumentTexts): void {
	if (text.trim() === "") return;
	const mayBePath = kind === "path" || kind === "url";
	if (kind === "command") found.commands.push(text);
	else if (kind === "sql" || (kind === "maybe_sql" && looksLikeSql(text))) found.sql.push(text);
	else if (mayBePath && /^https?:\/\//i.test(text)) found.urls.push(text);
	else if (mayBePath && /^file:\/\//i.test(text)) found.paths.push(toFilePath(text));
	else if (kind === "path" && looksLikePath(text)) found.paths.push(text);
}

/**
 * Collects what the arguments of a tool say, in their order. Null where there are more values than are looked at.
 * @param input of any depth: it is walked without recursion.
 */
export function collectArgumentTexts(input: unknown): ArgumentTexts | null {
	const found: ArgumentTexts = { commands: [], sql: [], paths: [], urls: [] };
	const waiting: Argument[] = [{ value: input, kind: null }];
	let looked = 0;
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		const { value, kind } = next;
		if (typeof value === "string") collectText(value, kind, found);
		const inside = Array.isArray(value)
			? value.map((item) => ({ value: item, kind }))
			: isJsonObject(value)
				? toMembers(value)
				: [];
		looked += inside.length;
		if (looked > MOST_VALUES) return null;
		waiting.push(...inside.reverse());
	}
	return found;
}
