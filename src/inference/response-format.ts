// The field `response_format`: its schema, and the output format that it stands for. Pure.
import * as z from "zod";
import { type JsonObject, optionalMember } from "../json.ts";
import type { OutputFormat } from "../providers/model-call.ts";

export const responseFormatSchema = z.lazy(() =>
	z.discriminatedUnion("type", [
		z.object({ type: z.literal("text") }),
		z.object({ type: z.literal("json_object") }),
		z.object({
			type: z.literal("json_schema"),
			json_schema: z.object({
				name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -"),
				description: z.string().optional(),
				schema: z.record(z.string(), z.unknown()).optional(),
				strict: z.boolean().nullish(),
			}),
		}),
	]),
);

/** An output format in a body. Some entrances take null for an absent member. */
type RequestedFormat =
	| { type: "text" | "json_object" }
	| {
			type: "json_schema";
			json_schema: {
				name: string;
				description?: string | null | undefined;
				schema?: JsonObject | null | undefined;
				strict?: boolean | null | undefined;
			};
	  };

/** The output format that a client asks for; text by default. */
export function toOutputFormat(format: RequestedFormat | null | undefined): OutputFormat {
	if (format?.type !== "json_schema") return { type: format?.type ?? "text" };
	const { name, description, schema, strict } = format.json_schema;
	return {
		type: "json_schema",
		name,
		...optionalMember("description", description),
		...optionalMember("schema", schema),
		...optionalMember("strict", strict),
	};
}
