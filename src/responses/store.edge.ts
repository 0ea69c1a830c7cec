// Stores responses, sealed for their user. An answer never fails because it cannot be stored, and never says that it is stored unless
// it is.
import type { Account, KeyContext } from "../account/context.ts";
import { logError } from "../http/log.edge.ts";
import { withDeadline } from "../in-time.edge.ts";
import type { JsonObject } from "../json.ts";
import { userSeal } from "../meter/user-seal.edge.ts";
import type { Warning } from "../providers/model-call.ts";
import type { InputItem } from "./items.ts";
import { notStored } from "./response-storage.ts";
import { storedResponsesClient } from "./stored-client.edge.ts";
import { MAX_RESPONSE_BYTES, type SealedPart, sealedPartName, withItemIds } from "./stored-response.ts";

/** An answer waits this long for its storage. */
const STORE_TIMEOUT_MS = 5_000;

const TOO_LONG = notStored(
	`the response is not stored: with its input it is longer than ${MAX_RESPONSE_BYTES} bytes of JSON`,
);
const FAILED = notStored("the response is not stored: the storage did not take it");

/** A response to be stored. */
export interface ResponseEntry {
	/** As the client gets it, but with all encrypted reasoning in its output: the next request needs that. */
	response: Readonly<JsonObject> & {
		id: string;
		previous_response_id?: string | null | undefined;
		output: readonly object[];
	};
	/** The request's own input (`own` of resolveInput). */
	input: readonly InputItem[];
}

/** What storing needs of a request. */
interface StoreContext extends Pick<KeyContext, "env" | "waitUntil"> {
	account: Pick<Account, "userId" | "keyId">;
}

/** JSON of the parts that are sealed apart, so that a conversation is read without what only a read of the response shows. */
function toParts({ response: { output, ...response }, input }: ResponseEntry): Record<SealedPart, string> {
	return {
		response: JSON.stringify(response),
		input: JSON.stringify(withItemIds(input, response.id)),
		output: JSON.stringify(output),
	};
}

async function put(entry: ResponseEntry, { account, env }: StoreContext): Promise<Warning | null> {
	const { id, previous_response_id: previousId } = entry.response;
	const parts = toParts(entry);
	const encoder = new TextEncoder();
	const bytes = Object.values(parts).reduce((sum, text) => sum + encoder.encode(text).length, 0);
	if (bytes > MAX_RESPONSE_BYTES) return TOO_LONG;
	const seal = await userSeal(env, account.userId);
	const sealPart = async (part: SealedPart) => (await seal.seal(sealedPartName(id, part), parts[part])).buffer;
	const [response, input, output] = await Promise.all([sealPart("response"), sealPart("input"), sealPart("output")]);
	const client = storedResponsesClient(env, account.userId);
	await client.put({ id, previousId: previousId ?? null, keyId: account.keyId, response, input, output });
	return null;
}

/**
 * Stores a response. Once this returns null, every read finds it.
 * @returns why it is not stored: then the response says `store: false`, with this warning.
 */
export async function storeResponse(entry: ResponseEntry, context: StoreContext): Promise<Warning | null> {
	const { id } = entry.response;
	const stored = put(entry, context).catch((error: unknown) => {
		logError("response_not_stored", error);
		return FAILED;
	});
	const outcome = await withDeadline(stored, STORE_TIMEOUT_MS, () => FAILED);
	// A call whose answer was lost may have stored it.
	if (outcome === FAILED) context.waitUntil(stored.then(() => forget(id, context)));
	return outcome;
}

/** Deletes a response that is said not to be stored. Never throws. */
async function forget(id: string, { account, env }: StoreContext): Promise<void> {
	try {
		await storedResponsesClient(env, account.userId).remove(id);
	} catch (error) {
		logError("response_not_forgotten", error);
	}
}
