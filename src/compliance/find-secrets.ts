// Finds secrets in the texts of a JSON value, and says where they are and of what kind, never their values. Pure.
import type { SecretSpan } from "./detect.ts";

/** The detector's secretSpans. */
type FindSpans = (text: string) => readonly SecretSpan[];

/** A step of the path to a secret. */
type SecretPathStep = string | number;

/** Where a secret is. */
export interface FoundSecret {
	/** A name that holds a secret itself is replaced by its kind. */
	path: SecretPathStep[];
	kind: string;
	/** In the text there, UTF-16 units. */
	start: number;
}

/** The secrets in a text alone; if there are none, those in the text after its name. */
export function findNamedSpans(name: string | null, text: string, find: FindSpans): readonly SecretSpan[] {
	const alone = find(text);
	if (alone.length > 0 || name === null) return alone;
	const before = `${name}: `.length;
	return find(`${name}: ${text}`)
		.filter(({ end }) => end > before)
		.map(({ start, end, kind }) => ({ start: Math.max(0, start - before), end: end - before, kind }));
}

/** The name of each member's text. `{name, value}` is read as a member, too. */
export function memberNames(members: readonly [name: string, item: unknown][]): (member: string) => string {
	const named = members.find(([member, item]) => /^(?:name|key)$/i.test(member) && typeof item === "string")?.[1];
	return (member) => (typeof named === "string" && /^value$/i.test(member) ? named : member);
}

/** The secrets in all texts of a JSON value, names of members included, in order. */
export function findSecrets(
	value: unknown,
	find: FindSpans,
	path: readonly SecretPathStep[] = [],
	name: string | null = null,
): FoundSecret[] {
	if (typeof value === "string")
		return findNamedSpans(name, value, find).map(({ kind, start }) => ({ path: [...path], kind, start }));
	if (Array.isArray(value)) return value.flatMap((item, index) => findSecrets(item, find, [...path, index], name));
	if (typeof value !== "object" || value === null) return [];
	const members: [name: string, item: unknown][] = Object.entries(value);
	const nameFor = memberNames(members);
	return members.flatMap(([member, item]) => {
		const [inName] = find(member);
		const at = [...path, inName ? `<${inName.kind}>` : member];
		const own = inName ? [{ path: at, kind: inName.kind, start: inName.start }] : [];
		return [...own, ...findSecrets(item, find, at, nameFor(member))];
	});
}
