// A closed-loop load generator: N connections, each sending its next request when the last is answered.
import { Agent, request } from "node:http";

const REQUEST_TIMEOUT_MS = 20_000;
/** The first delta that says something; the chunk before it only says who speaks. */
const FIRST_DELTA = /"content":"[^"]/;

/** Something that answers `POST /v1/chat/completions`. */
export interface LoadTarget {
	name: "bare" | "svc";
	/** Origin, without a trailing slash. */
	url: string;
	/** The API key of the next request. */
	nextKey(): string;
	stop(): Promise<void>;
}

/** A chat request, ready to send. */
export interface ChatLoad {
	body: Buffer;
	streamed: boolean;
}

/** What came of one request; times from sending it. */
export interface Answered {
	answer: Buffer;
	/** To the last byte. */
	latencyMs: number;
	/** To the first delta with text; null for an answer that is not streamed. */
	firstDeltaMs: number | null;
}

/** When a round ends: at the first of the two limits. */
export interface RoundLimits {
	connections: number;
	durationMs: number;
	maxRequests: number;
}

export interface Round {
	/** One per request, from sending it to the last byte of the answer. */
	latenciesMs: number[];
	/** One per streamed request, from sending it to the first delta with text. */
	firstDeltasMs: number[];
	elapsedMs: number;
}

/** Why an answer does not count, or null: a benchmark of refusals or of broken streams would measure nothing. */
function faultOf(target: LoadTarget, load: ChatLoad, status: number | undefined, answer: Buffer): string | null {
	const text = () => answer.toString("utf8");
	if (status !== 200) return `answered ${status}: ${text().slice(0, 500)}`;
	if (load.streamed && !text().endsWith("data: [DONE]\n\n")) return `broke off its stream: ${text().slice(-500)}`;
	if (target.name === "svc" && !answer.includes('"signature":"')) return "left out a signed receipt";
	return null;
}

/**
 * Sends one request and reads its answer to the end.
 * @throws Error for a broken connection, every status but 200, a stream without its end, an answer of the service without a signed receipt.
 */
export function post(target: LoadTarget, agent: Agent, load: ChatLoad): Promise<Answered> {
	return new Promise((resolve, reject) => {
		const failed = (why: string) => reject(new Error(`benchmark failed: ${target.name} ${why}`));
		const headers = {
			authorization: `Bearer ${target.nextKey()}`,
			"content-type": "application/json",
			"content-length": load.body.byteLength,
		};
		const options = { agent, method: "POST", headers, timeout: REQUEST_TIMEOUT_MS };
		const sentMs = performance.now();
		const sent = request(`${target.url}/v1/chat/completions`, options, (response) => {
			const pieces: Buffer[] = [];
			let firstDeltaMs: number | null = null;
			response.on("data", (piece: Buffer) => {
				pieces.push(piece);
				if (!load.streamed || firstDeltaMs !== null) return;
				if (FIRST_DELTA.test(Buffer.concat(pieces).toString("latin1"))) firstDeltaMs = performance.now() - sentMs;
			});
			response.on("error", (error) => failed(`broke off its answer: ${error.message}`));
			response.on("end", () => {
				const latencyMs = performance.now() - sentMs;
				const answer = Buffer.concat(pieces);
				const fault = faultOf(target, load, response.statusCode, answer);
				if (fault === null) resolve({ answer, latencyMs, firstDeltaMs });
				else failed(fault);
			});
		});
		sent.on("timeout", () => sent.destroy(new Error(`no answer in ${REQUEST_TIMEOUT_MS} ms`)));
		sent.on("error", (error) => failed(`could not be called: ${error.message}`));
		sent.end(load.body);
	});
}

/**
 * Runs one round on fresh connections.
 * @param loads taken in turn.
 * @throws Error after the first request that fails.
 */
export async function runRound(target: LoadTarget, loads: readonly ChatLoad[], limits: RoundLimits): Promise<Round> {
	const agent = new Agent({ keepAlive: true, maxSockets: limits.connections });
	const latenciesMs: number[] = [];
	const firstDeltasMs: number[] = [];
	const startMs = performance.now();
	const endMs = startMs + limits.durationMs;
	let requestsLeft = limits.maxRequests;

	const connection = async () => {
		while (requestsLeft > 0 && performance.now() < endMs) {
			const load = loads[requestsLeft-- % loads.length];
			if (!load) throw new Error("a round without anything to send");
			const { latencyMs, firstDeltaMs } = await post(target, agent, load);
			latenciesMs.push(latencyMs);
			if (firstDeltaMs !== null) firstDeltasMs.push(firstDeltaMs);
		}
	};
	try {
		await Promise.all(Array.from({ length: limits.connections }, connection));
		return { latenciesMs, firstDeltasMs, elapsedMs: performance.now() - startMs };
	} finally {
		requestsLeft = 0;
		agent.destroy();
	}
}
