// Schemas of the JSON-RPC 2.0 messages of the MCP endpoint. The SDK reads what they ask. Pure.
import * as z from "zod";

/** More than any client sends at once. Protocol versions since 2025-06-18 have no batches. */
const MAX_BATCH_MESSAGES = 100;

const rpcIdSchema = z.lazy(() => z.union([z.string().max(256), z.int()]));
const rpcParamsSchema = z.lazy(() => z.record(z.string(), z.unknown()));
const rpcVersion = z.literal("2.0", { error: 'must be "2.0"' });

const rpcMessageSchema = z.lazy(() =>
	z.object({
		jsonrpc: rpcVersion,
		id: rpcIdSchema.optional(),
		method: z.string().min(1).max(256).describe("Such as initialize, tools/list or tools/call."),
		params: rpcParamsSchema.optional(),
	}),
);

/** Whether each request has an id of its own. Of two requests with one id, one would never be answered. */
function haveOwnIds(messages: readonly { id?: string | number | undefined }[]): boolean {
	const ids = messages.flatMap(({ id }) => (id === undefined ? [] : [id]));
	return new Set(ids).size === ids.length;
}

const rpcBatchSchema = z.lazy(() =>
	z.array(rpcMessageSchema).min(1).max(MAX_BATCH_MESSAGES).refine(haveOwnIds, "must not have one id twice"),
);

/** A client's body: a request, a notification, or a batch. */
export const mcpBodySchema = z.lazy(() => z.union([rpcMessageSchema, rpcBatchSchema]));
export type McpBody = z.output<typeof mcpBodySchema>;
type McpMessage = z.output<typeof rpcMessageSchema>;

const rpcResponseSchema = z.lazy(() =>
	z.looseObject({
		jsonrpc: rpcVersion,
		id: rpcIdSchema.nullable(),
		result: z.record(z.string(), z.unknown()).optional(),
		error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
	}),
);

/** The answer: a response to each request. */
export const mcpAnswerSchema = z.lazy(() => z.union([rpcResponseSchema, z.array(rpcResponseSchema)]));

/** The protocol's own error. */
export const mcpErrorSchema = z.lazy(() =>
	z.looseObject({
		jsonrpc: rpcVersion,
		id: rpcIdSchema.nullable(),
		error: z.looseObject({ code: z.int(), message: z.string() }),
	}),
);

/** The messages of a body, in order. */
export function toMessages(body: McpBody): McpMessage[] {
	return Array.isArray(body) ? body : [body];
}
