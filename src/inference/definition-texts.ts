// Tells in tool definitions and schemas what only says something from what is a name or a keyword: the first may be masked, the
// second must stay as it is. Pure.

/** Members whose values only say something to a model, or are values that it may answer. */
const SAYING_MEMBERS = new Set(["description", "title", "$comment", "enum", "const", "default", "examples", "example"]);
/** Members below which every name is a client's own, and no keyword. */
const NAMING_MEMBERS = new Set([
	"properties",
	"patternProperties",
	"dependentSchemas",
	"dependentRequired",
	"$defs",
	"definitions",
]);

/** Where a value stands in a definition. */
export interface DefinitionPosition {
	/** It says something, and is no name or keyword. */
	readonly isSaying: boolean;
	/** The names in it are the client's own. */
	readonly hasOwnNames: boolean;
}

/** Where a definition begins. */
export const DEFINITION_START: DefinitionPosition = { isSaying: false, hasOwnNames: false };

/** The position of a member of an object. */
export function memberPosition(name: string, { isSaying, hasOwnNames }: DefinitionPosition): DefinitionPosition {
	if (isSaying) return { isSaying, hasOwnNames };
	if (hasOwnNames) return DEFINITION_START;
	return { isSaying: SAYING_MEMBERS.has(name), hasOwnNames: NAMING_MEMBERS.has(name) };
}

/** The position of an item of a list. */
export function itemPosition({ isSaying }: DefinitionPosition): DefinitionPosition {
	return { isSaying, hasOwnNames: false };
}

/**
 * A definition in which what says something is replaced. Bodies nest 128 levels deep at most.
 * @param replace a JSON text by a JSON text.
 */
function replaceSaid(value: unknown, replace: (json: string) => string, position: DefinitionPosition): unknown {
	if (position.isSaying) return JSON.parse(replace(JSON.stringify(value)));
	if (Array.isArray(value)) return value.map((item) => replaceSaid(item, replace, itemPosition(position)));
	return typeof value === "object" && value !== null ? replaceSaidIn({ ...value }, replace, position) : value;
}

/** The members of an object in which what says something is replaced. */
export function replaceSaidIn(
	members: Readonly<Record<string, unknown>>,
	replace: (json: string) => string,
	position: DefinitionPosition = DEFINITION_START,
): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(members).map(([name, value]) => [name, replaceSaid(value, replace, memberPosition(name, position))]),
	);
}
