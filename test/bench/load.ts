// Loads, targets and rounds, and the built-in generator: N connections, each of which sends its next request after an answer.
import { Agent, request } from "node:http";
import { percentile } from "./statistics.ts";
import { nextBody, type VariedBody } from "./varied.ts";

const REQUEST_TIMEOUT_MS = 20_000;
/** The first delta with text. The chunk before it has the role only. */
const FIRST_DELTA = /"content":"[^"]/;

/** Something that answers `POST /v1/chat/completions`. */
export interface LoadTarget {
	name: string;
	/** Origin, without a trailing slash. */
	url: string;
	/** API keys, used in turn. */
	keys: readonly string[];
	/** Sent with every request. */
	headers: Readonly<Record<string, string>>;
	/** Its process; null if unknown. */
	pid: number | null;
	/** Whether it signs. An answer that should be signed and is not is a fault then. */
	signs: boolean;
	/** Contained in every sound answer of this target, instead of the load's text; null where the load says it. */
	expected: string | null;
	/** Origin of V8's inspector; null if none listens. */
	inspectorUrl: string | null;
	stop(): Promise<void>;
}

/** A request, ready to send but for what makes it another than the one before. */
export interface Load {
	path: string;
	body: VariedBody;
	streamed: boolean;
	/** Contained in every sound answer. */
	expected: string;
	/** Whether `expected` comes only with the end of a stream. Other streams end with `[DONE]`. */
	isEndExpected?: true;
	/** Whether the service signs its answer. */
	signed: boolean;
}

/** One answer with its times, counted from sending the request. */
export interface TimedAnswer {
	answer: Buffer;
	/** To the last byte. */
	latencyMs: number;
	/** To the first delta with text; null for an answer that is not streamed. */
	firstDeltaMs: number | null;
}

/** A round ends at the first of the two limits. */
export interface RoundLimits {
	connections: number;
	durationMs: number;
	maxRequests: number;
}

/** The answers of one round, summed up. */
export interface RoundAnswers {
	requests: number;
	elapsedMs: number;
	/** From sending a request to the last byte of the answer. */
	medianMs: number;
	p95Ms: number;
	/** To the first delta with text; null if nothing was streamed or the generator does not look for it. */
	medianFirstDeltaMs: number | null;
}

/** Sends requests until the round ends. */
export interface LoadGenerator {
	/** Its name in reports. */
	name: string;
	run(target: LoadTarget, load: Load, limits: RoundLimits): Promise<RoundAnswers>;
}

/** Says why an answer is not sound; null if it is. A benchmark of refusals or broken streams would measure nothing. */
function findAnswerFault(target: LoadTarget, load: Load, status: number | undefined, answer: Buffer): string | null {
	const text = () => answer.toString("utf8");
	if (status === undefined || status < 200 || status > 299) return `answered ${status}: ${text().slice(0, 500)}`;
	if (load.streamed && !load.isEndExpected && !text().trimEnd().endsWith("data: [DONE]"))
		return `broke off its stream: ${text().slice(-500)}`;
	if (!answer.includes(target.expected ?? load.expected)) return `answered something else: ${text().slice(0, 500)}`;
	if (target.signs && load.signed && !answer.includes('"signature":"')) return "left out a signature";
	return null;
}

/** The key of a target's n-th request. Keys take turns, so that no user reaches a limit before the others. */
function nthKey({ keys }: LoadTarget, n: number): string {
	return keys[n % keys.length] ?? "bench";
}

let sentBefore = 0;

/**
 * Sends one request and reads its answer to the end.
 * @param key the target's next one by default.
 * @throws Error for a broken connection, an error status, a stream without its end, or an answer without the expected text.
 */
export function sendRequest(
	target: LoadTarget,
	agent: Agent,
	load: Load,
	key = nthKey(target, sentBefore++),
): Promise<TimedAnswer> {
	return new Promise((resolve, reject) => {
		const failed = (why: string) => reject(new Error(`benchmark failed: ${target.name} ${why}`));
		const headers = {
			...target.headers,
			authorization: `Bearer ${key}`,
			"content-type": "application/json",
			"content-length": load.body.byteLength,
		};
		const options = { agent, method: "POST", headers, timeout: REQUEST_TIMEOUT_MS };
		const sentMs = performance.now();
		const sent = request(`${target.url}${load.path}`, options, (response) => {
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
				const fault = findAnswerFault(target, load, response.statusCode, answer);
				if (fault === null) resolve({ answer, latencyMs, firstDeltaMs });
				else failed(fault);
			});
		});
		sent.on("timeout", () => sent.destroy(new Error(`no answer in ${REQUEST_TIMEOUT_MS} ms`)));
		sent.on("error", (error: NodeJS.ErrnoException) => {
			// A server may close an idle connection just as it is used again (node:http, `reusedSocket`); nothing was answered then.
			if (sent.reusedSocket && error.code === "ECONNRESET") resolve(sendRequest(target, agent, load, key));
			else failed(`could not be called: ${error.message}`);
		});
		sent.end(nextBody(load.body));
	});
}

/**
 * Runs one round on fresh connections.
 * @param loads taken in turn.
 * @throws Error after the first request that fails.
 */
export async function runRound(target: LoadTarget, loads: readonly Load[], limits: RoundLimits): Promise<RoundAnswers> {
	const agent = new Agent({ keepAlive: true, maxSockets: limits.connections });
	const latenciesMs: number[] = [];
	const firstDeltasMs: number[] = [];
	const startMs = performance.now();
	const endMs = startMs + limits.durationMs;
	let requestsLeft = limits.maxRequests;
	let next = 0;

	const connection = async () => {
		while (requestsLeft > 0 && performance.now() < endMs) {
			requestsLeft--;
			const load = loads[next++ % loads.length];
			if (!load) throw new Error("a round without anything to send");
			const { latencyMs, firstDeltaMs } = await sendRequest(target, agent, load);
			latenciesMs.push(latencyMs);
			if (firstDeltaMs !== null) firstDeltasMs.push(firstDeltaMs);
		}
	};
	try {
		await Promise.all(Array.from({ length: limits.connections }, connection));
		return {
			requests: latenciesMs.length,
			elapsedMs: performance.now() - startMs,
			medianMs: percentile(latenciesMs, 0.5),
			p95Ms: percentile(latenciesMs, 0.95),
			medianFirstDeltaMs: firstDeltasMs.length === 0 ? null : percentile(firstDeltasMs, 0.5),
		};
	} finally {
		requestsLeft = 0;
		agent.destroy();
	}
}

/** Checks every answer, which costs the machine more than wrk does. */
export const builtInGenerator: LoadGenerator = {
	name: "the built-in generator (node:http)",
	run: (target, load, limits) => runRound(target, [load], limits),
};
