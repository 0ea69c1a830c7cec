// Limits the schemas of one call, of its tools and of its answer, before any prompt is rendered. A short schema can stand for a very
// long one: the provider that takes no references is sent what they stand for. Pure.
import type { Issue } from "../failure.ts";
import type { JsonObject } from "../json.ts";
import { utf8Length } from "../text/utf8.ts";
import type { Steps } from "../turns/steps.ts";
import {
	MAX_SCHEMA_BYTES,
	type MeasuredSchema,
	measureGoogleSchemaInSteps,
	type SchemaSize,
	shareGoogleSchema,
} from "./google-schema.ts";
import type { ModelCall } from "./model-call.ts";

/** Most schemas inside the schemas of one call, written out. Coding agents send some hundreds. */
export const MAX_SCHEMA_NODES = 50_000;

type SchemaCall = Pick<ModelCall, "tools" | "output">;

/** The schemas of a call, each under the call's field that holds it. */
function* callSchemas({ tools, output }: SchemaCall): Generator<[path: "tools" | "output", schema: JsonObject]> {
	for (const { input, parameters } of tools) if (input !== "text" && parameters) yield ["tools", parameters];
	if (output.type === "json_schema" && output.schema) yield ["output", output.schema];
}

/**
 * Compiles the schemas of a call for the provider whose form is the longest, each distinct one once, and adds up what they come to.
 * It stops at the first that is too much.
 * @returns the field where a limit of the whole call is passed; null within the limits.
 */
export function* findSchemaExcessInSteps(call: SchemaCall): Steps<Issue | null> {
	const measuredByText = new Map<string, MeasuredSchema>();
	const total: SchemaSize = { nodes: 0, bytes: 0 };
	const excess = (path: string): Issue | null => {
		const rest = "with references written out, of all tools and the answer together";
		if (total.bytes > MAX_SCHEMA_BYTES)
			return { path, message: `schemas come to more than ${MAX_SCHEMA_BYTES} bytes, ${rest}` };
		if (total.nodes > MAX_SCHEMA_NODES)
			return { path, message: `schemas hold more than ${MAX_SCHEMA_NODES} schemas, ${rest}` };
		return null;
	};
	for (const [path, schema] of callSchemas(call)) {
		const text = JSON.stringify(schema);
		yield text.length;
		const sentBytes = utf8Length(text);
		const leftBytes = MAX_SCHEMA_BYTES - total.bytes;
		// What is too long as it was sent is not compiled.
		const known =
			sentBytes > leftBytes
				? null
				: (measuredByText.get(text) ?? (yield* measureGoogleSchemaInSteps(schema, leftBytes)));
		if (known) {
			shareGoogleSchema(schema, known);
			measuredByText.set(text, known);
		}
		total.nodes += known?.nodes ?? 0;
		total.bytes += Math.max(sentBytes, known?.bytes ?? 0);
		const found = excess(path);
		if (found) return found;
	}
	return null;
}
