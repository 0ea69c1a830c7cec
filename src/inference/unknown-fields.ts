// The members of a body that this service does not know. Providers of OpenAI's format may be sent some of them. Pure.
import type * as z from "zod";

/** More than any client sends. Each gets a warning; those beyond share one that counts them. */
const MAX_UNKNOWN_FIELDS = 50;

const shapes = new WeakMap<object, object>();

/** The members of a body's schema. They are read once: to unwrap a lazy schema is to build all of it anew. */
export function knownFields(schema: z.ZodLazy<z.ZodObject>): object {
	const shape = shapes.get(schema) ?? schema.unwrap().shape;
	shapes.set(schema, shape);
	return shape;
}

/**
 * Unknown fields of a body, and paths of those inside known fields. A null counts as absent.
 * @param known has a member for each field that the entrance knows.
 * @param dropped paths of unknown members within known fields.
 */
export function findUnknownFields(
	body: object,
	known: object,
	dropped: readonly string[] = [],
): Record<string, unknown> {
	const fields = Object.entries(body).filter(([name, value]) => !Object.hasOwn(known, name) && value != null);
	const entries = [...fields, ...dropped.map((path): [string, unknown] => [path, true])];
	const more = entries.length - MAX_UNKNOWN_FIELDS;
	const rest: [string, unknown][] = more > 0 ? [[`${more} more fields`, true]] : [];
	return Object.fromEntries([...entries.slice(0, MAX_UNKNOWN_FIELDS), ...rest]);
}
