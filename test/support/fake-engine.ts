// An engine that answers as a test says, and keeps what it was asked.
import type { Failure } from "../../src/failure.ts";
import type { ConfidenceBasis, Rating } from "../../src/inference/confidence-basis.ts";
import { Comparison } from "../../src/orchestration/agreement.ts";
import type {
	Answer,
	Engine,
	Member,
	NoAnswer,
	Panel,
	Question,
	SaidInstead,
	Task,
} from "../../src/orchestration/strategy.ts";
import { userMessage } from "../../src/orchestration/strategy.ts";
import { NONCE } from "./nonce.ts";

export const FAILED: Failure = {
	reason: "all_models_failed",
	attempts: ["m: status 503"],
	costUsd: 0,
	retryAfterMs: null,
};

/**
 * What a question is answered with: a text, one that was cut, null for a failure, `broke` where the bound does not cover it, `refused`
 * where a model says that it won't, `unfit` where its answer has not the form that was asked for, `blank` where it says
 * nothing.
 */
export type Reply =
	| string
	| null
	| { broke: true }
	| { cut: string }
	| { refused: string }
	| { unfit: string }
	| { blank: true };

export interface FakeEngine extends Engine {
	/** Batches in the order they were asked. */
	batches: (readonly Question[])[];
	details: Record<string, Record<string, unknown>>;
	/** Confidences written into the trace, by model and stage, the last one. */
	rated: Map<string, number>;
	/** What they rest on. */
	bases: Map<string, ConfidenceBasis>;
}

function toSaid(given: Reply, model: string, quality: number): SaidInstead | null {
	if (typeof given !== "object" || given === null) return null;
	if ("blank" in given) return { kind: "blank", text: "", model, quality };
	if ("refused" in given) return { kind: "refusal", text: given.refused, model, quality };
	return "unfit" in given ? { kind: "other_form", text: given.unfit, model, quality, fault: "no JSON" } : null;
}

/** @param quality what is expected of a model; 0.5 where it is not said. */
export function fakeEngine(
	reply: (question: Question, place: number) => Reply,
	quality: Readonly<Record<string, number>> = {},
): FakeEngine {
	const batches: (readonly Question[])[] = [];
	const details: FakeEngine["details"] = {};
	const rated = new Map<string, number>();
	const bases: FakeEngine["bases"] = new Map();
	let place = 0;
	return {
		batches,
		details,
		rated,
		bases,
		async ask(questions) {
			batches.push(questions);
			return questions.map((question): Answer | NoAnswer => {
				const given = reply(question, place++);
				const [model] = question.member;
				if (given === null) return { ok: false, failure: FAILED, unaffordable: false };
				if (typeof given === "object" && "broke" in given) return { ok: false, failure: FAILED, unaffordable: true };
				const said = toSaid(given, model, quality[model] ?? 0.5);
				if (said) return { ok: false, failure: FAILED, unaffordable: false, said };
				const isCut = typeof given === "object" && "cut" in given;
				const text = isCut ? given.cut : typeof given === "string" ? given : "";
				const rate = ({ confidence, confidenceBasis }: Rating) => {
					rated.set(`${question.stage} ${model}`, confidence);
					bases.set(`${question.stage} ${model}`, confidenceBasis);
				};
				return { ok: true, text, model, quality: quality[model] ?? 0.5, isCut, rate };
			});
		},
		describe(stage, detail) {
			details[stage] = { ...details[stage], ...detail };
		},
		route: (text, members) => members.find(([id]) => text.includes(id)) ?? members[0],
	};
}

export function task(more: Partial<Task> = {}): Task {
	const prompt = "What is it?";
	return {
		messages: [userMessage(prompt)],
		prompt,
		kind: "any",
		difficulty: 1,
		needsText: false,
		maxTokens: 50,
		temperature: undefined,
		nonce: NONCE,
		...more,
	};
}

/** Answers to a prompt of a kind, compared. */
export function comparisonOf(kind: Task["kind"], difficulty = 1): Comparison {
	return new Comparison({ kind, difficulty, needsText: false });
}

/** Members by id, a judge and rounds. */
export function toPanel(ids: readonly [string, ...string[]], rounds = 2): Panel {
	const [first, ...rest] = ids.map((id): Member => [id]);
	return { members: [first ?? [ids[0]], ...rest], judge: ["judge"], rounds };
}

/** Everything a question says, as text. */
export function questionText({ messages }: Question): string {
	return messages.flatMap(({ content }) => content.map((part) => (part.type === "text" ? part.text : ""))).join("\n");
}
