// Stored responses without an entrance: responses that are stored, resolved and looked at as the entrance would.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { ulid } from "ulid";
import type { Result } from "../../src/failure.ts";
import type { Warning } from "../../src/providers/model-call.ts";
import type { InputItem } from "../../src/responses/items.ts";
import { type ResolvedInput, resolveInput } from "../../src/responses/resolve-input.edge.ts";
import { type ResponseEntry, storeResponse } from "../../src/responses/store.edge.ts";
import { shippedSettings } from "../../src/settings.ts";
import { FULL_GRANT } from "./caller.ts";
import type { TestKey } from "./service.ts";

export const UNKNOWN_RESPONSE = "resp_01ARZ3NDEKTSV4RRFFQ69G5FAV";

type Owner = Pick<TestKey, "user_id"> & Partial<Pick<TestKey, "key_id">>;

/** What storing and resolving are given of a request. */
function requestContext({ user_id: userId, key_id: keyId = "key_1" }: Owner, rawBody: unknown, limitBytes: number) {
	return {
		account: { userId, keyId, key: FULL_GRANT },
		env,
		settings: shippedSettings(env),
		bodyLimits: { default: 0, chat: limitBytes },
		rawBody,
		waitUntil: (work: Promise<unknown>) => void work.catch(() => undefined),
	};
}

/** A response that answers a text with a text. */
export function textEntry(
	asked: string,
	answered: string,
	{ previousId = null, atMs = Date.now() }: { previousId?: string | null; atMs?: number } = {},
): ResponseEntry {
	const requestUlid = ulid(atMs);
	return {
		response: {
			id: `resp_${requestUlid}`,
			object: "response",
			status: "completed",
			previous_response_id: previousId,
			output: [
				{
					type: "message",
					id: `msg_${requestUlid}`,
					role: "assistant",
					status: "completed",
					content: [{ type: "output_text", text: answered, annotations: [] }],
				},
			],
		},
		input: [{ role: "user", content: asked }],
	};
}

/** Stores a response of a user; why it was not stored, else null. */
export function store(owner: Owner, entry: ResponseEntry): Promise<Warning | null> {
	return storeResponse(entry, requestContext(owner, {}, 0));
}

/** Stores a response that answers a text with a text; its id. */
export async function storeText(owner: Owner, ...entry: Parameters<typeof textEntry>): Promise<string> {
	const { response, input } = textEntry(...entry);
	const warning = await store(owner, { response, input });
	if (warning) throw new Error(warning.message);
	return response.id;
}

/** Resolves the input of a request of a user. */
export function resolve(
	owner: Owner,
	body: { input?: string | InputItem[] | null; previous_response_id?: string | null },
	limitBytes = 16_777_216,
): Promise<Result<ResolvedInput>> {
	return resolveInput(body, requestContext(owner, body, limitBytes));
}

/** The object of a user. */
export function storedResponsesOf({ user_id: userId }: Owner) {
	return env.STORED_RESPONSES.getByName(userId) as unknown as DurableObjectStub<undefined>;
}

/** Rows of a query on the storage of a user's object. */
export function queryStored(owner: Owner, query: string, ...values: SqlStorageValue[]) {
	return runInDurableObject(storedResponsesOf(owner), (_, { storage }) =>
		storage.sql.exec<Record<string, SqlStorageValue>>(query, ...values).toArray(),
	);
}
