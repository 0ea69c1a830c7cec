// Twenty jobs of an agent with tools through the front door, each with a right answer that its check works out by itself. The model is
// a script that is competent and loose. `npm run eval:agent-jobs` prints what each came to; VITE_JOBS_SEED makes other data.
import { describe, expect, it } from "vitest";
import { expectSettled } from "../support/agents.ts";
import { makeJobs } from "../support/jobs/all-jobs.ts";
import { type JobAtWork, jobModel, MANNERS } from "../support/jobs/job-model.ts";
import { type JobKeys, runJob } from "../support/jobs/run-job.ts";
import { useService } from "../support/per-test.ts";
import { callWithKey } from "../support/service.ts";

const SEED = Number(import.meta.env["VITE_JOBS_SEED"] ?? 1);
const PRINTS = import.meta.env["VITE_JOBS_PRINT"] === "1";
/** Providers of other formats than the script's. */
const ONLY_OPENAI_FORMAT = { blocked: ["anthropic", "google"] };

const { upstream, key } = useService("pro");

async function newRoleKey(role: "agent" | "approver"): Promise<string> {
	const response = await callWithKey(key.key, "/v1/keys", { name: role, role });
	const made = (await response.json()) as { key: string };
	expect(response.status).toBeLessThan(300);
	return made.key;
}

describe("an agent with tools", () => {
	const manners = (at: number) => MANNERS[at % MANNERS.length] ?? "plain";
	const jobs = makeJobs(SEED).map((job, at) => ({ job, at, manner: manners(at) }));

	it.each(jobs.map(({ job, at, manner }) => ({ name: job.name, at, manner, job })))(
		"job $at, $manner: $name",
		async ({ at, job, manner }) => {
			const work: JobAtWork = { job, mark: `Job ${at} of seed ${SEED}.`, manner, answer: null };
			upstream.replace(jobModel([work]));
			const keys: JobKeys = { agent: await newRoleKey("agent"), approver: await newRoleKey("approver") };
			const { run, resolves, fault } = await runJob(job, work.mark, key.key, keys, {
				brain_config: ONLY_OPENAI_FORMAT,
			});
			const calls = run.tool_calls?.requested ?? 0;
			const cost = run.cost_consumed_usd.toFixed(5);
			if (PRINTS)
				console.log(
					`${fault === null ? "right" : "WRONG"}  ${job.name}: ${calls} calls, ${resolves} answers, ${cost} USD`,
				);
			expect(fault).toBeNull();
			await expectSettled(key, run);
		},
	);
});
