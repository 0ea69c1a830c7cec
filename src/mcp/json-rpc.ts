// JSON-RPC 2.0 messages as the MCP endpoint takes and answers them; what they ask is the SDK's to read. Pure.
import * as z from "zod";

/** More than a client sends at once; protocol versions since 2025-06-18 know no batches at all. */
const MOST_MESSAGES = 100;

const id = z.lazy(() => z.union([z.string().max(256), z.int()]));
const params = z.lazy(() => z.record(z.string(), z.unknown()));
const version = z.literal("2.0", { error: 'must be "2.0"' });

const messageSchema = z.lazy(() =>
	z.object({
		jsonrpc: version,
		id: id.optional(),
		method: z.string().min(1).max(256).describe("Such as initialize, tools/list or tools/call."),
		params: params.optional(),
	}),
);

/** True when each request has an id of its own: of two under one id, one would be done and never answered. */
function haveOwnIds(messages: readonly { id?: string | number | undefined }[]): boolean {
	const ids = messages.flatMap(({ id }) => (id === undefined ? [] : [id]));
	return new Set(ids).size === ids.length;
}

const batchSchema = z.lazy(() =>
	z.array(messageSchema).min(1).max(MOST_MESSAGES).refine(haveOwnIds, "must not have one id twice"),
);

/** What a client posts: a request, a notification, or several of them. */
export const mcpBodySchema = z.lazy(() => z.union([messageSchema, batchSchema]));
export type McpBody = z.output<typeof mcpBodySchema>;
export type McpMessage = z.output<typeof messageSchema>;

const responseSchema = z.lazy(() =>
	z.looseObject({
		jsonrpc: version,
		id: id.nullable(),
		result: z.record(z.string(), z.unknown()).optional(),
		error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
	}),
);

/** What it is answered: a response to each request. */
export const mcpAnswerSchema = z.lazy(() => z.union([responseSchema, z.array(responseSchema)]));

/** How the protocol itself refuses a request. */
export const mcpErrorSchema = z.lazy(() =>
	z.looseObject({
		jsonrpc: version,
		id: id.nullable(),
		error: z.looseObject({ code: z.int(), message: z.string() }),
	}),
);

/** The messages of a body, in order. */
export function messagesIn(body: McpBody): McpMessage[] {
	return Array.isArray(body) ? body : [body];
}
