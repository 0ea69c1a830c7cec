// Sixty pairs of answers with their verdicts, and a double of the judge that compares them: right, wrong at times, partial to an
// order, loose in its JSON, or silent.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import type { Question } from "../../src/orchestration/strategy.ts";
import { hashText } from "../../src/proof/hash.ts";
import { questionText } from "./fake-engine.ts";

const PAIRS = resolve(import.meta.dirname, "../eval/agreement-pairs.jsonl");

const pairSchema = z.object({
	topic: z.string(),
	prompt: z.string(),
	a: z.string(),
	b: z.string(),
	verdict: z.enum(["same", "compatible", "contradicting"]),
});
export type AnswerPair = z.output<typeof pairSchema>;

export function readPairs(): AnswerPair[] {
	const lines = readFileSync(PAIRS, "utf8").trimEnd().split("\n");
	return lines.map((line) => pairSchema.parse(JSON.parse(line)));
}

/**
 * `wrong`: it errs in one call of ten. `swapped`: it finds everything the same, unless the answers come in reverse.
 * `loose`: prose around, numbers as strings, objects around lists. `silent`: it does not answer.
 */
export const JUDGES = ["right", "wrong", "swapped", "loose", "silent"] as const;
export type JudgeDouble = (typeof JUDGES)[number];

function groupsFor(texts: readonly string[], { a, b, verdict }: AnswerPair): number[][] {
	const [left, right] = [texts.indexOf(a) + 1, texts.indexOf(b) + 1];
	const others = texts.flatMap((_, at) => (at + 1 === left || at + 1 === right ? [] : [[at + 1]]));
	return [...(verdict === "same" ? [[left, right]] : [[left], [right]]), ...others];
}

/** What the double replies to a call of the stage `agree`; null for no reply. @param seed tells runs apart. */
export function judgeReply(judge: JudgeDouble, question: Question, pair: AnswerPair, seed = 0): string | null {
	if (judge === "silent") return null;
	const marks = /<<Answer \d+ [0-9a-f]+>>\n([\s\S]*?)\n<<end of answer \d+ [0-9a-f]+>>/g;
	const texts = [...questionText(question).matchAll(marks)].map(([, text = ""]) => text);
	const errs = judge === "wrong" && Number.parseInt(hashText(`${seed} ${texts.join()}`).slice(-4), 16) % 10 === 0;
	const isForward = texts.indexOf(pair.a) < texts.indexOf(pair.b);
	const isBlind = judge === "swapped" && isForward;
	const wrong = pair.verdict === "same" ? "contradicting" : "same";
	const verdict = isBlind ? "same" : errs ? wrong : pair.verdict;
	const groups = groupsFor(texts, { ...pair, verdict });
	const numbers = [texts.indexOf(pair.a) + 1, texts.indexOf(pair.b) + 1];
	const contradictions = verdict === "contradicting" ? [numbers] : [];
	if (judge !== "loose") return JSON.stringify({ reason: "as it is", groups, contradictions });
	const said = {
		groups: groups.map((group) => ({ answers: group.map((number) => `Answer ${number}`) })),
		contradictions: contradictions.map((list) => list.map(String)),
	};
	return `I looked at both {closely}. My verdict:\n\`\`\`json\n${JSON.stringify({ verdict: said })}\n\`\`\``;
}
