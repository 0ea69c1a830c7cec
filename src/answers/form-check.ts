// Whether an answer has the form that the client asked for: JSON, an object, what a schema says. Loaded on first use (load.ts).
//
// The validator interprets the schema, since Workers compile no code. Patterns are RE2's, so that none takes more than linear time. The
// schema itself is within the limits of every call (providers/schema-limits.ts); references are followed a bounded number of times.
import { dereference, format as formats, type Schema, validate } from "@cfworker/json-schema";
import { RE2JS } from "re2js";
import { isJsonObject, parseJson } from "../json.ts";
import type { OutputFormat } from "../providers/model-call.ts";
import { toCheckableSchema } from "./checkable-schema.ts";
import { renderFormFaults } from "./form-faults.ts";

/** References that are followed in one check: recursive schemas may take time that grows exponentially with depth. */
const MAX_REFERENCES = 50_000;
/** Instructions of all patterns of one schema. */
const MAX_PROGRAM_SIZE = 2_000;
/** A longer text is not matched. */
const MAX_MATCHED_CHARS = 16_384;
/** Comparing each item with each other takes the square of their number. */
const MAX_CHECKED_CHARS = 1_000_000;

/** The form is met, or what is wrong in words. `null` where the schema cannot be checked. */
export type FormCheck = { isMet: true } | { isMet: false; fault: string } | null;

/** A test for each pattern that RE2 takes, as long as their programs are within the limit together. */
function compilePatterns(patterns: ReadonlyMap<string, string>): [name: string, test: (text: string) => boolean][] {
	let left = MAX_PROGRAM_SIZE;
	return [...patterns].map(([name, pattern]) => {
		const unchecked = () => true;
		if (left <= 0) return [name, unchecked];
		try {
			const compiled = RE2JS.compile(pattern);
			left -= compiled.programSize();
			if (left < 0) return [name, unchecked];
			return [name, (text: string) => text.length > MAX_MATCHED_CHARS || compiled.test(text)];
		} catch {
			// RE2 has no look-around and no back-references.
			return [name, unchecked];
		}
	});
}

class TooManyReferences extends Error {}

/** A table of schemas that is looked up a bounded number of times. */
function withBudget<Table extends object>(table: Table): Table {
	let left = MAX_REFERENCES;
	return new Proxy(table, {
		get(target, key, receiver) {
			if (--left < 0) throw new TooManyReferences();
			return Reflect.get(target, key, receiver);
		},
	});
}

function checkSchema(value: unknown, clientSchema: unknown, root: string): FormCheck {
	const { schema, patterns } = toCheckableSchema(clientSchema);
	const tests = compilePatterns(patterns);
	const table: Record<string, (text: string) => boolean> = formats;
	for (const [name, test] of tests) table[name] = test;
	try {
		const lookup = withBudget(dereference(schema as Schema));
		const { valid, errors } = validate(value, schema as Schema, "2020-12", lookup);
		return valid ? { isMet: true } : { isMet: false, fault: renderFormFaults(errors, patterns, root) };
	} catch {
		// A reference that leads nowhere, a schema that is none, or one that takes too long.
		return null;
	} finally {
		for (const [name] of tests) delete table[name];
	}
}

/** Checks the text of an answer. Text has no form. @param root what faults call the whole of it. */
export function checkForm(text: string, output: OutputFormat, root = "answer"): FormCheck {
	if (output.type === "text" || text.length > MAX_CHECKED_CHARS) return null;
	const value = parseJson(text);
	if (value === undefined) return { isMet: false, fault: "The text is not JSON, or there is more than JSON." };
	if (output.type === "json_object")
		return isJsonObject(value) ? { isMet: true } : { isMet: false, fault: `${root}: must be a JSON object` };
	return output.schema === undefined ? { isMet: true } : checkSchema(value, output.schema, root);
}
