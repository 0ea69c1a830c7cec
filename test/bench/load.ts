// A closed-loop load generator: N connections, each sending its next request when the last is answered.
import { Agent, request } from "node:http";

const REQUEST_TIMEOUT_MS = 20_000;

/** Something that answers `POST /v1/chat/completions`. */
export interface LoadTarget {
	name: "bare" | "svc";
	/** Origin, without a trailing slash. */
	url: string;
	/** The API key of the next request. */
	nextKey(): string;
	stop(): Promise<void>;
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
	elapsedMs: number;
}

/**
 * Sends one request and reads its answer to the end.
 * @throws Error for a broken connection and for every status but 200; a benchmark of refusals would measure nothing.
 */
export function post(target: LoadTarget, agent: Agent, body: Buffer): Promise<Buffer> {
	return new Promise((resolve, reject) => {
		const failed = (why: string) => reject(new Error(`benchmark failed: ${target.name} ${why}`));
		const headers = {
			authorization: `Bearer ${target.nextKey()}`,
			"content-type": "application/json",
			"content-length": body.byteLength,
		};
		const options = { agent, method: "POST", headers, timeout: REQUEST_TIMEOUT_MS };
		const sent = request(`${target.url}/v1/chat/completions`, options, (response) => {
			const pieces: Buffer[] = [];
			response.on("data", (piece: Buffer) => pieces.push(piece));
			response.on("error", (error) => failed(`broke off its answer: ${error.message}`));
			response.on("end", () => {
				const answer = Buffer.concat(pieces);
				if (response.statusCode === 200) resolve(answer);
				else failed(`answered ${response.statusCode}: ${answer.toString("utf8").slice(0, 500)}`);
			});
		});
		sent.on("timeout", () => sent.destroy(new Error(`no answer in ${REQUEST_TIMEOUT_MS} ms`)));
		sent.on("error", (error) => failed(`could not be called: ${error.message}`));
		sent.end(body);
	});
}

/**
 * Runs one round on fresh connections.
 * @throws Error after the first request that fails.
 */
export async function runRound(target: LoadTarget, body: Buffer, limits: RoundLimits): Promise<Round> {
	const agent = new Agent({ keepAlive: true, maxSockets: limits.connections });
	const latenciesMs: number[] = [];
	const startMs = performance.now();
	const endMs = startMs + limits.durationMs;
	let requestsLeft = limits.maxRequests;

	const connection = async () => {
		while (requestsLeft > 0 && performance.now() < endMs) {
			requestsLeft--;
			const sentMs = performance.now();
			await post(target, agent, body);
			latenciesMs.push(performance.now() - sentMs);
		}
	};
	try {
		await Promise.all(Array.from({ length: limits.connections }, connection));
		return { latenciesMs, elapsedMs: performance.now() - startMs };
	} finally {
		requestsLeft = 0;
		agent.destroy();
	}
}
