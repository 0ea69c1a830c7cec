// Which of the natural prompts get a better model than the cheapest good one, and what that costs: the shipped selection and catalog, with
// difficulties from fits that did not see the prompts' sources.
import type { Model } from "../../src/catalog/schema.ts";
import { CATALOG } from "../../src/catalog/shipped.ts";
import type { Intent } from "../../src/catalog/vocabulary.ts";
import { chatRequestSchema, toModelCall } from "../../src/chat/request.ts";
import { ROUTING_MODES, type RoutingMode } from "../../src/routing/mode.ts";
import { selectModels } from "../../src/routing/select.ts";
import type { Candidate } from "../../src/routing/selection.ts";
import { detectSignals } from "../../src/routing/signals.ts";
import { selectionRequest } from "../support/selection.ts";
import { toTurnsKey } from "../train/expected-difficulty.ts";
import { type LabelledPrompt, readNaturalPrompts } from "../train/labelled.ts";

/** A model is better where its figure is above that of the model which small talk gets by at least so much. */
const LEAST_ADVANTAGE = 0.02;

/** The figure that counts for a prompt's labelled intent. */
function findFigure({ quality }: Model, intent: Intent | null): number {
	const { general, by_intent } = quality;
	if (intent === "code") return by_intent.code ?? general;
	return intent === "math" || intent === "reasoning" ? (by_intent.reasoning ?? general) : general;
}

function choose(
	{ turns }: LabelledPrompt,
	mode: RoutingMode | null,
	difficulties: ReadonlyMap<string, number>,
): Candidate {
	const messages = turns.toReversed().map(({ text }) => ({ role: "user" as const, content: text }));
	const call = toModelCall(chatRequestSchema.parse({ messages }), CATALOG);
	const detected = detectSignals(call);
	const expectedDifficulty = difficulties.get(toTurnsKey(turns)) ?? detected.expectedDifficulty;
	const signals = { ...detected, expectedDifficulty };
	const selected = selectModels(selectionRequest(CATALOG, signals, { call, routingMode: mode }));
	if (!selected.ok) throw new Error(JSON.stringify(selected.failure));
	return selected.value.candidates[0];
}

/** Prints, by mode, the share of hard, middling and easy prompts with a better model, and the mean expected cost of all. */
export function reportNatural(difficulties: ReadonlyMap<string, number>): void {
	const prompts = readNaturalPrompts();
	const [greeting] = prompts
		.slice(0, 1)
		.map((prompt) => choose({ ...prompt, turns: [{ text: "hi", chars: 2 }] }, null, new Map()));
	if (!greeting) return;
	console.log(
		`\n${prompts.length} natural prompts; a better model than ${greeting.model.id} by ${LEAST_ADVANTAGE} or more`,
	);
	console.log(
		["mode".padEnd(12), "hard".padEnd(10), "middling".padEnd(10), "easy".padEnd(10), "USD per 1,000"].join(""),
	);
	for (const mode of [null, ...ROUTING_MODES]) {
		const chosen = prompts.map((prompt) => {
			const { model, expectation } = choose(prompt, mode, difficulties);
			const advantage = findFigure(model, prompt.primary) - findFigure(greeting.model, prompt.primary);
			const grade = prompt.difficulty ?? 1;
			return { grade, isBetter: advantage >= LEAST_ADVANTAGE, nanoUsd: expectation.cost.totalNanoUsd };
		});
		const share = (isIn: (grade: number) => boolean) => {
			const group = chosen.filter(({ grade }) => isIn(grade));
			return (group.filter(({ isBetter }) => isBetter).length / group.length).toFixed(3).padEnd(10);
		};
		const usd = chosen.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0) / chosen.length / 1e6;
		console.log(
			[
				(mode ?? "none named").padEnd(12),
				share((grade) => grade >= 2.5),
				share((grade) => grade > 1 && grade < 2.5),
				share((grade) => grade === 1),
				usd.toFixed(3),
			].join(""),
		);
	}
}
