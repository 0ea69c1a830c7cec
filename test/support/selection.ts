// Selections without a service: signals that say what a test wants, and a request to choose from a whole catalog.
import type { Catalog } from "../../src/catalog/catalog.ts";
import { PLANS } from "../../src/catalog/plans.ts";
import { INTENTS, type Intent } from "../../src/catalog/vocabulary.ts";
import { chatRequestSchema, toModelCall } from "../../src/chat/request.ts";
import type { SelectionRequest } from "../../src/routing/selection.ts";
import type { DifficultyLevel, Signals } from "../../src/routing/signals.ts";

const EXPECTED_DIFFICULTY: Readonly<Record<DifficultyLevel, number>> = { 1: 1.1, 2: 1.5, 3: 2.2 };

/** Signals of an English prompt that surely has one intent. */
export function signalsFor(intent: Intent, level: DifficultyLevel, more: Partial<Signals> = {}): Signals {
	const probabilities: Record<string, number> = Object.fromEntries(INTENTS.map((each) => [each, 0]));
	probabilities[intent] = 1;
	return {
		intents: [intent],
		probabilities: probabilities as Signals["probabilities"],
		level,
		expectedDifficulty: EXPECTED_DIFFICULTY[level],
		difficulty: level === 3 ? "hard" : "normal",
		facts: { chars: 400, language: "en", hasCode: false, asksForJson: false, turns: 1 },
		longContext: false,
		hasTools: false,
		hasImages: false,
		hasRemoteImages: false,
		promptTokens: 100,
		contextTokens: 100,
		...more,
	};
}

/** A request for `auto` under which every model of a catalog may serve. */
export function selectionRequest(
	catalog: Catalog,
	signals: Signals,
	more: Partial<SelectionRequest> = {},
): SelectionRequest {
	const call = toModelCall(chatRequestSchema.parse({ messages: [{ role: "user", content: "hi" }] }), catalog);
	return {
		catalog,
		call,
		outputLimit: null,
		signals,
		model: "auto",
		routingMode: null,
		trivialMode: "agility",
		config: null,
		rule: null,
		plan: PLANS.corporate,
		planLimitNanoUsd: null,
		keyBudget: null,
		available: () => true,
		complianceReasons: () => [],
		takesRemoteImages: () => true,
		takesToolName: () => true,
		worstCase: () => ({ inputNanoUsd: 0, outputNanoUsd: 0, totalNanoUsd: 0 }),
		observations: {},
		nowMs: Date.parse("2026-11-22T12:00:00Z"),
		...more,
	};
}
