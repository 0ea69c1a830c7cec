// What the default for open prompts costs under `balanced`: one model beside a cascade of cheap ones, by the catalog's figures over the
// labelled prompts. Whether answers agree is not known, so a cascade is shown where it stops at once and where it climbs to its top.
import { priceUsage } from "../../src/catalog/price.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { readTraits } from "../../src/orchestration/answer-kind.ts";
import { choosePanel } from "../../src/orchestration/panel.ts";
import { POLICY_MODE } from "../../src/orchestration/planner.ts";
import { toQuestionCall, toTask } from "../../src/orchestration/request.ts";
import { STRATEGY } from "../../src/orchestration/strategies.ts";
import type { EffortPolicy, PanelPool } from "../../src/orchestration/strategy.ts";
import { reasoningTokens } from "../../src/routing/effort.ts";
import type { RoutingMode } from "../../src/routing/mode.ts";
import { typicalAnswerTokens } from "../../src/routing/score.ts";
import { selectModels } from "../../src/routing/select.ts";
import type { Candidate } from "../../src/routing/selection.ts";
import type { Signals } from "../../src/routing/signals.ts";
import { NONCE } from "../support/nonce.ts";
import { selectionRequest } from "../support/selection.ts";
import { readStrategyPrompts } from "../support/strategy-table.ts";

/** A judge's instructions, and its verdict with a reason of one sentence. */
const JUDGE_TOKENS = { instructions: 250, verdict: 80, limit: 512 };
const NOW_MS = Date.parse("2026-11-22T12:00:00Z");

/** What an answer is expected to cost and to take, and how good it is. */
interface Expected {
	nanoUsd: number;
	ms: number;
	quality: number;
}

function toExpected({ expectation }: Candidate): Expected {
	return { nanoUsd: expectation.cost.totalNanoUsd, ms: expectation.latencyMs, quality: expectation.quality };
}

/** A judge's call that compares so many answers. */
function expectJudgement({ model, effort }: Candidate, signals: Signals, answers: number): Omit<Expected, "quality"> {
	const { instructions, verdict, limit } = JUDGE_TOKENS;
	const uncachedInput = signals.promptTokens + instructions + Math.round(answers * typicalAnswerTokens(signals));
	const reasoning = reasoningTokens(model, effort, limit);
	const usage = { uncachedInput, cacheRead: 0, cacheWrite: 0, outputText: verdict, reasoning };
	const { ttft_s, output_tokens_per_s } = model.speed.low_effort;
	return {
		nanoUsd: priceUsage(model, usage, NOW_MS).totalNanoUsd,
		ms: 1_000 * (ttft_s + verdict / output_tokens_per_s),
	};
}

/** The pool of a prompt, if every model of the catalog may serve. */
function poolFor(
	messages: Parameters<typeof toTask>[0]["messages"],
	policy: EffortPolicy,
): { pool: PanelPool; signals: Signals } {
	const { task, signals } = toTask({ messages }, NONCE);
	const call = toQuestionCall({ ...task, json: false });
	const rank = (routingMode: RoutingMode) => {
		const selected = selectModels(selectionRequest(CATALOG, signals, { call, routingMode }));
		if (!selected.ok) throw new Error(JSON.stringify(selected.failure));
		return selected.value.candidates;
	};
	const rankings = { panel: rank(POLICY_MODE[policy]), best: rank("quality"), cheap: rank("agility") };
	return { pool: { rankings, single: [rankings.panel[0].model.id] }, signals };
}

/** One model alone; the cascade where its first answers are enough, and where it climbs to its top. */
function compareDefaults(messages: Parameters<typeof poolFor>[0], policy: EffortPolicy): Record<string, Expected> {
	const { pool, signals } = poolFor(messages, policy);
	const { panel, best, cheap } = pool.rankings;
	const size = { width: STRATEGY.cascade.width[policy], rounds: 1, policy };
	const { members, judge, bar } = choosePanel(STRATEGY.cascade, pool, size, null);
	const find = (id: string) => [...panel, ...best, ...cheap].find(({ model }) => model.id === id) ?? panel[0];
	const steps = members.map(([id]) => toExpected(find(id)));
	const firstSize = bar?.isSingleEnough ? 1 : 2;
	const first = steps.slice(0, firstSize);
	const judgement = (answers: number) => expectJudgement(find(judge[0]), signals, answers);
	// A verdict that stops a cascade is asked for twice.
	const twice = firstSize > 1 ? [judgement(firstSize), judgement(firstSize)] : [];
	const total = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);
	const stops: Expected = {
		nanoUsd: total([...first, ...twice].map(({ nanoUsd }) => nanoUsd)),
		ms: Math.max(...first.map(({ ms }) => ms)) + total(twice.map(({ ms }) => ms)),
		quality: Math.max(...first.map(({ quality }) => quality)),
	};
	const judged = steps.flatMap((_, at) => (at + 1 >= Math.max(2, firstSize) ? [judgement(at + 1)] : []));
	const climbs: Expected = {
		nanoUsd: total([...steps, ...judged].map(({ nanoUsd }) => nanoUsd)),
		ms: Math.max(...first.map(({ ms }) => ms)) + total([...steps.slice(firstSize), ...judged].map(({ ms }) => ms)),
		quality: steps.at(-1)?.quality ?? 0,
	};
	return { "one model": toExpected(panel[0]), "cascade that stops at once": stops, "cascade to its top": climbs };
}

/** Prints both defaults for the labelled prompts that ask for an open answer. */
export function reportDefaultCost(): void {
	for (const policy of ["balanced", "efficiency"] as const) {
		const open = readStrategyPrompts().filter(({ messages }) => {
			const { task, signals } = toTask({ messages }, NONCE);
			const { kind, isSimple, hasParts } = readTraits(task.prompt, signals);
			return kind === "none" && !isSimple && !hasParts;
		});
		const rows = open.map(({ messages }) => compareDefaults(messages, policy));
		console.log(`\n${open.length} labelled prompts with open answers under ${policy}, means by the catalog`);
		for (const name of Object.keys(rows[0] ?? {})) {
			const mean = (of: keyof Expected) => rows.reduce((sum, row) => sum + (row[name]?.[of] ?? 0), 0) / rows.length;
			const least = Math.min(...rows.map((row) => row[name]?.quality ?? 1));
			const cells = [`$${(mean("nanoUsd") / 1e9).toFixed(5)}`, `${(mean("ms") / 1_000).toFixed(1)} s`];
			console.log(
				`${name.padEnd(30)} ${cells.join("  ")}  expected quality ${mean("quality").toFixed(3)} (at least ${least.toFixed(3)})`,
			);
		}
		const gaps = rows.map((row) => (row["cascade to its top"]?.quality ?? 0) - (row["one model"]?.quality ?? 0));
		console.log(`the top is expected to be better than the one model by ${Math.max(...gaps).toFixed(3)} at most`);
	}
}
