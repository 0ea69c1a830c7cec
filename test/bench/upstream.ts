// The benchmark's upstream: a worker thread that answers every POST with one fixed completion, as fast as node:http can.
import { createServer } from "node:http";
import { parentPort } from "node:worker_threads";

const COMPLETION = Buffer.from(
	JSON.stringify({
		id: "chatcmpl-bench",
		object: "chat.completion",
		created: 1_750_000_000,
		model: "bench",
		choices: [
			{
				index: 0,
				message: { role: "assistant", content: "The tide follows the moon, with some delay.", refusal: null },
				logprobs: null,
				finish_reason: "stop",
			},
		],
		usage: { prompt_tokens: 24, completion_tokens: 10, total_tokens: 34 },
	}),
);

const server = createServer((request, response) => {
	request.resume();
	request.on("end", () => {
		response.writeHead(200, { "content-type": "application/json", "content-length": COMPLETION.byteLength });
		response.end(COMPLETION);
	});
});
// Never closes an idle connection that a Worker is about to use again.
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => {
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("the upstream has no port");
	parentPort?.postMessage(address.port);
});
