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
	depth: z.enum(STRATEGIES),
});
type LabelledRow = z.output<typeof rowSchema>;

/** A labelled prompt under one policy. */
export interface StrategyCase extends Pick<LabelledRow, "kind" | "named"> {
	policy: EffortPolicy;
	prompt: string;
	deserved: StrategyName;
	chosen: StrategyName;
}

/** The strategy that the planner chooses for a conversation. */
export function chooseFor(policy: EffortPolicy, messages: NonNullable<LabelledRow["messages"]>): StrategyName {
	const { task, signals } = toTask({ messages }, NONCE);
	return planStrategy({ policy, strategy: null, k: null }, task.prompt, signals).strategy;
}

/** Every prompt of the table under every policy. */
export function readStrategyCases(): StrategyCase[] {
	const rows = readFileSync(TABLE, "utf8").trim().split("\n");
	return rows.flatMap((line) => {
		const {
			kind,
			named,
			prompt = "",
			messages = [{ role: "user", content: prompt }],
			...row
		} = rowSchema.parse(JSON.parse(line));
		const last = messages.at(-1)?.content ?? "";
		return POLICIES.map((policy) => ({
			kind,
			named,
			policy,
			prompt: last,
			deserved: row[policy],
			chosen: chooseFor(policy, messages),
		}));
	});
}
