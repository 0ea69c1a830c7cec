// The benchmark's upstream, in a worker thread. A chat gets one fixed completion, whole or streamed, as fast as node:http
// allows. A call of a strategy or an agent is left to the sandbox, whose answers fit the call's stage.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { parentPort } from "node:worker_threads";
import { getRequestListener } from "@hono/node-server";
import { STAGE_HEADER } from "../../src/providers/sandbox-stage.ts";
import { createSandbox } from "../../src/sandbox/app.ts";

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

/** A prompt may set the stream's length, so that the cost of a chunk can be measured: `[[220 deltas]]`, `[[220 deltas, 2 ms apart]]`. */
const DELTAS_MARK = /\[\[(\d+) deltas(?:, (\d+) ms apart)?\]\]/;

/** A prompt with this mark gets a whole answer even if a stream was requested. Some providers do that. */
const WHOLE_MARK = "[[no stream]]";

/** Writes each event in its own turn of the event loop, so that events arrive one by one, as a model's do. */
function writeEvents(response: ServerResponse, deltas: number, intervalMs: number, next = 0): void {
	// The caller has left.
	if (response.destroyed) return;
	if (next > deltas + 1) {
		response.end(streamEnd(deltas));
		return;
	}
	response.write(next === 0 ? FIRST : next <= deltas ? DELTAS[next % DELTAS.length] : STOP);
	const writeRest = () => writeEvents(response, deltas, intervalMs, next + 1);
	if (intervalMs > 0) setTimeout(writeRest, intervalMs);
	else setImmediate(writeRest);
}

function answerChat(request: IncomingMessage, response: ServerResponse): void {
	const pieces: Buffer[] = [];
	request.on("data", (piece: Buffer) => pieces.push(piece));
	request.on("end", () => {
		const body = Buffer.concat(pieces).toString("latin1");
		if (/"stream":\s*true/.test(body) && !body.includes(WHOLE_MARK)) {
			const [, deltas = STREAM_DELTAS, intervalMs = 0] = DELTAS_MARK.exec(body) ?? [];
			response.writeHead(200, { "content-type": "text/event-stream" });
			writeEvents(response, Number(deltas), Number(intervalMs));
		} else {
			response.writeHead(200, { "content-type": "application/json", "content-length": COMPLETION.byteLength });
			response.end(COMPLETION);
		}
	});
}

const answerFromSandbox = getRequestListener(createSandbox().fetch);

/** Answered so far. */
let calls = 0;

const server = createServer((request, response) => {
	calls++;
	if (request.headers[STAGE_HEADER] === undefined) answerChat(request, response);
	else void answerFromSandbox(request, response);
});
// An idle connection stays open: a Worker may be about to use it again.
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => {
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("the upstream has no port");
	parentPort?.postMessage(address.port);
	// Each message is a request for the number of calls.
	parentPort?.on("message", () => parentPort?.postMessage(calls));
});
