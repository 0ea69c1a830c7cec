// The Worker's side of a user's StoredResponses. Every call is idempotent and tried twice.
import { callObject } from "../durable/call-object.edge.ts";
import type { SealedPart } from "./stored-response.ts";
import type {
	ConversationQuery,
	ConversationVerdict,
	SealedResponse,
	StoredResponses,
} from "./stored-responses.object.ts";

/** See the methods of StoredResponses. */
interface StoredResponsesClient {
	put(response: SealedResponse): Promise<void>;
	maker(id: string): Promise<string | null>;
	read<Part extends SealedPart>(
		id: string,
		parts: readonly Part[],
		makers: ConversationQuery["makers"],
	): Promise<Record<Part, ArrayBuffer> | null>;
	remove(id: string): Promise<void>;
	conversation(query: ConversationQuery): Promise<ConversationVerdict>;
}

/** A client for the stored responses of one user. */
export function storedResponsesClient({ STORED_RESPONSES: namespace }: Env, userId: string): StoredResponsesClient {
	const twice = <T>(call: (stub: DurableObjectStub<StoredResponses>) => Promise<T>) =>
		callObject(namespace, userId, call);
	return {
		put: (response) => twice((stub) => stub.put(response)),
		maker: (id) => twice(async (stub) => await stub.maker(id)),
		read: <Part extends SealedPart>(id: string, parts: readonly Part[], makers: ConversationQuery["makers"]) =>
			twice(async (stub) => (await stub.read(id, parts, makers)) as Record<Part, ArrayBuffer> | null),
		remove: (id) => twice((stub) => stub.remove(id)),
		conversation: (query) => twice(async (stub) => (await stub.conversation(query)) as ConversationVerdict),
	};
}
