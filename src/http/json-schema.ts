// zod schemas as JSON Schema. Pure.
import * as z from "zod";

/** A JSON Schema 2020-12. */
export type JsonSchema = Record<string, unknown>;

/** A schema's `input` or `output` as JSON Schema 2020-12, which OpenAPI 3.1 embeds. */
export function toJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
	const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
	return rest as JsonSchema;
}

/** Names of an object's members. */
export interface SchemaMembers {
	names: string[];
	required: string[];
}

/** The members of an object's schema, or of all those that it may be one of. */
export function membersIn({ properties, required, anyOf, oneOf }: JsonSchema): SchemaMembers {
	const forms = anyOf ?? oneOf;
	const branches = Array.isArray(forms) ? forms.map((form: JsonSchema) => membersIn(form)) : [];
	return {
		names: [...Object.keys(Object(properties)), ...branches.flatMap(({ names }) => names)],
		required: [...(Array.isArray(required) ? required : []), ...branches.flatMap((branch) => branch.required)],
	};
}
