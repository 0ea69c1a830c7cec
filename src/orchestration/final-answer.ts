// The answer at the end of an answer: a number, a choice or a few words, in a form in which equals are equal. Pure.

/** What a prompt asks to be told: then the last of its kind in a text is what the text says. */
export type AnswerKind = "number" | "choice" | "any";

/** Added to a prompt whose answers are to be voted on. */
export const FINAL_ANSWER_INSTRUCTION =
	"Work it out, then end with one line of the form: Final answer: <the answer alone, as short as possible>";

/** Longest answer that counts as a few words. */
const MAX_SHORT_CHARS = 60;

/** A conclusion stands in so many characters at the end of a text. */
const SCANNED_CHARS = 4_000;

const CHOICES = /^[ \t]*\(?([A-J])[.):]\s+\S/gm;
const ASKS_NUMBER =
	/\b(?:how (?:many|much|far|long|old|tall|fast|deep)|calculate|compute|evaluate|what (?:is|are) (?:the )?(?:sum|product|total|value|probability|percentage|percent|average|mean|area|volume|difference|ratio)|solve for|find the (?:value|sum|number|total))\b|\d\s?[+*/×÷^]\s?\d/i;

/** What kind of answer a prompt asks for. */
export function answerKindOf(prompt: string): AnswerKind {
	const letters = new Set([...prompt.matchAll(CHOICES)].map(([, letter]) => letter));
	if (letters.size >= 2 && letters.has("A") && letters.has("B")) return "choice";
	return ASKS_NUMBER.test(prompt) ? "number" : "any";
}

/** Said for the purpose, wherever it stands. */
const EXPLICIT = [/final answer(?: is)?\s*[:=]?\s*(.+)/gi, /^####\s*(.+)$/gm] as const;
/** A last line that is an answer; further up it may be a line of a dialogue. */
const LAST_LINE = /^[ \t]*(?:answer|A)[ \t]*[:=][ \t]*(.+)$/i;
const IN_PASSING = /\banswer is:?\s+(.+)/gi;

/** What stands in the last `\boxed{…}`, braces inside it included. */
function boxed(text: string): string | null {
	const start = text.lastIndexOf("\\boxed{");
	if (start < 0) return null;
	const from = start + "\\boxed{".length;
	let depth = 1;
	for (let at = from; at < text.length; at++) {
		if (text[at] === "{") depth++;
		if (text[at] === "}" && --depth === 0) return text.slice(from, at);
	}
	return null;
}

/** What a text says is its answer, in the clearest way it says so. */
function marked(text: string): string | null {
	for (const marker of EXPLICIT) {
		const last = [...text.matchAll(marker)].at(-1)?.[1];
		if (last !== undefined && last.trim() !== "") return boxed(last) ?? last;
	}
	const lastLine = text.trimEnd().split("\n").at(-1) ?? "";
	return boxed(text) ?? LAST_LINE.exec(lastLine)?.[1] ?? [...text.matchAll(IN_PASSING)].at(-1)?.[1] ?? null;
}

const NUMBER = /[-+−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:\s*\/\s*\d+(?:\.\d+)?)?/g;

/** A number as JavaScript writes it; a fraction as its value to nine digits. */
function plainNumber(written: string): string | null {
	const [above = "", below] = written
		.replace(/[,\s+]/g, "")
		.replace("−", "-")
		.split("/");
	const value = below === undefined ? Number(above) : Number(above) / Number(below);
	if (!Number.isFinite(value)) return null;
	return String(below === undefined ? value + 0 : Number(value.toPrecision(9)));
}

/** Words that may stand behind a number as its unit. */
const MAX_UNIT_WORDS = 3;

/** A number alone, with its currency or its unit; null for anything that says more. */
function numberIn(text: string): string | null {
	const bare = text.replace(/^[\s$€£≈~=]+/, "");
	const match = bare.match(NUMBER)?.[0];
	if (match === undefined || !bare.startsWith(match)) return null;
	const unit = bare
		.slice(match.length)
		.replace(/[°%$€£.,;:!)\]]/g, " ")
		.trim();
	if (/\d/.test(unit) || unit.split(/\s+/).filter(Boolean).length > MAX_UNIT_WORDS) return null;
	return plainNumber(match);
}

/** Bare of mark-up, case, punctuation and articles; a number in its plain form, a choice as its letter. */
export function normalized(answer: string): string {
	const bare = answer
		.normalize("NFKC")
		.replace(/\\(?:text|mathrm|mathbf)\{([^}]*)\}/g, "$1")
		.replace(/\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}/g, "$1/$2")
		.replace(/\\[,;! ]|\\left|\\right|\*\*|__|`|\\?\$(?=\D|$)|^\$/g, "")
		.trim();
	const number = numberIn(bare);
	if (number !== null) return number;
	const choice = /^\(?([A-Ja-j])(?:[).:](?:\s|$)|$)/.exec(bare)?.[1];
	if (choice !== undefined) return choice.toUpperCase();
	return bare
		.toLowerCase()
		.replace(/[.,;:!?"'“”‘’()[\]{}]/g, " ")
		.replace(/\b(?:the|a|an)\b/g, " ")
		.replace(/\s+/g, " ")
		.trim();
}

/** The last number or choice of a text that nothing marks, by what the prompt asked for. */
function lastOfKind(text: string, kind: AnswerKind): string | null {
	if (kind === "number") {
		const last = text.match(NUMBER)?.at(-1);
		return last === undefined ? null : plainNumber(last);
	}
	if (kind === "choice") return [...text.matchAll(/\(?\b([A-J])\b\)?/g)].at(-1)?.[1] ?? null;
	return null;
}

/** The final answer of a text, normalized; null where a text has none that could be compared. */
export function finalAnswer(whole: string, kind: AnswerKind): string | null {
	const text = whole.length > SCANNED_CHARS ? whole.slice(-SCANNED_CHARS) : whole;
	const said = marked(text)?.split("\n", 1)[0]?.trim();
	if (said !== undefined && said.length <= 2 * MAX_SHORT_CHARS) {
		const answer = normalized(said);
		if (kind === "any" || isOfKind(answer, kind)) return answer === "" ? null : answer;
		return lastOfKind(said, kind) ?? answer;
	}
	const short = text.trim();
	if (short !== "" && short.length <= MAX_SHORT_CHARS && !short.includes("\n")) {
		const answer = normalized(short);
		if (kind === "any" || isOfKind(answer, kind)) return answer === "" ? null : answer;
	}
	return lastOfKind(text, kind);
}

function isOfKind(answer: string, kind: AnswerKind): boolean {
	if (kind === "choice") return /^[A-J]$/.test(answer);
	return kind === "any" || /^-?\d/.test(answer);
}
