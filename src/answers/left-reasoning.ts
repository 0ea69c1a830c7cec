// Reasoning that a model left in its answer, between tags. Pure.
import { readPromptEnds } from "./prompt-ends.ts";

const NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad|analysis";
const OPEN = new RegExp(`^\\s*(?:<(${NAMES})>|\\[(THINK)\\]|<\\|begin_of_thought\\|>)`, "i");
/** A user who writes of such tags, or of markup, may want them. */
const ABOUT_TAGS = new RegExp(
	`</?(?:${NAMES})>|\\b(?:tags?|[xsy]ml|html|xhtml|markup|elements?|node)\\b|elemento|élément|balise|etiquet|\\btag|элемент|тег|标签|元素|タグ|要素|태그|요소|وسم|عنصر`,
	"iu",
);
const CLOSE = new RegExp(`</(?:${NAMES})>|\\[/THINK\\]|<\\|end_of_thought\\|>`, "gi");

/** An answer without the reasoning in front of it. */
export interface UnreasonedText {
	text: string;
	/** There was some. */
	hadReasoning: boolean;
}

/** Where the last tag ends that closes reasoning; 0 without one. A tag in code or after an answer's own opening tag is text. */
function closingEnd(text: string): number {
	const first = CLOSE.exec(text);
	CLOSE.lastIndex = 0;
	if (!first) return 0;
	const before = text.slice(0, first.index);
	const isCode = (before.match(/```/g)?.length ?? 0) % 2 === 1 || /`[^`\n]*$/.test(before);
	return isCode ? 0 : first.index + first[0].length;
}

/**
 * Leaves out what stands before a closing tag, if the answer begins with the opening one or has none. Reasoning that is never closed
 * leaves nothing.
 * @param prompt the last message of the user, who may ask for such tags.
 */
export function withoutReasoning(text: string, prompt: string): UnreasonedText {
	const hasOpened = OPEN.test(text);
	const end = closingEnd(text);
	if ((!hasOpened && end === 0) || ABOUT_TAGS.test(readPromptEnds(prompt))) return { text, hadReasoning: false };
	if (hasOpened) return { text: end === 0 ? "" : text.slice(end).trimStart(), hadReasoning: true };
	const wasOpened = new RegExp(`<(?:${NAMES})>|\\[THINK\\]`, "i").test(text.slice(0, end));
	return wasOpened ? { text, hadReasoning: false } : { text: text.slice(end).trimStart(), hadReasoning: true };
}
