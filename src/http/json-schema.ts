// zod schemas as JSON Schema. Pure.
import * as z from "zod";

/** A JSON Schema 2020-12. */
export type JsonSchema = Record<string, unknown>;

/** A schema's `input` or `output` as JSON Schema 2020-12, which OpenAPI 3.1 embeds. */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
	const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
	return rest as JsonSchema;
}
