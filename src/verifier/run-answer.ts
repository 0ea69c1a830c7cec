// What a run's answer says beside its steps, against the signed receipt of the run (docs/proofs.md, "Checking what was saved"). The
// answer is that of GET /v1/agent/{run_id}, or of the POST that began it. Its steps are checked as any trajectory.
import * as z from "zod";
import { nanoUsd, usd } from "../proof/money.ts";
import { SALT_FORM, textHash } from "../proof/salted.ts";
import { contradictionFindings, type Finding, failedFinding, finding, unprovenFindings } from "./findings.ts";
import type { CheckedReceipt } from "./receipt.ts";

/** The answer, as far as it is checked. Members that a run of an older service does not have are optional. */
const runAnswerSchema = z.looseObject({
	object: z.literal("agent.run"),
	run_id: z.string(),
	status: z.string(),
	sealed: z.boolean(),
	policy: z.string(),
	strategy: z.string(),
	plan: z.array(z.string()),
	steps_taken: z.int(),
	cost_consumed_usd: z.number(),
	max_cost_usd: z.number(),
	remaining_usd: z.number(),
	trajectory_proof: z.string(),
	output: z.string(),
	steps: z.array(z.looseObject({ step_proof: z.string() })),
	goal: z.string().optional(),
	goal_outcome: z.string().optional(),
	goal_digest: z.object({ hash: z.string(), bytes: z.int() }).optional(),
	tool_calls: z.unknown().optional(),
	salt: z.string().optional(),
});
export type RunAnswer = z.output<typeof runAnswerSchema>;

/** Members that the trajectory covers, and what stands beside the answer in its file. */
const CHAINED_MEMBERS = ["object", "run_id", "policy", "strategy", "trajectory_proof", "output", "steps", "salt"];
const BESIDE_MEMBERS = ["proof", "receipt", "exchanges", "chain"];
/** Members that the receipt covers. The count of the steps is the chain's as well. */
const RECEIPT_MEMBERS = ["status", "sealed", "cost_consumed_usd", "max_cost_usd", "remaining_usd", "goal_outcome"];

/** Reads a run's answer; says what is missing where it is none. */
export function readRunAnswer(value: unknown): { run: RunAnswer } | { issues: string[] } {
	const parsed = runAnswerSchema.safeParse(value);
	if (parsed.success) return { run: parsed.data };
	return { issues: parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) };
}

/** The bundle that an answer holds, to be parsed as any. */
export function toRunBundle({ run_id, policy, strategy, trajectory_proof, output, steps, salt }: RunAnswer): object {
	const step_proofs = steps.map(({ step_proof }) => step_proof);
	return { run_id, policy, strategy, trajectory_proof, output, steps, step_proofs, ...(salt ? { salt } : {}) };
}

/** Whether the goal, or what stands for it, is the one that the receipt signs; a note where that cannot be told. */
function goalFindings({ goal, goal_digest, salt }: RunAnswer, receipt: CheckedReceipt["receipt"]): Finding[] {
	const signed = receipt["input_hash"];
	const isSalted = receipt.type !== "svc.receipt.v1";
	if (goal_digest !== undefined)
		return [
			finding(
				goal_digest.hash === signed && goal === "",
				"goal: not kept; its hash is the receipt's",
				"goal_digest: is not the receipt's",
			),
		];
	if (goal === undefined || typeof signed !== "string") return unprovenFindings("run", ["goal"]);
	if (isSalted && !SALT_FORM.test(salt ?? ""))
		return [{ verdict: "note", text: "goal: not compared, for want of the salt that its hash is over" }];
	const own = textHash(isSalted ? salt : undefined)(goal);
	return [finding(own === signed, `goal: has the hash ${own}`, `goal: has hash ${own}, and the receipt ${signed}`)];
}

/** Whether the steps cost what the run did. */
export function stepCostFindings(
	steps: readonly { cost_usd: number }[],
	{ cost_usd }: CheckedReceipt["receipt"],
): Finding[] {
	if (typeof cost_usd !== "number") return [];
	const own = usd(steps.reduce((sum, step) => sum + nanoUsd(step.cost_usd), 0));
	return own === cost_usd ? [] : [failedFinding(`steps: cost ${own} USD together, and the receipt says ${cost_usd}`)];
}

/** What an answer says that follows from a run's receipt and its steps. */
function receiptClaimFindings(run: RunAnswer, receipt: CheckedReceipt["receipt"]): Finding[] {
	const { cost_usd, max_cost_usd, goal_outcome, status, n_steps, tool_calls = null } = receipt;
	const isPriced = typeof cost_usd === "number" && typeof max_cost_usd === "number";
	const remaining = isPriced ? usd(nanoUsd(max_cost_usd) - nanoUsd(cost_usd)) : null;
	return contradictionFindings(
		"run",
		{ ...run, tool_calls: run.tool_calls ?? null, goal_outcome: run.goal_outcome ?? null },
		{
			...{ status, sealed: true, cost_consumed_usd: cost_usd, max_cost_usd, remaining_usd: remaining },
			// Runs from before receipts had it show none, or what their service makes of them today.
			...(goal_outcome === undefined ? {} : { goal_outcome }),
			...{ steps_taken: n_steps, tool_calls },
		},
	);
}

/**
 * What a run's answer says beside its chain. Without a receipt nothing proves more than the chain does.
 * @param checked its receipt; null without one.
 */
export function runAnswerFindings(run: RunAnswer, checked: CheckedReceipt | null): Finding[] {
	const isCounted = run.steps_taken === run.steps.length;
	const claims = checked
		? [...receiptClaimFindings(run, checked.receipt), ...goalFindings(run, checked.receipt)]
		: unprovenFindings(
				"run",
				["goal", "tool_calls", ...RECEIPT_MEMBERS].filter((name) => name in run),
			);
	const covered = [...CHAINED_MEMBERS, ...BESIDE_MEMBERS, ...RECEIPT_MEMBERS, "steps_taken", "goal", "tool_calls"];
	return [
		...(isCounted ? [] : [failedFinding(`run: has ${run.steps.length} steps, and says ${run.steps_taken}`)]),
		...claims,
		...unprovenFindings(
			"run",
			Object.keys(run).filter((name) => !covered.includes(name)),
		),
	];
}
