// Threads of messages, which this service does not keep. Anthropic's libraries then send the whole conversation. Pure.
import type { Failure } from "../failure.ts";
import { isJsonObject } from "../json.ts";

/**
 * The failure of a body that goes on with a thread: without it, the body holds only the end of a conversation. One that begins a
 * thread holds everything.
 */
export function findLostThread(body: Readonly<Record<string, unknown>>): Failure | null {
	const thread = body["thread"];
	if (!isJsonObject(thread) || thread["type"] !== "continue") return null;
	return { reason: "thread_not_found", message: "this service keeps no threads; send the whole conversation" };
}
