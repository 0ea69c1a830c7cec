// What one tenant costs another: a quiet one sends small chats one after another, alone, and while four connections of a second
// tenant send the dearest body of an endpoint.
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { type LoadTarget, sendRequest } from "./load.ts";
import { WHOLE } from "./loads.ts";
import { NEIGHBOUR_LOADS, type NeighbourLoad, neighbourLoads } from "./neighbour-loads.ts";
import { percentile } from "./statistics.ts";
import { nextBody } from "./varied.ts";

const CONNECTIONS = 4;
/** The neighbour is under way, and its first bodies are read, before the quiet tenant is measured. */
const LEAD_MS = 500;
const ANSWER_TIMEOUT_MS = 60_000;
/** Users in turn that are the quiet tenant, and the time between its requests: one user would pass the limit of its plan and be refused. */
const QUIET_USERS = 6;
const QUIET_PAUSE_MS = 20;

/** How many users the loads take: the quiet ones, and one for each load. */
export function countNeighbourUsers(): number {
	return QUIET_USERS + NEIGHBOUR_LOADS;
}

/** What the quiet tenant waits. */
interface Latencies {
	requests: number;
	/** Those without the right answer. */
	failures: number;
	medianMs: number;
	p99Ms: number;
}

export interface NeighbourFigures {
	name: string;
	alone: Latencies;
	besides: Latencies;
	/** Of the 99th percentiles, under load to alone. */
	p99Ratio: number;
	/** How many answers the neighbour got, by status. */
	answers: Record<string, number>;
}

/** Sends one request of the neighbour. Any answer will do; a broken connection counts as status 0. */
function sendNoise(url: string, key: string, agent: Agent, { path, body }: NeighbourLoad): Promise<number> {
	return new Promise((resolve) => {
		const headers = {
			authorization: `Bearer ${key}`,
			"content-type": "application/json",
			"content-length": body.byteLength,
		};
		const sent = request(
			`${url}${path}`,
			{ agent, method: "POST", headers, timeout: ANSWER_TIMEOUT_MS },
			(response) => {
				response.resume();
				response.on("close", () => resolve(response.statusCode ?? 0));
			},
		);
		sent.on("timeout", () => sent.destroy());
		sent.on("error", () => resolve(0));
		sent.end(nextBody(body));
	});
}

/** Sends small chats one after another. */
async function measureQuiet(target: LoadTarget, keys: readonly string[], durationMs: number): Promise<Latencies> {
	const agent = new Agent({ keepAlive: true, maxSockets: 1 });
	const latencies: number[] = [];
	let failures = 0;
	const endMs = performance.now() + durationMs;
	try {
		do {
			const sentMs = performance.now();
			// An answer that does not come in time counts with the time that was waited for it.
			const key = keys[latencies.length % keys.length];
			const answered = await sendRequest(target, agent, WHOLE, key).catch(() => null);
			const latencyMs = performance.now() - sentMs;
			latencies.push(answered?.latencyMs ?? latencyMs);
			if (!answered) failures++;
			await delay(Math.max(0, QUIET_PAUSE_MS - latencyMs));
		} while (performance.now() < endMs);
	} finally {
		agent.destroy();
	}
	return {
		requests: latencies.length,
		failures,
		medianMs: percentile(latencies, 0.5),
		p99Ms: percentile(latencies, 0.99),
	};
}

/** Measures the quiet tenant beside one load, and alone just before. */
async function measureBeside(
	target: LoadTarget,
	{ quietKeys, noisyKey }: { quietKeys: readonly string[]; noisyKey: string },
	load: NeighbourLoad,
	durationMs: number,
): Promise<NeighbourFigures> {
	const alone = await measureQuiet(target, quietKeys, durationMs);
	const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
	const answers: Record<string, number> = {};
	let isOver = false;
	const connection = async () => {
		while (!isOver) {
			const status = await sendNoise(target.url, noisyKey, agent, load);
			answers[status] = (answers[status] ?? 0) + 1;
			// A refusal comes fast. Sent again at once, it would measure refusals only.
			if (status === 429 || status === 503) await delay(100);
		}
	};
	const noise = Promise.all(Array.from({ length: CONNECTIONS }, connection));
	try {
		await delay(LEAD_MS);
		const besides = await measureQuiet(target, quietKeys, durationMs);
		return { name: load.name, alone, besides, p99Ratio: besides.p99Ms / alone.p99Ms, answers };
	} finally {
		isOver = true;
		await noise;
		agent.destroy();
	}
}

/**
 * Measures the quiet tenant beside each load whose name contains a text.
 * @param target a service with keys of as many users as {@link countNeighbourUsers} says.
 */
export async function measureNeighbours(
	target: LoadTarget,
	{ wanted, durationMs }: { wanted: string; durationMs: number },
	onProgress: (text: string) => void,
): Promise<NeighbourFigures[]> {
	const quietKeys = target.keys.slice(0, QUIET_USERS);
	const noisyKeys = target.keys.slice(QUIET_USERS);
	await measureQuiet(target, quietKeys, durationMs);
	const figures: NeighbourFigures[] = [];
	for (const load of neighbourLoads(wanted)) {
		// A user of its own: one that has sent much before would be refused, which costs less than an answer.
		const noisyKey = noisyKeys.shift();
		if (noisyKey === undefined) throw new Error(`neighbours need ${countNeighbourUsers()} users`);
		const measured = await measureBeside(target, { quietKeys, noisyKey }, load, durationMs);
		figures.push(measured);
		onProgress(
			`${load.name}: p99 ${measured.alone.p99Ms.toFixed(0)} ms alone, ${measured.besides.p99Ms.toFixed(0)} ms beside, ${measured.besides.failures} failed; ${JSON.stringify(measured.answers)}`,
		);
	}
	return figures;
}
