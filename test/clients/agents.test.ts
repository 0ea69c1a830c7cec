// Runs of agents on the real service: after a power cut in the middle of several, each goes on to its end, proved and spent once.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type Launch, ServiceHome, until } from "./process.ts";
import { fetchPems, fetchProof, isSound } from "./support.ts";

/** The first begins a step before the others, so that they are not all at the same one when the power goes. */
const RUNS = 5;
/** Each run has more than three steps: none ends while it is watched. */
const GOAL = "Name a river. Name a hill. Name a lake [[slow 3000]]";

const runSchema = z.looseObject({
	run_id: z.string(),
	status: z.string(),
	steps_taken: z.int(),
	cost_consumed_usd: z.number(),
	max_cost_usd: z.number(),
	trajectory_proof: z.string(),
});
const listSchema = z.looseObject({ data: z.array(runSchema) });
const usageSchema = z.looseObject({
	total_requests: z.int(),
	total_cost_usd: z.number(),
	open: z.array(z.looseObject({ request_id: z.string() })),
});

let made: ServiceHome | undefined;
let running: Launch;

function home(): ServiceHome {
	if (!made) throw new Error("there is no home to start in");
	return made;
}

async function get<T extends z.ZodType>(path: string, schema: T): Promise<z.output<T>> {
	const response = await fetch(`${home().url}${path}`, { headers: { authorization: `Bearer ${home().key()}` } });
	if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
	return schema.parse(await response.json());
}

/** The status of a run that was answered; null for one whose connection a crash cut. */
async function post(body: Record<string, unknown>): Promise<number | null> {
	const headers = { authorization: `Bearer ${home().key()}`, "content-type": "application/json" };
	try {
		const init = { method: "POST", headers, body: JSON.stringify(body) };
		const response = await fetch(`${home().url}/v1/agent/run`, init);
		await response.text();
		return response.status;
	} catch {
		return null;
	}
}

const runs = async () => (await get("/v1/agent/runs", listSchema)).data;

beforeAll(async () => {
	made = await ServiceHome.makeMigrated();
	running = await home().startReady();
});
afterAll(() => made?.remove());

describe("runs under npm start", () => {
	it("go on by themselves after a power cut at whatever step, each proved and spent once", async () => {
		const begin = () => post({ goal: GOAL, policy: "efficiency" });
		const posted = [begin()];
		await until("the first has taken a step", 20, async () => {
			// Lists show a run as it was when it began, until it waits or ends.
			const [first] = await runs();
			return first !== undefined && (await get(`/v1/agent/${first.run_id}`, runSchema)).steps_taken > 0;
		});
		while (posted.length < RUNS) posted.push(begin());
		await until("all have begun", 20, async () => (await runs()).length === RUNS);
		await home().cutPower(running);
		expect(await Promise.all(posted)).toEqual(Array(RUNS).fill(null));
		running = await home().startReady();
		await until("all are over", 100, async () => (await runs()).every(({ status }) => status !== "running"));
		const ended = await runs();
		expect(ended.map(({ status }) => status)).toEqual(Array(RUNS).fill("complete"));
		const pems = await fetchPems(home().url);
		let spent = 0;
		for (const run of ended) {
			const proof = await fetchProof(home().url, run.run_id);
			expect(proof && isSound(proof, pems), run.run_id).toBe(true);
			expect(proof?.receipt).toMatchObject({ cost_usd: run.cost_consumed_usd, trajectory_proof: run.trajectory_proof });
			expect(run.cost_consumed_usd).toBeLessThanOrEqual(run.max_cost_usd);
			spent += Math.round(run.cost_consumed_usd * 1e9);
			const bundle = await get(
				`/v1/agent/${run.run_id}/trajectory?full=true`,
				z.looseObject({ verify_request: z.looseObject({}), verification: z.looseObject({ valid: z.literal(true) }) }),
			);
			const verified = await fetch(`${home().url}/v1/agent/verify`, {
				method: "POST",
				body: JSON.stringify(bundle.verify_request),
			});
			expect(await verified.json()).toMatchObject({ valid: true, issued: true });
		}
		const usage = await get("/v1/usage", usageSchema);
		expect(usage.open).toEqual([]);
		expect(usage.total_requests).toBe(RUNS);
		expect(Math.round(usage.total_cost_usd * 1e9)).toBe(spent);
	});

	it("go on after it as before", async () => {
		expect(await post({ goal: "Name a river", policy: "efficiency", max_steps: 2 })).toBe(200);
	});
});
