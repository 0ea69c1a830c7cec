// Schemas of the JSON-RPC 2.0 messages of the MCP endpoint. The SDK reads what they ask. Pure.
import * as z from "zod";
import type { Failure } from "../failure.ts";
import { isJsonObject } from "../json.ts";

const MAX_BATCH_MESSAGES = 10;

/** Only this version has batches: 2025-06-18 removed them. A client that names no version is taken to speak it. */
const VERSION_WITH_BATCHES = "2025-03-26";

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

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

type RpcError = z.output<typeof mcpErrorSchema>;

function toRpcError(code: number, message: string, rawBody: unknown): RpcError {
	const id = isJsonObject(rawBody) ? rpcIdSchema.safeParse(rawBody["id"]).data : undefined;
	return { jsonrpc: "2.0", id: id ?? null, error: { code, message } };
}

/** The first fault of a body as a request, a notification or a batch. */
function findBodyFault(rawBody: unknown): string | undefined {
	const { error } = (Array.isArray(rawBody) ? rpcBatchSchema : rpcMessageSchema).safeParse(rawBody);
	const [issue] = error?.issues ?? [];
	return issue && [issue.path.join("."), issue.message].filter((text) => text !== "").join(": ");
}

/** The protocol's error for a body that was refused, with its request's id where it has one; null for failures of HTTP. */
export function findProtocolError(failure: Failure, rawBody: unknown): RpcError | null {
	if (failure.reason === "invalid_json") return toRpcError(PARSE_ERROR, failure.message, undefined);
	if (failure.reason !== "invalid_request") return null;
	const [issue] = failure.issues;
	const fault = findBodyFault(rawBody) ?? issue?.message ?? "no message of the protocol";
	return toRpcError(INVALID_REQUEST, `invalid request: ${fault.slice(0, 500)}`, rawBody);
}

/**
 * The error for a batch in a version of the protocol that has none; null for anything else.
 * @param version as the client's header names it; null without one.
 */
export function findBatchError(body: McpBody, version: string | null): RpcError | null {
	if (!Array.isArray(body) || (version ?? VERSION_WITH_BATCHES) === VERSION_WITH_BATCHES) return null;
	return toRpcError(INVALID_REQUEST, `invalid request: protocol version ${version} has no batches`, body);
}
