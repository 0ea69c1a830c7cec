// The labelled prompts of test/eval/strategy-prompts.jsonl, and the strategies that the planner chooses for them.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { planStrategy } from "../../src/orchestration/planner.ts";
import { toTask } from "../../src/orchestration/request.ts";
import { STRATEGIES, type StrategyName } from "../../src/orchestration/strategies.ts";
import { type EffortPolicy, POLICIES } from "../../src/orchestration/strategy.ts";
import { NONCE } from "./nonce.ts";

const TABLE = resolve(import.meta.dirname, "../eval/strategy-prompts.jsonl");

const rowSchema = z.object({
	kind: z.string(),
	/** Prompts of this group were once answered with the wrong strategy. */
	named: z.string().optional(),
	prompt: z.string().optional(),
	messages: z.array(z.object({ role: z.enum(["user", "assistant"]), content: z.string() })).optional(),
	efficiency: z.enum(STRATEGIES),
	balanced: z.enum(STRATEGIES),
	/** The label before it was known what a cascade costs beside one model (docs/measurements.md, "What the default costs"). */
	balanced_first: z.enum(STRATEGIES).optional(),
	depth: z.enum(STRATEGIES),
});
type LabelledRow = z.output<typeof rowSchema>;

/** A labelled prompt under one policy. */
export interface StrategyCase extends Pick<LabelledRow, "kind" | "named"> {
	policy: EffortPolicy;
	prompt: string;
	deserved: StrategyName;
	/** The label that was written before the code. */
	firstDeserved: StrategyName;
	chosen: StrategyName;
}

/** The strategy that the planner chooses for a conversation. */
export function chooseFor(policy: EffortPolicy, messages: NonNullable<LabelledRow["messages"]>): StrategyName {
	const { task, signals } = toTask({ messages }, NONCE);
	return planStrategy({ policy, strategy: null, k: null }, task.prompt, signals).strategy;
}

/** The conversations of the table, with their labels. */
export function readStrategyPrompts(): (LabelledRow & { messages: NonNullable<LabelledRow["messages"]> })[] {
	const rows = readFileSync(TABLE, "utf8").trim().split("\n");
	return rows.map((line) => {
		const row = rowSchema.parse(JSON.parse(line));
		return { ...row, messages: row.messages ?? [{ role: "user", content: row.prompt ?? "" }] };
	});
}

/** Every prompt of the table under every policy. */
export function readStrategyCases(): StrategyCase[] {
	return readStrategyPrompts().flatMap(({ kind, named, messages, balanced_first, ...row }) =>
		POLICIES.map((policy) => ({
			kind,
			named,
			policy,
			prompt: messages.at(-1)?.content ?? "",
			deserved: row[policy],
			firstDeserved: policy === "balanced" ? (balanced_first ?? row.balanced) : row[policy],
			chosen: chooseFor(policy, messages),
		})),
	);
}
