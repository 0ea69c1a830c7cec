// Lists in a body whose faults are named by their place also where the list is one alternative of several: zod reports only that
// none of them fits. Pure.
import * as z from "zod";
import { MAX_REPORTED_ISSUES } from "./array-limits.ts";
import { type JsonSchema, toJsonSchema } from "./json-schema.ts";

/** The schema of entries of another kind than a list's usual ones, such as of kinds that are not known. */
interface OtherEntries<Schema extends z.ZodType> {
	schema: Schema;
	/** Looks at the entry's kind alone, so that a faulty entry is reported as what it was meant as. */
	isMeant(value: unknown): boolean;
}

/** What documents say of a list. Made once, when a document is, not with the first body. */
function describeEntries(schemas: readonly z.ZodType[], maxItems: number): { maxItems: number; items: JsonSchema } {
	let items: JsonSchema | undefined;
	return {
		maxItems,
		get items() {
			const [first = {}, ...others] = items ? [] : schemas.map((schema) => toJsonSchema(schema, "input"));
			items ??= others.length > 0 ? { anyOf: [first, ...others] } : first;
			return items;
		},
	};
}

/** A list of at most `max` entries of one schema, and of another for those that are meant as such. */
export function entryList<Entry extends z.ZodType, Other extends z.ZodType = never>(
	entry: Entry,
	max: number,
	other?: OtherEntries<Other>,
) {
	const parseEntry = (value: unknown) => (other?.isMeant(value) ? other.schema : entry).safeParse(value);
	return z
		.array(z.unknown())
		.meta(describeEntries(other ? [entry, other.schema] : [entry], max))
		.transform((values, context) => {
			const entries: (z.output<Entry> | z.output<Other>)[] = [];
			// Without `continue`, a union around the list would report that nothing fits.
			const addIssue = (path: PropertyKey[], message: string) =>
				context.addIssue({ code: "custom", path, message, continue: true });
			const isTooLong = values.length > max;
			if (isTooLong) addIssue([], `must have at most ${max} entries`);
			for (const [index, value] of isTooLong ? [] : values.entries()) {
				if (context.issues.length >= MAX_REPORTED_ISSUES) break;
				const { data, error } = parseEntry(value);
				if (data !== undefined) entries.push(data);
				for (const { path, message } of error?.issues ?? []) addIssue([index, ...path], message);
			}
			return entries;
		});
}
