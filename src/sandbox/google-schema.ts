// Gemini's error body, and its checks of JSON: unknown names, and its subset of JSON Schema.
import { type JsonFields, jsonFields, Refusal } from "./format.ts";

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
export function googleError(code: number, message: string, details: JsonFields[] = []): JsonFields {
	const status = STATUS_NAMES[code] ?? (code >= 500 ? "UNKNOWN" : "FAILED_PRECONDITION");
	return { error: { code, message, status, ...(details.length > 0 ? { details } : {}) } };
}

/** @throws {Refusal} always. */
export function refuseGoogle(message: string): never {
	throw new Refusal(400, message);
}

/** One error of Google's JSON reader. */
interface Violation {
	field: string;
	description: string;
}

/** The error for a name that a message does not have. */
export function unknownName(name: string, field: string, why = "Cannot find field."): Violation {
	const place = field === "" ? "" : ` at '${field}'`;
	return { field, description: `Invalid JSON payload received. Unknown name "${name}"${place}: ${why}` };
}

/** @throws {Refusal} if there are any. */
export function refuseFor(violations: Violation[]): void {
	if (violations.length === 0) return;
	const message = violations.map(({ description }) => description).join("\n");
	const details = [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: violations }];
	throw new Refusal(400, message, googleError(400, message, details));
}

function toSnakeCase(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A path as Google writes it: `tools[0].function_declarations[1]`. */
export function toFieldPath(path: PropertyKey[]): string {
	return path.reduce<string>(
		(field, key) =>
			typeof key === "number" ? `${field}[${key}]` : `${field === "" ? "" : `${field}.`}${toSnakeCase(String(key))}`,
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

/** The keywords of a JSON Schema that Google's `Schema` message does not have. */
export function schemaViolations(value: unknown, field: string): Violation[] {
	const parsed = jsonFields.safeParse(value);
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
	const properties = jsonFields.safeParse(schema["properties"]).data ?? {};
	for (const [index, property] of Object.values(properties).entries())
		violations.push(...schemaViolations(property, `${field}.properties[${index}].value`));
	if ("items" in schema) violations.push(...schemaViolations(schema["items"], `${field}.items`));
	const alternatives = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : [];
	for (const [index, alternative] of alternatives.entries())
		violations.push(...schemaViolations(alternative, `${field}.any_of[${index}]`));
	if (violations.length === 0) checkMeaning(schema, properties, field);
	return violations;
}

function checkMeaning(schema: JsonFields, properties: JsonFields, field: string): void {
	const required = Array.isArray(schema["required"]) ? schema["required"] : [];
	for (const [index, key] of required.entries())
		if (!(String(key) in properties))
			refuseGoogle(`* GenerateContentRequest.${field}.required[${index}]: property is not defined`);
	const type = String(schema["type"] ?? "").toLowerCase();
	if (type === "array" && !("items" in schema)) refuseGoogle(`* GenerateContentRequest.${field}.items: missing field.`);
	if ("enum" in schema && type !== "string")
		refuseGoogle(`* GenerateContentRequest.${field}.enum: only allowed for STRING type`);
}
