// The loop of code mode on an engine that answers as a test says.
import type { CodeCast } from "../../src/code-mode/cast.ts";
import type { CodeEngine } from "../../src/code-mode/engine.ts";
import { type CodeFile, fileBlock } from "../../src/code-mode/file-format.ts";
import type { CodePlan } from "../../src/code-mode/plan.ts";
import { type CodeOutcome, type CodeProgress, runCode } from "../../src/code-mode/run-code.ts";
import { type Failure, fail } from "../../src/failure.ts";
import type { Rating } from "../../src/inference/confidence-basis.ts";
import type { Member, Question } from "../../src/orchestration/strategy.ts";
import { questionText } from "./fake-engine.ts";
import { NONCE } from "./nonce.ts";

const CODER: Member = ["coder-a"];
const CRITIC: Member = ["critic"];
export const TASK = {
	text: "Add two numbers",
	language: { id: "python", evidence: "default" as const },
	maxTokens: 500,
	temperature: 0.2,
	nonce: NONCE,
};
export const GOOD = { path: "add.py", content: "def add(a, b):\n    return a + b\n" };
export const UNBALANCED = { path: "add.py", content: "def add(a, b:\n    return a + b\n" };

/** What a question is answered with: a text, one that was cut, null for a failure, `refused` where a model says that it won't,
 * `broke` where it cannot be reserved. */
export type LoopReply = string | null | { broke: true } | { cut: string } | { refused: string };

interface AskedLoop {
	questions: Question[];
	/** How many questions were asked at once. */
	batches: number[];
	details: Record<string, Record<string, unknown>>;
	progress: CodeProgress[];
	rated: Record<string, number[]>;
}

/** The boundary that a coder was told. */
function boundaryIn(question: Question): string {
	return questionText(question).match(/<<<END ([0-9a-f]{8})>>>/)?.[1] ?? "";
}

export const written = (boundary: string, ...files: CodeFile[]) =>
	files.map((file) => fileBlock(boundary, file)).join("");
export const verdict = (passed: boolean, score: number, issues: string[] = [], reason = "") =>
	JSON.stringify({ reason, issues, passed, score });

export async function runLoop(
	say: (question: Question, boundary: string) => LoopReply,
	more: {
		cast?: Partial<CodeCast>;
		plan?: Partial<CodePlan>;
		covers?: (questions: readonly Question[], asked: AskedLoop) => boolean;
	} = {},
): Promise<{ outcome: CodeOutcome | null; failure: Failure | null } & AskedLoop> {
	const asked: AskedLoop = { questions: [], batches: [], details: {}, progress: [], rated: {} };
	const engine: CodeEngine = {
		async ask(questions) {
			asked.batches.push(questions.length);
			return questions.map((question) => {
				asked.questions.push(question);
				const [model] = question.member;
				const reply = say(question, boundaryIn(question));
				if (reply === null || (typeof reply === "object" && "broke" in reply))
					return {
						...fail({ reason: "all_models_failed", attempts: [`${model}: down`], costUsd: 0, retryAfterMs: null }),
						unaffordable: reply !== null,
					};
				if (typeof reply === "object" && "refused" in reply)
					return {
						...fail({
							reason: "all_models_failed",
							attempts: [`${model}: it refused`],
							costUsd: 0,
							retryAfterMs: null,
						}),
						unaffordable: false,
						said: { quality: 0.5, kind: "refusal", text: reply.refused, model },
					};
				const rate = ({ confidence }: Rating) => {
					asked.rated[model] = [...(asked.rated[model] ?? []), confidence];
				};
				const isCut = typeof reply === "object";
				return { ok: true, text: isCut ? reply.cut : reply, model, quality: 0.5, isCut, rate };
			});
		},
		describe(stage, detail) {
			asked.details[stage] = { ...asked.details[stage], ...detail };
		},
		route: (_, [first]) => first,
		covers: (questions) => more.covers?.(questions, asked) ?? true,
	};
	const cast: CodeCast = { coders: [CODER], critic: CRITIC, notes: [], ...more.cast };
	const plan: CodePlan = {
		...{ width: 1, iterations: 3, review: true, confirms: false, price: "any", efforts: "least", shrunk: null },
		...more.plan,
	};
	const result = await runCode(TASK, plan, cast, engine, (event) => asked.progress.push(event));
	return { outcome: result.ok ? result.value : null, failure: result.ok ? null : result.failure, ...asked };
}

export const stagesOf = ({ questions }: AskedLoop) => questions.map(({ stage, role }) => `${stage} ${role}`);
