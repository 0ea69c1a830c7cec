// Gemini's error body, and its complaints about JSON that is not its own: unknown names, and its subset of JSON Schema.
import * as z from "zod";
import { Refusal } from "./format.ts";

type Fields = Record<string, unknown>;

const record = z.record(z.string(), z.unknown());

/** Google's status names. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
	400: "INVALID_ARGUMENT",
	401: "UNAUTHENTICATED",
	403: "PERMISSION_DENIED",
	404: "NOT_FOUND",
	409: "ABORTED",
	429: "RESOURCE_EXHAUSTED",
	500: "INTERNAL",
	503: "UNAVAILABLE",
	504: "DEADLINE_EXCEEDED",
};

/** Google's error body. */
export function googleError(code: number, message: string, details: Fields[] = []): Fields {
	const status = STATUS_NAMES[code] ?? (code >= 500 ? "UNKNOWN" : "FAILED_PRECONDITION");
	return { error: { code, message, status, ...(details.length > 0 ? { details } : {}) } };
}

/** @throws {Refusal} always. */
export function refuse(message: string): never {
	throw new Refusal(400, message);
}

/** One complaint of Google's JSON reader. */
export interface Violation {
	field: string;
	description: string;
}

/** A name that a message does not have. */
export function unknownName(name: string, field: string, why = "Cannot find field."): Violation {
	const place = field === "" ? "" : ` at '${field}'`;
	return { field, description: `Invalid JSON payload received. Unknown name "${name}"${place}: ${why}` };
}

/** @throws {Refusal} when there is anything to complain about. */
export function refuseFor(violations: Violation[]): void {
	if (violations.length === 0) return;
	const message = violations.map(({ description }) => description).join("\n");
	const details = [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: violations }];
	throw new Refusal(400, message, googleError(400, message, details));
}

function snake(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A path as Google writes it: `tools[0].function_declarations[1]`. */
export function toFieldPath(path: PropertyKey[]): string {
	return path.reduce<string>(
		(field, key) =>
			typeof key === "number" ? `${field}[${key}]` : `${field === "" ? "" : `${field}.`}${snake(String(key))}`,
		"",
	);
}

/** Keywords of Google's `Schema` message. */
const SCHEMA_KEYWORDS = new Set(
	(
		"type format title description nullable enum maxItems minItems properties required minProperties maxProperties " +
		"minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum"
	).split(" "),
);

/** What Google's `Schema` message does not know of a JSON Schema. */
export function schemaViolations(value: unknown, field: string): Violation[] {
	const parsed = record.safeParse(value);
	if (!parsed.success) return [{ field, description: `Invalid value at '${field}' (type.googleapis.com/Schema)` }];
	const schema = parsed.data;
	const violations = Object.keys(schema)
		.filter((key) => !SCHEMA_KEYWORDS.has(key))
		.map((key) => unknownName(key, field));
	if (Array.isArray(schema["type"]))
		violations.push(unknownName("type", field, "Proto field is not repeating, cannot start list."));
	const choices = schema["enum"];
	if (Array.isArray(choices))
		for (const [index, choice] of choices.entries())
			if (typeof choice !== "string")
				violations.push({
					field: `${field}.enum[${index}]`,
					description: `Invalid value at '${field}.enum[${index}]' (TYPE_STRING), ${JSON.stringify(choice)}`,
				});
	const properties = record.safeParse(schema["properties"]).data ?? {};
	for (const [index, property] of Object.values(properties).entries())
		violations.push(...schemaViolations(property, `${field}.properties[${index}].value`));
	if ("items" in schema) violations.push(...schemaViolations(schema["items"], `${field}.items`));
	const alternatives = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : [];
	for (const [index, alternative] of alternatives.entries())
		violations.push(...schemaViolations(alternative, `${field}.any_of[${index}]`));
	if (violations.length === 0) checkMeaning(schema, properties, field);
	return violations;
}

function checkMeaning(schema: Fields, properties: Fields, field: string): void {
	const required = Array.isArray(schema["required"]) ? schema["required"] : [];
	for (const [index, key] of required.entries())
		if (!(String(key) in properties))
			refuse(`* GenerateContentRequest.${field}.required[${index}]: property is not defined`);
	const type = String(schema["type"] ?? "").toLowerCase();
	if (type === "array" && !("items" in schema)) refuse(`* GenerateContentRequest.${field}.items: missing field.`);
	if ("enum" in schema && type !== "string")
		refuse(`* GenerateContentRequest.${field}.enum: only allowed for STRING type`);
}
