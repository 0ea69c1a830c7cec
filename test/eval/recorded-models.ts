// Recorded models as rows of a catalog, with figures from questions that are not the ones they are tried on.
import { type Catalog, createCatalog } from "../../src/catalog/catalog.ts";
import type { Model } from "../../src/catalog/schema.ts";
import { INTENTS } from "../../src/catalog/vocabulary.ts";
import { curveAt, fromLogit } from "../../src/routing/quality.ts";
import type { Signals } from "../../src/routing/signals.ts";
import { plainProvider } from "../support/catalog.ts";
import { solveLinear } from "./linear.ts";

/** A question with what every recorded model made of it. */
export interface RecordedQuestion {
	prompt: string;
	signals: Signals;
	/** As the set names it; null where it does not. The service does not see it. */
	subject: string | null;
	/** By model id: 1 for a right answer, 0 for a wrong one. */
	right: Readonly<Record<string, number>>;
	/** By model id; null where lengths were not recorded. */
	answerChars: Readonly<Record<string, number>> | null;
}

/** A recorded model and its price, USD per million tokens. */
export interface RecordedModel {
	id: string;
	input: number;
	output: number;
}

/** The pair of RouteLLM, at the average prices of its paper (arXiv:2406.18665, section 5.4). */
export const ROUTELLM_MODELS: readonly RecordedModel[] = [
	{ id: "strong", input: 24.7, output: 24.7 },
	{ id: "weak", input: 0.24, output: 0.24 },
];

/**
 * Their figures for the curve: Mixtral's share of the harder half of MMLU-Pro, and for GPT-4-1106, which is not among its recorded models,
 * that of Gemini 1.5 Flash, whose published score is nearest.
 */
export const ROUTELLM_FIGURES: Readonly<Record<string, number>> = { weak: 0.16, strong: 0.42 };

/** The models of MMLU-Pro that were sold, at list prices of 2024 (Google, AI21, DeepSeek; the others at Together). */
export const MMLU_PRO_MODELS: readonly RecordedModel[] = [
	{ id: "gemini-1.5-pro-002", input: 1.25, output: 5 },
	{ id: "gemini-1.5-flash-002", input: 0.075, output: 0.3 },
	{ id: "Meta-Llama-3_1-70B-Instruct", input: 0.88, output: 0.88 },
	{ id: "DeepSeek-Coder-V2", input: 0.14, output: 0.28 },
	{ id: "jamba-1.5-large", input: 2, output: 8 },
	{ id: "Meta-Llama-3_1-8B-Instruct", input: 0.18, output: 0.18 },
	{ id: "Mixtral-8x7B-Instruct-v0.1", input: 0.6, output: 0.6 },
];

/** Before any question is seen, figures by intent differ from the general one by about so much. */
const PRIOR_DEVIATION = 0.15;
/** Of a right or wrong answer, about. */
const ANSWER_VARIANCE = 0.2;
const ROUNDS = 12;

interface WeightedQuestion {
	/** By intent, in the order of INTENTS. */
	probabilities: readonly number[];
	/** The curve at its difficulty. */
	base: number;
	slope: number;
	right: number;
}

/** The figure at which as many right answers are expected as were given. */
export function fitGeneral(questions: readonly Pick<WeightedQuestion, "base" | "slope" | "right">[]): number {
	let [low, high] = [-2, 3];
	for (let step = 0; step < 30; step++) {
		const figure = (low + high) / 2;
		const surplus = questions.reduce(
			(sum, { base, slope, right }) => sum + right - fromLogit(base + slope * figure),
			0,
		);
		if (surplus > 0) low = figure;
		else high = figure;
	}
	return (low + high) / 2;
}

/**
 * The figures by intent under which the expected quality of the service fits the answers best: least squares with a prior,
 * by Gauss-Newton steps.
 */
function fitIntents(questions: readonly WeightedQuestion[], general: number): number[] {
	const size = INTENTS.length;
	const precision = ANSWER_VARIANCE / PRIOR_DEVIATION ** 2;
	let figures = INTENTS.map(() => general);
	for (let round = 0; round < ROUNDS; round++) {
		const matrix = Array.from({ length: size }, (_, row) =>
			Array.from({ length: size }, (_, column) => (row === column ? precision : 0)),
		);
		const gradient = figures.map((figure) => precision * (general - figure));
		for (const { probabilities, base, slope, right } of questions) {
			let expected = 0;
			const gradients = figures.map((figure, at) => {
				const share = fromLogit(base + slope * figure);
				expected += (probabilities[at] ?? 0) * share;
				return (probabilities[at] ?? 0) * slope * share * (1 - share);
			});
			for (const [row, own] of gradients.entries()) {
				gradient[row] = (gradient[row] ?? 0) + own * (right - expected);
				const cells = matrix[row] ?? [];
				for (const [column, other] of gradients.entries()) cells[column] = (cells[column] ?? 0) + own * other;
			}
		}
		const step = solveLinear(matrix, gradient);
		figures = figures.map((figure, at) => figure + (step[at] ?? 0));
	}
	return figures;
}

/** A model's figures for the curve of quality, in general and by what the signals say of a prompt. */
function fitQuality(id: string, questions: readonly RecordedQuestion[]): Model["quality"] {
	const weighted = questions.map(({ signals, right }) => ({
		probabilities: INTENTS.map((intent) => signals.probabilities[intent]),
		...curveAt(signals),
		right: right[id] ?? 0,
	}));
	const general = fitGeneral(weighted);
	const byIntent = fitIntents(weighted, general).map((figure, at) => [INTENTS[at], figure]);
	return { general, by_intent: Object.fromEntries(byIntent), low_effort_ratio: 1 };
}

function mean(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Nobody recorded times: all models are as fast. */
const SPEED = { output_tokens_per_s: 100, ttft_s: 0.5 };

function toModel(
	{ id, input, output }: RecordedModel,
	questions: readonly RecordedQuestion[],
	typicalChars: number,
): Model {
	const lengths = questions.flatMap(({ answerChars }) => answerChars?.[id] ?? []);
	return {
		id,
		upstream_model: id,
		display_name: id,
		provider: "recorded",
		tier: "mid",
		hyper_frontier: false,
		released: null,
		knowledge_cutoff: null,
		open_weights: false,
		prices: [{ effective_from: null, input, output, cached_input: null, cache_write: null, tiers: [] }],
		limits: { context_window: 128_000, max_input_tokens: null, max_output_tokens: 8_192 },
		supports: { tools: false, vision: false, json_schema: false, logprobs: false },
		reasoning: null,
		request: { max_tokens_field: "max_tokens", rejects: [] },
		quality: fitQuality(id, questions),
		answer_length: lengths.length === 0 ? null : mean(lengths) / typicalChars,
		speed: { high_effort: SPEED, low_effort: SPEED },
	};
}

/** A catalog of recorded models with figures from some questions. */
export function toRecordedCatalog(models: readonly RecordedModel[], questions: readonly RecordedQuestion[]): Catalog {
	const lengths = questions.flatMap(({ answerChars }) => models.flatMap(({ id }) => answerChars?.[id] ?? []));
	const typicalChars = mean(lengths);
	return createCatalog({
		version: "recorded",
		testEase: {},
		models: models.map((model) => toModel(model, questions, typicalChars)),
		encoders: [],
		providers: [plainProvider("recorded", "openai", { name: "Recorded answers" })],
		freeModels: [],
	});
}
