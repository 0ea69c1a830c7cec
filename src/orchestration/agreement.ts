// How answers relate to each other: by their values where these decide it, else by a judge's verdict (agreement-judge.ts). Pure.
import { haveConflictingSignatures } from "./code-signatures.ts";
import { findAnswerWithUnit, isChoice, isNumber } from "./final-answer.ts";
import type { Task } from "./strategy.ts";

/**
 * What two answers say about what matters to the user. `compatible`: not the same, but both can be right. `unknown`: nothing
 * decided it, so they neither agree nor contradict each other.
 */
export type Relation = "same" | "compatible" | "contradicting" | "unknown";

/** The parts of an answer that are compared. */
export interface ComparedAnswer {
	text: string;
	/** The output limit ended it. A cut answer agrees with nothing. */
	isCut: boolean;
}

/** A value of one word. Scripts without spaces are left out: there, one word may be a sentence. */
const ONE_WORD = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}.'’/:@-]*$/u;
const UNSPACED_SCRIPT =
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

function isWord(value: string): boolean {
	return ONE_WORD.test(value) && !UNSPACED_SCRIPT.test(value) && !isNumber(value) && !isChoice(value);
}

/** Values of one type, of which different ones contradict each other: numbers, choices, single words. */
function areOfOneType(a: string, b: string): boolean {
	return [isNumber, isChoice, isWord].some((isOfType) => isOfType(a) && isOfType(b));
}

/** Of a text by itself; it is worked out once. */
interface ReadAnswer {
	final: ReturnType<typeof findAnswerWithUnit>;
	text: string;
}

/**
 * The relation of two answers by their values: equal final answers are the same, and different numbers, choices and words
 * contradict each other. Functions of one name that take different numbers of parameters do, too. Null leaves it to a judge.
 */
function relateValues(a: ReadAnswer, b: ReadAnswer): Relation | null {
	if (a.text === b.text) return "same";
	const [left, right] = [a.final, b.final];
	if (left && right) {
		// Different units may mean one quantity, and equal numbers two.
		if (left.unit !== null && right.unit !== null && left.unit !== right.unit) return null;
		if (left.value === right.value) return "same";
		if (areOfOneType(left.value, right.value)) return "contradicting";
	}
	return haveConflictingSignatures(a.text, b.text) ? "contradicting" : null;
}

/** From the most cautious to the least. */
const CAUTION: readonly Relation[] = ["contradicting", "unknown", "compatible", "same"];

/** The more cautious of two verdicts on one pair. */
export function moreCautious(a: Relation, b: Relation): Relation {
	return CAUTION.find((relation) => relation === a || relation === b) ?? "unknown";
}

/** The kind of answer that was asked for, and how hard it is. */
type AskedKind = Pick<Task, "kind" | "difficulty" | "needsText">;

/** What is known of how answers relate. Verdicts are added as judges give them. */
export class Comparison {
	/** What was asked. */
	readonly asked: AskedKind;
	readonly #read = new Map<ComparedAnswer, ReadAnswer>();
	readonly #relations = new Map<ComparedAnswer, Map<ComparedAnswer, Relation | null>>();

	constructor({ kind, difficulty, needsText }: AskedKind) {
		this.asked = { kind, difficulty, needsText };
	}

	/** Its answer is no number and no choice, the kinds of which recorded answers are known. */
	get isOpen(): boolean {
		return this.asked.kind === "none" || this.asked.kind === "any";
	}

	#reading(answer: ComparedAnswer): ReadAnswer {
		const known = this.#read.get(answer);
		if (known) return known;
		const final = findAnswerWithUnit(answer.text, this.asked.kind);
		const read = { final: final?.isGuess ? null : final, text: answer.text.trim() };
		this.#read.set(answer, read);
		return read;
	}

	#row(answer: ComparedAnswer): Map<ComparedAnswer, Relation | null> {
		const row = this.#relations.get(answer) ?? new Map<ComparedAnswer, Relation | null>();
		this.#relations.set(answer, row);
		return row;
	}

	/** Null as long as neither values nor a judge decided it. */
	#decided(a: ComparedAnswer, b: ComparedAnswer): Relation | null {
		if (a.isCut || b.isCut) return "unknown";
		const known = this.#row(a).get(b);
		if (known !== undefined) return known;
		const relation = relateValues(this.#reading(a), this.#reading(b));
		this.#set(a, b, relation);
		return relation;
	}

	#set(a: ComparedAnswer, b: ComparedAnswer, relation: Relation | null): void {
		this.#row(a).set(b, relation);
		this.#row(b).set(a, relation);
	}

	/** How two answers relate, as far as it is known. */
	relation(a: ComparedAnswer, b: ComparedAnswer): Relation {
		return this.#decided(a, b) ?? "unknown";
	}

	agrees(a: ComparedAnswer, b: ComparedAnswer): boolean {
		return this.relation(a, b) === "same";
	}

	/** Whether a judge must say how two answers relate. */
	isUndecided(a: ComparedAnswer, b: ComparedAnswer): boolean {
		return a !== b && this.#decided(a, b) === null;
	}

	/** A copy with a judge's verdicts on the pairs that nothing decided yet. */
	withVerdicts(answers: readonly ComparedAnswer[], verdict: (a: number, b: number) => Relation): Comparison {
		const copy = new Comparison(this.asked);
		for (const [answer, row] of this.#relations) copy.#relations.set(answer, new Map(row));
		for (const [at, a] of answers.entries())
			for (const [before, b] of answers.slice(0, at).entries())
				if (this.isUndecided(a, b)) copy.#set(a, b, verdict(before, at));
		return copy;
	}

	/** The share of pairs that say the same: 1 for a single answer, 0 for none. */
	agreement(answers: readonly ComparedAnswer[]): number {
		if (answers.length < 2) return answers.length;
		const pairs = answers.flatMap((a, at) => answers.slice(at + 1).map((b) => this.agrees(a, b)));
		return pairs.filter(Boolean).length / pairs.length;
	}

	/** Whether there are several answers, and all say the same. */
	isUnanimous(answers: readonly ComparedAnswer[]): boolean {
		return answers.length > 1 && this.agreement(answers) === 1;
	}

	/** Whether there are several answers, which are one whole text. */
	areIdentical(answers: readonly ComparedAnswer[]): boolean {
		const texts = new Set(answers.map((answer) => this.#reading(answer).text));
		return texts.size === 1 && this.isUnanimous(answers);
	}

	/** The answer that most others say the same as. Among equals, one that is whole, then the first. */
	findCentral<T extends ComparedAnswer>(answers: readonly [T, ...T[]]): T {
		const [first, ...rest] = answers.map((answer) => {
			const agreeing = answers.filter((other) => other !== answer && this.agrees(answer, other)).length;
			return { answer, rank: agreeing + (answer.isCut ? 0 : 0.5) };
		});
		if (!first) return answers[0];
		return rest.reduce((best, next) => (next.rank > best.rank ? next : best), first).answer;
	}
}
