// The benchmark's upstream: a worker thread that answers every POST with one fixed completion, whole or as a stream, as fast as node:http can.
import { createServer, type ServerResponse } from "node:http";
import { parentPort } from "node:worker_threads";

const HEAD = { id: "chatcmpl-bench", created: 1_750_000_000, model: "bench" };
const PROMPT_TOKENS = 24;
const STREAM_DELTAS = 20;

function tokenUsage(completionTokens: number) {
	return {
		prompt_tokens: PROMPT_TOKENS,
		completion_tokens: completionTokens,
		total_tokens: PROMPT_TOKENS + completionTokens,
	};
}

const COMPLETION = Buffer.from(
	JSON.stringify({
		...HEAD,
		object: "chat.completion",
		choices: [
			{
				index: 0,
				message: { role: "assistant", content: "The tide follows the moon, with some delay.", refusal: null },
				logprobs: null,
				finish_reason: "stop",
			},
		],
		usage: tokenUsage(10),
	}),
);

function completionChunk(choices: unknown[], usage: unknown = null): Buffer {
	return Buffer.from(`data: ${JSON.stringify({ ...HEAD, object: "chat.completion.chunk", choices, usage })}\n\n`);
}

function deltaChunk(delta: Record<string, unknown>, finishReason: string | null = null): Buffer {
	return completionChunk([{ index: 0, delta, logprobs: null, finish_reason: finishReason }]);
}

const FIRST = deltaChunk({ role: "assistant", content: "", refusal: null });
const DELTAS = Array.from({ length: STREAM_DELTAS }, (_, piece) => deltaChunk({ content: `piece ${piece} ` }));
const STOP = deltaChunk({}, "stop");

function streamEnd(deltas: number): Buffer {
	return Buffer.concat([completionChunk([], tokenUsage(2 * deltas)), Buffer.from("data: [DONE]\n\n")]);
}

/** What a prompt may ask for, so that a chunk's price can be told from a request's: `[[220 deltas]]`, `[[220 deltas, 2 ms apart]]`. */
const DELTAS_MARK = /\[\[(\d+) deltas(?:, (\d+) ms apart)?\]\]/;

/** A prompt that gets a whole answer even when a stream was asked for, as some upstreams give. */
const WHOLE_MARK = "[[no stream]]";

/** Each event in a turn of its own, so that they arrive one by one, as a model's do. */
function writeEvents(response: ServerResponse, deltas: number, everyMs: number, next = 0): void {
	// A caller that went away is told nothing more.
	if (response.destroyed) return;
	if (next > deltas + 1) {
		response.end(streamEnd(deltas));
		return;
	}
	response.write(next === 0 ? FIRST : next <= deltas ? DELTAS[next % DELTAS.length] : STOP);
	const more = () => writeEvents(response, deltas, everyMs, next + 1);
	if (everyMs > 0) setTimeout(more, everyMs);
	else setImmediate(more);
}

const server = createServer((request, response) => {
	const pieces: Buffer[] = [];
	request.on("data", (piece: Buffer) => pieces.push(piece));
	request.on("end", () => {
		const asked = Buffer.concat(pieces).toString("latin1");
		if (/"stream":\s*true/.test(asked) && !asked.includes(WHOLE_MARK)) {
			const [, deltas = STREAM_DELTAS, everyMs = 0] = DELTAS_MARK.exec(asked) ?? [];
			response.writeHead(200, { "content-type": "text/event-stream" });
			writeEvents(response, Number(deltas), Number(everyMs));
		} else {
			response.writeHead(200, { "content-type": "application/json", "content-length": COMPLETION.byteLength });
			response.end(COMPLETION);
		}
	});
});
// Never closes an idle connection that a Worker is about to use again.
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => {
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("the upstream has no port");
	parentPort?.postMessage(address.port);
});
