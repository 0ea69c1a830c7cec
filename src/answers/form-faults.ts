// What is wrong with a JSON value, as a schema's validator found it: a short English line for each member at fault. Whoever wrote the
// value may be a model that reads what others wrote, so its texts are never quoted, and names of its members only up to a bound. Pure.
import type { OutputUnit } from "@cfworker/json-schema";
import { parseJson } from "../json.ts";
import { quoteInput } from "../suggest.ts";

/** An error of the validator. */
type SchemaError = Pick<OutputUnit, "instanceLocation" | "keyword" | "error">;

const MAX_LINES = 4;
const MAX_FAULT_CHARS = 700;
const MAX_PLACE_CHARS = 120;
const MAX_PATTERN_CHARS = 200;
/** Values of an enumeration that are listed. */
const MAX_LISTED = 10;
/** Longer values are cut. */
const MAX_VALUE_CHARS = 60;

/** Errors that say only that one further inside is at fault, or one beside it. */
const OUTER_KEYWORDS = new Set([
	...["$ref", "$recursiveRef", "allOf", "additionalItems", "additionalProperties", "dependentSchemas", "else", "if"],
	...["items", "patternProperties", "prefixItems", "properties", "then", "unevaluatedItems", "unevaluatedProperties"],
]);

/** A member's name as it stands in a line: plain ones as they are, up to a bound. */
function renderName(name: string): string {
	return /^[\w-]{1,40}$/.test(name) ? name : quoteInput(name);
}

function decodeStep(step: string): string {
	let text = step;
	try {
		text = decodeURIComponent(step);
	} catch {
		// It is shown as the validator wrote it.
	}
	return text.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Where a fault is: `to.0.name`. @param root the name of the whole value. */
function renderPlace(location: string, root: string): string {
	const steps = location.split("/").slice(1);
	if (steps.length === 0) return root;
	const place = steps.map((step) => renderName(decodeStep(step))).join(".");
	return place.length <= MAX_PLACE_CHARS ? place : `${place.slice(0, MAX_PLACE_CHARS - 1)}…`;
}

/** The quoted words of a validator's error, each without its quotes. */
function quotedIn(error: string): string[] {
	return [...error.matchAll(/"([^"]*)"/g)].map(([, word = ""]) => word);
}

function withArticle(type: string): string {
	if (type === "null") return "null";
	return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** What a value is whose type is wrong, and which types it may have. */
function readTypes(error: string): { found: string; wanted: string[] } {
	const [found = "", ...wanted] = quotedIn(error);
	return { found, wanted };
}

function renderTypes(found: string, wanted: readonly string[]): string {
	return `must be ${[...new Set(wanted)].map(withArticle).join(" or ")}, is ${withArticle(found)}`;
}

function renderValue(value: unknown): string {
	const text = JSON.stringify(value);
	return text.length <= MAX_VALUE_CHARS ? text : `${text.slice(0, MAX_VALUE_CHARS - 1)}…`;
}

/** `must be one of …`, from the schema's values as the validator's error lists them. */
function renderEnum(error: string): string {
	const values = parseJson(error.slice(error.indexOf("["), error.lastIndexOf("]") + 1));
	if (!Array.isArray(values)) return "must be one of the values that the schema lists";
	const more = values.length - MAX_LISTED;
	const listed = values.slice(0, MAX_LISTED).map(renderValue).join(", ");
	return `must be one of ${listed}${more > 0 ? ` and ${more} more` : ""}`;
}

function renderConst(error: string): string {
	const value = parseJson(error.replace(/^Instance does not match /, "").replace(/\.$/, ""));
	return value === undefined ? "must be the value that the schema states" : `must be ${renderValue(value)}`;
}

/** The last number of a validator's error: the limit. */
function limitIn(error: string): string {
	return error.match(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi)?.at(-1) ?? "the schema's";
}

/** The limit with what it counts. */
function countIn(error: string, unit: string): string {
	const limit = limitIn(error);
	return limit === "1" ? `1 ${unit}` : `${limit} ${unit}s`;
}

function renderFormat(error: string, patterns: ReadonlyMap<string, string>): string {
	const [name = ""] = quotedIn(error);
	const pattern = patterns.get(name);
	if (pattern === undefined) return `must have the format ${name}`;
	return `must match the pattern ${pattern.slice(0, MAX_PATTERN_CHARS)}`;
}

/** What a keyword's error says, by keyword. A keyword that is missing here is told by its name. */
const RENDERERS: Readonly<Record<string, (error: string, patterns: ReadonlyMap<string, string>) => string>> = {
	false: () => "is not allowed here",
	type: (error) => {
		const { found, wanted } = readTypes(error);
		return renderTypes(found, wanted);
	},
	required: (error) => `${quoteInput(error.slice(error.indexOf('"') + 1, error.lastIndexOf('"')))} is missing`,
	enum: renderEnum,
	const: renderConst,
	format: renderFormat,
	minLength: (error) => `must have at least ${countIn(error, "character")}`,
	maxLength: (error) => `must have at most ${countIn(error, "character")}`,
	minItems: (error) => `must have at least ${countIn(error, "item")}`,
	maxItems: (error) => `must have at most ${countIn(error, "item")}`,
	minProperties: (error) => `must have at least ${countIn(error, "member")}`,
	maxProperties: (error) => `must have at most ${countIn(error, "member")}`,
	minimum: (error) => `must be at least ${limitIn(error)}`,
	maximum: (error) => `must be at most ${limitIn(error)}`,
	exclusiveMinimum: (error) => `must be more than ${limitIn(error)}`,
	exclusiveMaximum: (error) => `must be less than ${limitIn(error)}`,
	multipleOf: (error) => `must be a multiple of ${limitIn(error)}`,
	uniqueItems: () => "must not have the same item twice",
	contains: () => "lacks an item that the schema asks for",
	propertyNames: () => "has a member whose name the schema does not allow",
	dependentRequired: (error) => {
		const [has = "", lacks = ""] = quotedIn(error);
		return `${quoteInput(lacks)} is missing, which goes with ${quoteInput(has)}`;
	},
	not: () => "has a form that the schema rules out",
	anyOf: () => "fits none of the schema's alternatives",
	oneOf: (error) =>
		error.includes("(0 matches)")
			? "fits none of the schema's alternatives"
			: "fits several of the schema's alternatives, and must fit one",
};

function renderError({ keyword, error }: SchemaError, patterns: ReadonlyMap<string, string>): string {
	return RENDERERS[keyword]?.(error, patterns) ?? `does not fit the schema's ${keyword}`;
}

/** Alternatives that differ in their type alone are one line: `must be a string or null`. */
function mergeTypes(errors: readonly SchemaError[]): string | null {
	const alternatives = errors.filter(({ keyword }) => keyword !== "anyOf" && keyword !== "oneOf");
	if (alternatives.length === 0 || alternatives.some(({ keyword }) => keyword !== "type")) return null;
	const read = alternatives.map(({ error }) => readTypes(error));
	return renderTypes(
		read[0]?.found ?? "",
		read.flatMap(({ wanted }) => wanted),
	);
}

/**
 * A line for each fault, such as `to: must be a string, is a number`; the first of them where there are many.
 * @param patterns the schema's, by the names of the formats that stand for them.
 * @param root what to call the whole value.
 */
export function renderFormFaults(
	errors: readonly SchemaError[],
	patterns: ReadonlyMap<string, string>,
	root: string,
): string {
	const inner = errors.filter(({ keyword }) => !OUTER_KEYWORDS.has(keyword));
	const byPlace = new Map<string, SchemaError[]>();
	for (const error of inner.length > 0 ? inner : errors) {
		const place = renderPlace(error.instanceLocation, root);
		byPlace.set(place, [...(byPlace.get(place) ?? []), error]);
	}
	const lines = [...byPlace].flatMap(([place, found]) => {
		const types = mergeTypes(found);
		const said = types === null ? found.map((error) => renderError(error, patterns)) : [types];
		return said.map((text) => `${place}: ${text}`);
	});
	return [...new Set(lines)].slice(0, MAX_LINES).join("\n").slice(0, MAX_FAULT_CHARS).toWellFormed();
}
