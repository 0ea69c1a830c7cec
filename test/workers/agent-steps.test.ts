// What the steps of a run share of their prompts, and what that saves where a provider caches prompts.
import { describe, expect, it } from "vitest";
import { expectAccounted, postRun, runAgent } from "../support/agents.ts";
import { useService } from "../support/per-test.ts";
import { PrefixCache } from "../support/prefix-cache.ts";
import { answers } from "../support/scripted.ts";

const { upstream, key } = useService("pro");

const PARTS = 17;
const SHEET = Array.from(
	{ length: 480 },
	(_, at) => `Line ${at}: the meter of house ${at} stood at ${7 * at} litres in May.`,
);
/** A goal of 28 KB. */
const LONG_GOAL = `Answer ${PARTS} questions on this sheet, each in a sentence.\n\n${SHEET.join("\n")}`.slice(
	0,
	28_000,
);

const ONLY_OPENAI = [
	"anthropic",
	"google",
	"mistral",
	"xai",
	"deepseek",
	"cohere",
	"groq",
	"deepinfra",
	"alibaba",
	"moonshot",
	"zai",
];
const OPENAI_FORMAT = { blocked: ["anthropic", "google"] };

function say(prompt: string): string {
	if (!prompt.includes('{"subtasks": [')) return "It is as the sheet says, no more and no less.";
	return JSON.stringify({
		subtasks: Array.from({ length: PARTS }, (_, at) => ({
			title: `Q ${at}`,
			task: `Answer question ${at}`,
			is_section: false,
		})),
	});
}

describe("the steps of a run on a long goal", () => {
	it("share the goal as the beginning of their prompts, so that it is paid for once where prompts are cached", async () => {
		const cache = new PrefixCache(say);
		upstream.replace((request) => cache.answer(request));
		const run = await runAgent(key, { goal: LONG_GOAL, brain_config: OPENAI_FORMAT });
		const tokens = cache.requests.reduce((sum, { prompt }) => sum + prompt.length / 4, 0);
		const cached = cache.requests.reduce((sum, { cachedTokens }) => sum + cachedTokens, 0);
		expect(run).toMatchObject({ status: "complete", steps_taken: PARTS + 2 });
		const [, ...later] = cache.requests;
		for (const { sharedChars } of later) expect(sharedChars).toBeGreaterThan(LONG_GOAL.length);
		expect(cached / tokens).toBeGreaterThan(0.8);
		await expectAccounted(key, run);
	});
});

describe("a run", () => {
	it("tells each step the date after the goal, in UTC or in the request's time zone", async () => {
		const dates = async (body: Record<string, unknown>) => {
			const before = upstream.requests.length;
			await runAgent(key, { policy: "efficiency", ...body });
			const prompts = upstream.requests.slice(before).map((request) => JSON.stringify(request.body));
			expect(prompts.length).toBeGreaterThan(2);
			return new Set(prompts.map((prompt) => /<<end of goal 1 \w+>>\\n\\nToday is ([^.]+)\./.exec(prompt)?.[1]));
		};
		const [ofUtc, ...others] = await dates({});
		expect([ofUtc, others]).toEqual([expect.stringMatching(/^[A-Z][a-z]+day, \d{4}-\d\d-\d\d \(UTC\)$/), []]);
		// Its day is never that of UTC from 10:00 on, and before that the one of Niue is another.
		const zones = await Promise.all(["Pacific/Kiritimati", "Pacific/Niue"].map((time_zone) => dates({ time_zone })));
		const days = new Set([ofUtc, ...zones.flatMap((zone) => [...zone])].map((date) => date?.split(" (")[0]));
		expect(days.size).toBeGreaterThan(1);
	});

	it("of a trivial goal is one step, the final one", async () => {
		const run = await runAgent(key, { goal: "hey" });
		expect(run).toMatchObject({ status: "complete", plan: ["hey"], steps_taken: 1 });
		expect(run.steps).toMatchObject([{ role: "finalize", strategy: "single" }]);
		expect(run.output).toBe("The sandbox has done: hey.");
		expect(upstream.requests).toHaveLength(1);
		await expectAccounted(key, run);
	});

	it("whose plan is dropped asks for it once more, before it takes the goal's structure", async () => {
		const dropPlans = (times: number) => {
			let dropped = 0;
			upstream.replace(async (request) => {
				if (!(await request.text()).includes("You split the goal") || dropped++ >= times) return undefined;
				return new Response("{}", { status: 500 });
			});
		};
		const plannedBy = async () =>
			/"type":"planned".*"by":"(\w+)"/.exec(await (await postRun(key, { stream: true })).text())?.[1];
		// Each try asks the model and its fallbacks.
		dropPlans(3);
		expect(await plannedBy()).toBe("model");
		dropPlans(Number.POSITIVE_INFINITY);
		expect(await plannedBy()).toBe("goal");
	});

	it("whose step is blank three times is answered by another model", async () => {
		const asked: string[] = [];
		upstream.replace(async (request) => {
			const { model } = (await request.clone().json()) as { model: string };
			if (!(await request.text()).includes("Goal 1")) return undefined;
			asked.push(model);
			return new Set(asked).size === 1 ? answers(" ") : undefined;
		});
		// Of one provider with two models, the cheaper one has no fallback that costs no more.
		const run = await runAgent(key, { goal: "hey", policy: "efficiency", brain_config: { blocked: ONLY_OPENAI } });
		expect(run.status).toBe("complete");
		expect(run.output).toContain("The sandbox has done");
		expect(new Set(asked).size).toBe(2);
		expect(asked.length).toBeLessThanOrEqual(4);
		await expectAccounted(key, run);
	});
});
