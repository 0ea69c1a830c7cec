// Writes JSON as people read it: what fits into a line stands in one.

const MAX_LINE_CHARS = 110;
/** Longer texts of an example are cut. */
const MAX_TEXT_CHARS = 120;
/** Entries that are shown of a record of lists, such as the reasons by model. */
const MAX_NAMED_LISTS = 2;

function toInline(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(toInline).join(", ")}]`;
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${toInline(member)}`);
	return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** Joins parts into lines that are as full as they may be. */
function fillLines(parts: readonly string[], indent: string): string {
	const lines: string[] = [];
	for (const part of parts) {
		const last = lines.at(-1);
		const joined = `${last} ${part}`;
		if (last === undefined || part.includes("\n") || last.includes("\n") || joined.length > MAX_LINE_CHARS)
			lines.push(`${indent}${part}`);
		else lines[lines.length - 1] = joined;
	}
	return lines.join("\n");
}

/** @param indent of the lines within. @param taken what stands before the value in its line. */
export function layOutJson(value: unknown, indent = "", taken = 0): string {
	const inline = toInline(value);
	if (indent.length + taken + inline.length <= MAX_LINE_CHARS || typeof value !== "object" || value === null)
		return inline;
	const inner = `${indent}  `;
	const isList = Array.isArray(value);
	const members = isList ? value.map((entry) => ["", entry] as const) : Object.entries(value);
	const parts = members.map(([name, member], position) => {
		const lead = isList ? "" : `${JSON.stringify(name)}: `;
		return `${lead}${layOutJson(member, inner, lead.length + 1)}${position < members.length - 1 ? "," : ""}`;
	});
	const [open, close] = isList ? ["[", "]"] : ["{", "}"];
	return `${open}\n${fillLines(parts, inner)}\n${indent}${close}`;
}

/** The members of an example: of lists by name, only the first. */
function firstMembers(value: object): [name: string, member: unknown][] {
	const members = Object.entries(value);
	const isListsByName = members.every(([, member]) => Array.isArray(member));
	if (!isListsByName || members.length <= MAX_NAMED_LISTS) return members;
	return [...members.slice(0, MAX_NAMED_LISTS), ["…", `${members.length - MAX_NAMED_LISTS} more`]];
}

/** An example as it is shown: long texts and long records are cut. */
export function cutExample(value: unknown): unknown {
	if (typeof value === "string") return value.length > MAX_TEXT_CHARS ? `${value.slice(0, MAX_TEXT_CHARS)}…` : value;
	if (Array.isArray(value)) return value.map(cutExample);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(firstMembers(value).map(([name, member]) => [name, cutExample(member)]));
}
