// A receiver of webhooks, in place of the network: it answers as a test says, and notes what it was sent.
import { TEST_WEBHOOK_HOST } from "./variables.ts";

export interface ReceivedWebhook {
	url: string;
	headers: Headers;
	body: string;
	redirect: string;
}

export interface WebhookReceiver {
	received: ReceivedWebhook[];
	restore(): void;
}

export const WEBHOOK_URL = `https://${TEST_WEBHOOK_HOST}/runs?token=hidden`;

/**
 * Answers what is sent to the webhooks' host; every other request goes on as before. To be called after `useSandbox`, and restored
 * before it.
 * @param answer the answer to the nth try, from 0. What it throws breaks the connection.
 */
export function useReceiver(
	answer: (nth: number, signal: AbortSignal) => Response | Promise<Response> = () => new Response(null),
): WebhookReceiver {
	const before = globalThis.fetch;
	const received: ReceivedWebhook[] = [];
	globalThis.fetch = async (input, init) => {
		const url = input instanceof Request ? input.url : String(input);
		if (new URL(url).hostname !== TEST_WEBHOOK_HOST) return before(input, init);
		const { headers, redirect, signal } = new Request(input as RequestInfo, init);
		received.push({ url, headers, body: String(init?.body), redirect });
		return answer(received.length - 1, signal);
	};
	return {
		received,
		restore() {
			globalThis.fetch = before;
		},
	};
}
