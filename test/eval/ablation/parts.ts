// What a part of a room is, and whether a list of parts is true to the room's folders. A part is what can be left out:
// exports of modules and members of tables, with what stands in for them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { findNodeAtLocation, parseTree } from "jsonc-parser";

/** What stands in for an export that is left out: an expression that finds nothing. */
export const FINDS = {
	nothing: "() => []",
	none: "() => null",
	no: "() => false",
	/** A table of rules, or of rows by name. */
	noRows: "({})",
	noMap: "new Map()",
	noSet: "new Set()",
	noList: "[]",
} as const;

export interface Part {
	readonly name: string;
	/** The part that it is a piece of. What was written for that does not judge the piece either. */
	readonly within?: string;
	/** Files that would go with it, from src. Their lines are the part's. A file belongs to one part at most. */
	readonly files: readonly string[];
	/**
	 * What is left out, by file: exports of a module with an expression for each, in which `whole` is the module as it is; or
	 * members of a JSON table, `a/b`, which are left empty.
	 */
	readonly without: Readonly<Record<string, Readonly<Record<string, string>> | readonly string[]>>;
	/** Why it is kept where no row of others needs it. One sentence. */
	readonly kept?: string;
}

/** Names by which rows say that they were written for one of some parts. */
export function findOwnNames(parts: readonly Part[], names: readonly string[]): ReadonlySet<string> {
	const meant = parts.filter(({ name }) => names.includes(name));
	return new Set(meant.flatMap(({ name, within }) => [name, within ?? name]));
}

export interface Room {
	/** The folder of the sources. */
	readonly root: string;
	/** The folders whose modules are parts or stand among the others, from the root. What is below them is not meant. */
	readonly folders: readonly string[];
	readonly parts: readonly Part[];
	/** Modules that are no part, because several parts stand on them. */
	readonly foundation: readonly string[];
}

const read = (room: Room, file: string) => readFileSync(resolve(room.root, file), "utf8");

/** Whether a file is a table and no module. */
export const isTable = (file: string) => file.endsWith(".json");

/** A member of a table, `a/b`, as JSON nodes are found. */
const toPath = (member: string) => member.split("/");

function findMember(text: string, member: string) {
	const tree = parseTree(text);
	return tree && findNodeAtLocation(tree, toPath(member));
}

function declares(text: string, name: string): boolean {
	return new RegExp(`^export (?:const|class|(?:async )?function\\*?) ${name}\\b`, "m").test(text);
}

/** Says what is wrong with one part: files, exports and members that do not exist. */
function findFaultsOfPart(room: Room, { name, files, without }: Part): readonly string[] {
	const absent = [...new Set([...files, ...Object.keys(without)])].filter(
		(file) => !existsSync(resolve(room.root, file)),
	);
	const lost = Object.entries(without)
		.filter(([file]) => !absent.includes(file))
		.flatMap(([file, names]) => {
			const text = read(room, file);
			const wanted = Array.isArray(names) ? names : Object.keys(names);
			return wanted.filter((each) => !(isTable(file) ? findMember(text, each) : declares(text, each)));
		});
	return [
		...absent.map((file) => `part ${name}: there is no ${file}`),
		...lost.map((each) => `part ${name}: nothing is called ${each}`),
		...(Object.keys(without).length === 0 ? [`part ${name}: it leaves nothing out`] : []),
	];
}

/** Says where the list of a room's parts and its folders differ. */
export function findFaults(room: Room): readonly string[] {
	const { root, folders, parts, foundation } = room;
	const present = folders.flatMap((folder) =>
		readdirSync(resolve(root, folder))
			.filter((file) => /(?<!\.d)\.ts$/.test(file))
			.map((file) => `${folder}/${file}`),
	);
	const owned = parts.flatMap(({ files }) => files);
	const listed = [...owned, ...foundation];
	const twice = <T>(values: readonly T[]) => values.filter((value, at) => values.indexOf(value) !== at);
	return [
		...present.filter((file) => !listed.includes(file)).map((file) => `${file} is in no part`),
		...foundation.filter((file) => !existsSync(resolve(root, file))).map((file) => `there is no ${file}`),
		...twice(listed).map((file) => `${file} is listed twice`),
		...twice(parts.map(({ name }) => name)).map((name) => `two parts are called ${name}`),
		...parts
			.filter(({ within }) => within !== undefined && parts.every(({ name }) => name !== within))
			.map(({ name, within }) => `part ${name}: no part is called ${within}`),
		...parts.flatMap((part) => findFaultsOfPart(room, part)),
	];
}

/** The lines that would go with a part: those of its files, and those of the members of other tables. */
export function countLines(room: Room, { files, without }: Part): number {
	const members = Object.entries(without)
		.filter(([file]) => isTable(file) && !files.includes(file))
		.flatMap(([file, names]) => {
			const text = read(room, file);
			return Object.values(names).map((member) => {
				const node = findMember(text, member);
				return node ? text.slice(node.offset, node.offset + node.length) : "";
			});
		});
	const whole = files.map((file) => read(room, file).trimEnd());
	return [...whole, ...members].reduce((sum, text) => sum + text.split("\n").length, 0);
}

/** The text of a table without some members: each is left empty. */
export function emptyMembers(text: string, members: readonly string[]): string {
	let left = text;
	for (const member of members) {
		const node = findMember(left, member);
		if (!node) continue;
		const empty = { array: "[]", object: "{}", string: '""' }[node.type as string] ?? "null";
		left = left.slice(0, node.offset) + empty + left.slice(node.offset + node.length);
	}
	return left;
}
