// Asks the operator's analyzer what a conversation holds. Neither texts nor answers are logged.
import { withDeadline } from "../in-time.edge.ts";
import {
	type AnalyzedPart,
	MAX_ANALYZED_CHARS,
	parseAnalyzerAnswer,
	toAnalyzedParts,
	toAnalyzerRequest,
} from "./analyzer.ts";
import type { Conversation } from "./conversation.ts";
import type { Detection } from "./findings.ts";

/** How long a request waits for the analyzer. */
const TIMEOUT_MS = 5_000;

/** Many entities a text, at most; a longer answer is none. */
const MAX_ANSWER_BYTES = 16 * MAX_ANALYZED_CHARS;

/** The body as text; null if it is too long. */
async function readBounded(body: ReadableStream<Uint8Array>): Promise<string | null> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of body) {
		text += decoder.decode(chunk, { stream: true });
		if (text.length > MAX_ANSWER_BYTES) return null;
	}
	return text + decoder.decode();
}

async function postParts(
	address: string,
	parts: readonly AnalyzedPart[],
	signal: AbortSignal,
): Promise<Detection | null> {
	try {
		const response = await fetch(`${address}/analyze`, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify(toAnalyzerRequest(parts)),
			redirect: "manual",
			signal,
		});
		const text = response.ok && response.body ? await readBounded(response.body) : null;
		return text === null ? null : parseAnalyzerAnswer(JSON.parse(text), parts);
	} catch {
		// No connection, broken off, or no JSON: for the caller all are one.
		return null;
	}
}

/**
 * What the analyzer found.
 * @param address the part before `/analyze`.
 * @returns null if it did not answer in time, or with anything but entities; or if the conversation is too long for it.
 */
export async function analyzeConversation(address: string, conversation: Conversation): Promise<Detection | null> {
	const parts = toAnalyzedParts(conversation);
	if (parts === null) return null;
	if (parts.length === 0) return parseAnalyzerAnswer([], []);
	const abort = new AbortController();
	return withDeadline(postParts(address, parts, abort.signal), TIMEOUT_MS, () => {
		abort.abort();
		return null;
	});
}
