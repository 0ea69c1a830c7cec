// `npm run bench:lookups`: how long a user's chats take while strangers look up a thousand of the user's receipts a second. It prints figures
// and judges none. -- [--seconds S] [--rate N]
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import * as z from "zod";
import { applyLocalMigrations, buildBundle } from "../../src/cli/local-service.ts";
import { type LoadTarget, sendRequest } from "./load.ts";
import { WHOLE } from "./loads.ts";
import { percentile } from "./statistics.ts";
import { startSvc } from "./svc-target.ts";
import { renderFigure, renderTable } from "./table.ts";
import { startUpstream } from "./targets.ts";

/** Chats of the user, so that the plan's limit of 1,000 a minute is far. */
const CHATS_PER_SECOND = 8;
const RECEIPTS = 300;
const ROUNDS = 3;

const idSchema = z.object({ id: z.string() });

/** Sends chats of one user at even distances. @returns their latencies, ms. */
async function chatFor(target: LoadTarget, durationMs: number): Promise<number[]> {
	const agent = new Agent({ keepAlive: true });
	const pending: Promise<number>[] = [];
	for (let endsAt = Date.now() + durationMs; Date.now() < endsAt; await delay(1_000 / CHATS_PER_SECOND))
		pending.push(sendRequest(target, agent, WHOLE).then(({ latencyMs }) => latencyMs));
	const latencies = await Promise.all(pending);
	agent.destroy();
	return latencies;
}

/** The status of one look-up. */
function lookUp(target: LoadTarget, id: string, agent: Agent): Promise<number> {
	return new Promise((resolve, reject) => {
		const sent = request(`${target.url}/v1/proof/${id}`, { agent }, (response) => {
			response.resume();
			response.on("end", () => resolve(response.statusCode ?? 0));
		});
		sent.on("error", reject);
		sent.end();
	});
}

/** Looks up receipts at a rate until it is stopped. @returns how many answers had which status. */
async function lookUpUntil(target: LoadTarget, ids: readonly string[], perSecond: number, stop: AbortSignal) {
	const agent = new Agent({ keepAlive: true, maxSockets: 32 });
	const statuses = new Map<number, number>();
	const pending = new Set<Promise<void>>();
	const startedAt = performance.now();
	for (let sent = 0; !stop.aborted; await delay(5)) {
		const due = ((performance.now() - startedAt) / 1_000) * perSecond;
		for (; sent < due && pending.size < 500; sent++) {
			const one = lookUp(target, ids[sent % ids.length] ?? "", agent).then((status) => {
				statuses.set(status, (statuses.get(status) ?? 0) + 1);
				pending.delete(one);
			});
			pending.add(one);
		}
	}
	await Promise.all(pending);
	agent.destroy();
	return statuses;
}

async function measure(): Promise<void> {
	const { values } = parseArgs({
		options: { seconds: { type: "string", default: "15" }, rate: { type: "string", default: "1000" } },
	});
	const durationMs = 1_000 * Number(values.seconds);
	const folder = mkdtempSync(join(tmpdir(), "svc-lookups-"));
	process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
	const upstream = await startUpstream();
	const bundleDir = await buildBundle(join(folder, "bundle"));
	const stateDir = join(folder, "state");
	await applyLocalMigrations(stateDir);
	const svc = await startSvc(upstream.url, { bundleDir, stateDir, users: 1, inspected: false });
	try {
		const agent = new Agent({ keepAlive: true });
		const ids: string[] = [];
		while (ids.length < RECEIPTS)
			ids.push(idSchema.parse(JSON.parse((await sendRequest(svc, agent, WHOLE)).answer.toString("utf8"))).id);
		agent.destroy();
		const alone: number[] = [];
		const beside: number[] = [];
		const statuses = new Map<number, number>();
		for (let round = 0; round < ROUNDS; round++) {
			alone.push(...(await chatFor(svc, durationMs)));
			const stop = new AbortController();
			const lookups = lookUpUntil(svc, ids, Number(values.rate), stop.signal);
			beside.push(...(await chatFor(svc, durationMs)));
			stop.abort();
			for (const [status, count] of await lookups) statuses.set(status, (statuses.get(status) ?? 0) + count);
		}
		const cells = (name: string, latencies: number[]) => [
			name,
			...[0.5, 0.95, 0.99].map((share) => renderFigure(percentile(latencies, share))),
		];
		console.log(
			renderTable([["chats, ms", "median", "p95", "p99"], cells("alone", alone), cells("beside look-ups", beside)]),
		);
		console.log([...statuses].map(([status, count]) => `${count} look-ups answered ${status}`).join(", "));
	} finally {
		await svc.stop();
		await upstream.stop();
	}
}

measure().catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
