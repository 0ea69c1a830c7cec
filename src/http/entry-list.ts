// Lists in a body whose faults are named by their place also where the list is one alternative of several: zod reports only that
// none of them fits. Pure.
import * as z from "zod";
import { toJsonSchema } from "./json-schema.ts";

/** More faults would tell a client no more. */
const MAX_LIST_ISSUES = 20;

/**
 * A list of at most `max` entries of one schema.
 * @param otherwise the schema of an entry that is none of `entry`, such as one of an unknown kind. It must be chosen by the
 * entry's kind alone, so that a faulty entry is reported as what it was meant as.
 */
export function entryList<Entry extends z.ZodType, Other extends z.ZodType = never>(
	entry: Entry,
	max: number,
	otherwise?: { schema: Other; isMeant: (value: unknown) => boolean },
) {
	return z
		.array(z.unknown())
		.max(max)
		.meta({
			items: otherwise
				? { anyOf: [toJsonSchema(entry, "input"), toJsonSchema(otherwise.schema, "input")] }
				: toJsonSchema(entry, "input"),
		})
		.transform((values, context) => {
			const entries: (z.output<Entry> | z.output<Other>)[] = [];
			for (const [index, value] of values.entries()) {
				const parsed = (otherwise?.isMeant(value) ? otherwise.schema : entry).safeParse(value);
				if (parsed.success) entries.push(parsed.data);
				// Without `continue`, a union around the list would report that nothing fits.
				else
					for (const { path, message } of parsed.error.issues.slice(0, MAX_LIST_ISSUES))
						context.addIssue({ code: "custom", path: [index, ...path], message, continue: true });
				if (context.issues.length >= MAX_LIST_ISSUES) break;
			}
			return entries;
		});
}
