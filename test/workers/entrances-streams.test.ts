// Streams of all four wires through all three entrances: what the official clients make of them is the unstreamed
// answer, and costs and receipts do not depend on the way in.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { answerIn, ask, ENTRANCES, type Entrance, type HeardAnswer, sentence } from "../support/entrances.ts";
import { useBedrock, useService } from "../support/per-test.ts";
import { providerOf } from "../support/scripted.ts";
import { call, ORIGIN, receiptOf, usageOf } from "../support/service.ts";
import { listWorkerRecordings, type WorkerRecording } from "../support/worker-recordings.ts";

type Json = Record<string, unknown>;

const { upstream, key } = useService("corporate");
useBedrock();

/** What the official client of an entrance accumulates of a stream, and the request's id. */
async function accumulateStream(entrance: Entrance, body: Json): Promise<{ id: string; answer: Json }> {
	let id = "";
	const answer = await accumulate(entrance, body, async (input, init) => {
		const response = await call(String(input).slice(ORIGIN.length), init as RequestInit);
		id = response.headers.get("x-request-id") ?? "";
		return response;
	});
	return { id, answer };
}

async function accumulate({ name }: Entrance, body: Json, fetchService: typeof fetch): Promise<Json> {
	const options = { apiKey: key.key, maxRetries: 0, fetch: fetchService };
	// The bodies are in no library's own types.
	const typed = body as never;
	switch (name) {
		case "chat": {
			const client = new OpenAI({ ...options, baseURL: `${ORIGIN}/v1` });
			const streamed = client.chat.completions.stream(
				Object.assign(typed, { stream_options: { include_usage: true } }),
			);
			return { ...(await streamed.finalChatCompletion()) };
		}
		case "responses":
			return { ...(await new OpenAI({ ...options, baseURL: `${ORIGIN}/v1` }).responses.stream(typed).finalResponse()) };
		case "messages":
			return { ...(await new Anthropic({ ...options, baseURL: ORIGIN }).messages.stream(typed).finalMessage()) };
	}
}

/** Without what is each request's own. */
function shown({ model, text, calls, usage }: HeardAnswer) {
	return { model, text, calls, usage };
}

interface Settled {
	entrance: string;
	answer: ReturnType<typeof shown>;
	receipt: Json;
	row: Json;
}

/** What a request left behind, without ids, times and the hashes of what its form is. */
async function settled(entrance: Entrance, id: string, answer: HeardAnswer): Promise<Settled> {
	const { request_id, timestamp, input_hash, output_hash, ...receipt } = await receiptOf(id);
	expect([request_id, timestamp, input_hash, output_hash]).toEqual(Array(4).fill(expect.any(String)));
	const { model, provider, mode, tokens, cost_usd } =
		(await usageOf(key)).recent.find((row) => row.request_id === id) ?? expect.fail(`no usage row of ${id}`);
	return { entrance: entrance.name, answer: shown(answer), receipt, row: { model, provider, mode, tokens, cost_usd } };
}

describe("a stream", () => {
	it.each(listWorkerRecordings())("$path is the same answer through every entrance", async (recording) => {
		const { model }: WorkerRecording = recording;
		upstream.replace(async (request) => (providerOf(request) === model.provider ? recording.read() : undefined));
		const conversation = sentence("hi", { model: model.id, maxTokens: 4_000 });
		const all: Settled[] = [];
		for (const entrance of ENTRANCES) {
			const whole = await ask(entrance, key.key, conversation);
			const id = whole.headers.get("x-request-id") ?? "";
			const unstreamed = entrance.hear(await answerIn(whole));
			expect(unstreamed.text || unstreamed.calls.length).toBeTruthy();
			all.push(await settled(entrance, id, unstreamed));
			const accumulated = await accumulateStream(entrance, entrance.toBody(conversation));
			const streamed = entrance.hear({ svc: unstreamed.svc, ...accumulated.answer });
			expect(shown(streamed), entrance.name).toEqual(shown(unstreamed));
			all.push(await settled(entrance, accumulated.id, streamed));
		}
		const [first] = all;
		for (const { entrance, ...one } of all) expect(one, entrance).toEqual({ ...first, entrance: undefined });
	});
});
