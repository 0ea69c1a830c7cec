// Calls that hang in the middle of a workflow: they are left behind where the strategy can go on without them, and billed.
import { describe, expect, it } from "vitest";
import { codeSchema } from "../../src/code-mode/response.ts";
import { orchestrationSchema } from "../../src/orchestration/response.ts";
import { STAGE_HEADER } from "../../src/providers/sandbox-stage.ts";
import { useService } from "../support/per-test.ts";
import { scripted, word } from "../support/scripted.ts";
import { callWith, proofOf, usageOf, withKey } from "../support/service.ts";
import { resultsOf, stageOf } from "../support/stages.ts";

const { upstream, key } = useService("corporate");

const PROSE = "Describe for our newsletter what a lighthouse keeper in Norway does on a stormy night in winter.";
/** The providers of the others answer in formats of their own. */
const RULES = { brain_config: { blocked: ["anthropic", "google"] }, max_tokens: 64 };
/** Settings with less patience. An upstream that falls silent is not given up for that. */
function impatient(percent: number): Partial<Env> {
	return { CALL_PATIENCE_PERCENT: String(percent), UPSTREAM_IDLE_TIMEOUT_MS: "600000" } as Partial<Env>;
}

/** Has the first so many calls of some stages begin an answer and fall silent. Returns whether they were broken off. */
function hangAt(stages: RegExp, times: number): { broken: number } {
	const hung = { begun: 0, broken: 0 };
	upstream.replace(async (request) => {
		if (!stages.test(request.headers.get(STAGE_HEADER) ?? "") || hung.begun >= times) return undefined;
		hung.begun++;
		return scripted(
			async function* () {
				yield word("I begin");
				await new Promise(() => undefined);
			},
			{
				onCancel: () => {
					hung.broken++;
				},
			},
		);
	});
	return hung;
}

async function orchestrated(content: string, more: Record<string, unknown>) {
	const asked = { messages: [{ role: "user", content }], ...RULES, ...more };
	const response = await callWith(impatient(40), "/v2/orchestrate", withKey(key.key, asked));
	const body = await response.json();
	if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(body)}`);
	return orchestrationSchema.parse(body);
}

/** A call that was left is billed, and all places say the same sum. */
async function expectBilled({ svc, id }: Awaited<ReturnType<typeof orchestrated>>, left: number) {
	const behind = resultsOf({ svc }).filter(({ ok }) => !ok);
	expect(behind).toHaveLength(left);
	for (const { cost_usd } of behind) expect(cost_usd).toBeGreaterThan(0);
	expect(svc.cost.total_usd).toBeLessThanOrEqual(svc.cost.bound_usd);
	const { open, held_usd, total_cost_usd } = await usageOf(key);
	expect({ open, held_usd, total_cost_usd }).toEqual({ open: [], held_usd: 0, total_cost_usd: svc.cost.total_usd });
	const proof = await proofOf(id);
	expect(proof).toMatchObject({ valid: true, receipt: { cost_usd: svc.cost.total_usd } });
}

describe("a call that hangs", () => {
	it.each([
		["ensemble_moa", "propose"],
		["self_consistency", "sample"],
		["debate", "round:0"],
	])("of a member of %s is left behind once enough others have answered", async (strategy, stage) => {
		const hung = hangAt(new RegExp(`^${stage} `), 1);
		const answer = await orchestrated(PROSE, { strategy, k: 3 });
		expect(stageOf(answer, stage).results.filter(({ ok }) => ok)).toHaveLength(2);
		expect(hung.broken).toBe(1);
		await expectBilled(answer, 1);
	});

	it.each([
		["ensemble_moa", /^aggregate /, "aggregate", "the aggregator failed"],
		["rank_fuse", /^fuse /, "fuse", "the best of the ranking"],
		["decompose_and_route", /^synthesize /, "synthesize", "the parts in order"],
	])("of who merges in %s leaves what the members wrote", async (strategy, stages, stage, how) => {
		const hung = hangAt(stages, 1);
		const answer = await orchestrated(`${PROSE}\n1. Write it.\n2. Check it.`, { strategy });
		expect(stageOf(answer, stage).detail).toMatchObject({ how: expect.stringContaining(how) });
		expect(answer.choices[0].message.content).toContain("The sandbox answers");
		expect(hung.broken).toBe(1);
		await expectBilled(answer, 1);
	});

	it("of the judge of a debate leaves the central answer", async () => {
		const hung = hangAt(/^judge /, 1);
		const answer = await orchestrated(`[[disagree]] ${PROSE}`, { strategy: "debate" });
		expect(stageOf(answer, "judge").detail).toMatchObject({ asked: true });
		expect(answer.choices[0].message.content).toContain("The sandbox answers");
		expect(hung.broken).toBe(1);
		await expectBilled(answer, 1);
	});

	it("of a judge that compares leaves the comparison unknown", async () => {
		const hung = hangAt(/^agree /, 1);
		const answer = await orchestrated(PROSE, { strategy: "ensemble_moa" });
		expect(answer.svc.orchestration.agreement).toBe(0);
		expect(stageOf(answer, "agree").detail).toMatchObject({ verdict: "unanswered" });
		expect(hung.broken).toBe(1);
		await expectBilled(answer, 1);
	});

	it("of one verdict on a pair has it asked of another model", async () => {
		const hung = hangAt(/^rank /, 1);
		const answer = await orchestrated(PROSE, { strategy: "rank_fuse" });
		expect(stageOf(answer, "rank").detail).toMatchObject({ unreadable: 0 });
		expect(hung.broken).toBe(1);
		await expectBilled(answer, 1);
	});

	it("of a step of a cascade has the next one asked, and at the last step the answer so far is taken", async () => {
		const hung = hangAt(/^step:1 /, 1);
		const climbed = await orchestrated(`[[disagree]] ${PROSE}`, { strategy: "cascade" });
		expect(stageOf(climbed, "step:2").results).toMatchObject([{ ok: true }]);
		expect(hung.broken).toBe(1);
		await expectBilled(climbed, 1);
	});

	it("of the last step of a cascade leaves the best answer so far", async () => {
		const hung = hangAt(/^step:2 /, 1);
		const answer = await orchestrated(`[[disagree]] ${PROSE}`, { strategy: "cascade" });
		expect(stageOf(answer, "step:2").results).toMatchObject([{ ok: false }]);
		expect(answer.choices[0].message.content).toContain("The sandbox answers");
		expect(hung.broken).toBe(1);
		await expectBilled(answer, 1);
	});

	it("of the continuation of a cut answer, and of another model, leaves the cut answer", async () => {
		const hung = hangAt(/^continue /, 2);
		const answer = await orchestrated(PROSE, { strategy: "single", max_tokens: 10 });
		expect(answer.svc.truncated).toBe(true);
		expect(hung.broken).toBeGreaterThan(0);
		await expectBilled(answer, hung.broken);
	});

	it("of a critic has another one asked, and without one the code is delivered unreviewed", async () => {
		const task = "Write a Python function that adds two numbers";
		const hung = hangAt(/^review:/, 1);
		const asked = withKey(key.key, { task, ...RULES, max_tokens: 400 });
		const coded = async () => codeSchema.parse(await (await callWith(impatient(15), "/v2/code", asked)).json());
		const reviewed = await coded();
		expect(stageOf(reviewed, "review:0").results).toMatchObject([{ ok: false }, { ok: true }]);
		expect(reviewed.passed).toBe(true);
		expect(hung.broken).toBe(1);
		hangAt(/^review:/, 2);
		const unreviewed = await coded();
		expect(unreviewed).toMatchObject({ passed: false, svc: { unreviewed: true } });
		expect(unreviewed.files).toHaveLength(1);
	});
});
