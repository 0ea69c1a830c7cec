// Prompt → signals, by rules: what kind of task it is and how hard it looks. Pure and linear in the text.
import { type ContentPart, callImages, type ModelCall, messageTexts, partsOfType } from "../providers/model-call.ts";

/** What a prompt may be about: the names that rules, previews and answers use. */
export const INTENTS = [
	"code",
	"math",
	"reasoning",
	"creative",
	"text",
	"translation",
	"factual",
	"advice",
	"chat",
] as const;
export type Intent = (typeof INTENTS)[number];

/** Intents of prompts in which nothing more particular was found. */
const GENERAL_INTENTS: readonly Intent[] = ["factual", "advice", "chat"];

export interface Signals {
	/** At least one; exactly one of factual, advice and chat when nothing more particular fired. */
	intents: Intent[];
	difficulty: "trivial" | "normal" | "hard";
	hasTools: boolean;
	hasImages: boolean;
	/** Images that stand as an https address. */
	hasRemoteImages: boolean;
	/** The prompt is so long that models differ in how they cope with it. */
	longContext: boolean;
	/** Estimate at four characters a token, plus a share per image. */
	promptTokens: number;
	/** The same for checks against a context window, where scripts of more tokens a character must not be underrated. */
	contextTokens: number;
}

/** Looked at from each end of the last user text; a longer middle changes the size, not the kind. */
const READ_CHARS = 4_000;
const CHARS_PER_TOKEN = 4;
/** Typical cost of an image for an estimate; the reserved bound is another figure. */
const IMAGE_TOKENS = 1_000;
const LONG_CONTEXT_TOKENS = 32_000;
const HARD_TOKENS = 4_000;
const TRIVIAL_CHARS = 60;

/** Patterns are alternations of literals without nested repetition, so a scan is linear. */
const INTENT_RULES: readonly { intent: Intent; pattern: RegExp }[] = [
	{
		intent: "code",
		pattern:
			/```|\b(?:function|refactor|compile[rs]?|debug|stack ?trace|unit tests?|regex(?:p|es)?|sql|python|javascript|typescript|rust|golang|java|kotlin|c\+\+|html|css|bash|shell script|dockerfile|kubernetes|api endpoint|codebase|pull request|leetcode|algorithm|class method|exception|segfault|npm|pip install|git (?:commit|rebase|merge))\b|=>|\bdef \w|\b(?:const|let|var) \w+ ?=|#include|\bSELECT\b.{1,200}\bFROM\b/i,
	},
	{
		intent: "math",
		pattern:
			/\b(?:solve|equation|integral|derivative|theorem|probability|calculate|compute|how many|how much|percent(?:age)?|sum of|product of|matrix|eigenvalues?|polynomial|geometry|triangle|modulo|prime numbers?|arithmetic|algebra|calculus)\b|\\(?:frac|int|sum|sqrt)|\d\s?[+*/^×÷=]\s?\d/i,
	},
	{
		intent: "reasoning",
		pattern:
			/\b(?:step[- ]by[- ]step|reason(?:ing)? (?:through|about)|logic(?:al)? puzzle|deduce|infer|prove|proof|why (?:does|do|is|are|did)|trade-?offs?|compare|analy[sz]e|evaluate|critique|argue|implications?|root cause|strategy|diagnos)/i,
	},
	{
		intent: "creative",
		pattern:
			/\b(?:poem|haiku|sonnet|story|short stories|novel|lyrics|song|screenplay|dialogue between|slogan|tagline|brainstorm|imagine|fictional|limerick|blog post|essay|write (?:a|an|me a) (?:letter|speech|joke))\b/i,
	},
	{
		intent: "text",
		pattern:
			/\b(?:extract|summari[sz]e|summary|tl;?dr|classif(?:y|ication)|categori[sz]e|label (?:the|each)|sentiment|key points|list (?:all|every) the|named entit|parse the following|into (?:json|csv|a table)|bullet points?)\b/i,
	},
	{
		intent: "translation",
		pattern:
			/\b(?:translat(?:e|ion|ing)|in(?:to)? (?:french|german|spanish|italian|portuguese|dutch|polish|russian|ukrainian|turkish|arabic|hebrew|hindi|japanese|korean|chinese|mandarin|vietnamese|thai|swedish|greek|latin))\b/i,
	},
];

const ADVICE_WORDS =
	/\b(?:should (?:i|we)|how (?:do|can|should|would) (?:i|we|you)|what would you|recommend|suggest|advice|advise|tips|best way|ideas? for|which .{1,60}\b(?:choose|buy|pick|use))\b/i;

const FACTUAL_WORDS =
	/^\W*(?:what|who|whom|whose|when|where|which|is|are|was|were|does|do|did|has|have|in which|at what)\b|\b(?:define|definition of|capital of|meaning of|what is|who is|when did|where is|how (?:old|tall|far|long|big|deep|high))\b/i;

/** A prompt in which no rule fired: a wish for advice, a question of fact, or talk. */
function generalIntent(text: string): Intent {
	if (ADVICE_WORDS.test(text)) return "advice";
	return FACTUAL_WORDS.test(text) ? "factual" : "chat";
}

const HARD_WORDS =
	/\b(?:prove|proof|derive|optimi[sz]e|architect(?:ure)?|distributed|concurren(?:cy|t)|race condition|formal(?:ly)?|rigorous(?:ly)?|comprehensive|in[- ]depth|from scratch|production[- ]ready|step[- ]by[- ]step|edge cases|threat model|trade-?offs?|complexity|end-to-end|multi-?step)\b/gi;

/** The part of a text that rules look at. */
function cutMiddle(text: string): string {
	return text.length <= 2 * READ_CHARS ? text : `${text.slice(0, READ_CHARS)}\n${text.slice(-READ_CHARS)}`;
}

/** What the user said last; results of tools are not the user's words. */
export function lastUserText({ messages }: ModelCall): string {
	const said = messages.findLast(
		({ role, content }) => role === "user" && !content.every(({ type }) => type === "tool_result"),
	);
	return said
		? partsOfType<ContentPart, "text">(said.content, "text")
				.map(({ text }) => text)
				.join("\n")
		: "";
}

/** Prompt tokens at four characters a token, tools and images included. */
function estimatePromptTokens(call: ModelCall): number {
	let chars = 0;
	for (const text of messageTexts(call)) chars += text.length;
	if (call.tools.length > 0) chars += JSON.stringify(call.tools).length;
	return Math.ceil(chars / CHARS_PER_TOKEN) + callImages(call).length * IMAGE_TOKENS;
}

/** UTF-8 bytes beyond one a character, by which scripts are told apart: none in ASCII, two in each CJK character. */
function bytesBeyondAscii(text: string): number {
	let bytes = 0;
	for (let i = 0; i < text.length; i++) {
		const unit = text.charCodeAt(i);
		if (unit > 0x7f) bytes += unit > 0x7ff ? 2 : 1;
	}
	return bytes;
}

/** A CJK character, two bytes beyond ASCII's one, makes about a token of its own where four Latin letters make one. */
const TOKENS_PER_BYTE_BEYOND = 0.375;

/** The prompt's tokens with what it leaves out, the arguments of called tools, and what it underrates, other scripts. */
function estimateContextTokens(call: ModelCall, promptTokens: number): number {
	const calls = call.messages.flatMap(({ content }) => partsOfType<ContentPart, "tool_call">(content, "tool_call"));
	const written = calls.map(({ arguments: args }) => args);
	let chars = 0;
	for (const text of written) chars += text.length;
	let beyond = 0;
	for (const text of [...messageTexts(call), ...written, JSON.stringify(call.tools)]) beyond += bytesBeyondAscii(text);
	return promptTokens + Math.ceil(chars / CHARS_PER_TOKEN + beyond * TOKENS_PER_BYTE_BEYOND);
}

/** Tokens of a text at four characters a token, rounded up. */
export function estimateTokens(text: string): number {
	return Math.ceil(text.length / CHARS_PER_TOKEN);
}

/** Whether nothing but factual, advice or chat was found. */
export function isGeneral({
	intents,
	hasTools,
	longContext,
}: Pick<Signals, "intents" | "hasTools" | "longContext">): boolean {
	return !hasTools && !longContext && intents.every((intent) => GENERAL_INTENTS.includes(intent));
}

function rateDifficulty(
	text: string,
	found: Pick<Signals, "intents" | "hasTools" | "longContext" | "promptTokens">,
): Signals["difficulty"] {
	const { intents, promptTokens } = found;
	const hardWords = new Set([...text.matchAll(HARD_WORDS)].map(([word]) => word.toLowerCase())).size;
	const demanding = intents.some((intent) => intent === "code" || intent === "math" || intent === "reasoning");
	if (hardWords >= 2 || (demanding && hardWords >= 1 && text.length > 200) || (demanding && promptTokens > HARD_TOKENS))
		return "hard";
	return isGeneral(found) && text.length <= TRIVIAL_CHARS ? "trivial" : "normal";
}

/** Reads a call's signals from its last user message, its tools and its size. */
export function detectSignals(call: ModelCall): Signals {
	const text = cutMiddle(lastUserText(call));
	const promptTokens = estimatePromptTokens(call);
	const images = callImages(call);
	const hasTools = call.tools.length > 0;
	const intents = INTENT_RULES.filter(({ pattern }) => pattern.test(text)).map(({ intent }) => intent);
	if (intents.length === 0) intents.push(generalIntent(text));
	const longContext = promptTokens > LONG_CONTEXT_TOKENS;
	return {
		intents,
		difficulty: rateDifficulty(text, { intents, hasTools, longContext, promptTokens }),
		hasTools,
		longContext,
		hasImages: images.length > 0,
		hasRemoteImages: images.some(({ url }) => url.startsWith("https:")),
		promptTokens,
		contextTokens: estimateContextTokens(call, promptTokens),
	};
}

/** The boolean per signal name that `signals_detected` shows. */
export function toSignalFlags({
	intents,
	difficulty,
	hasTools,
	hasImages,
	longContext,
}: Signals): Record<string, boolean> {
	const byIntent = INTENTS.map((intent): [string, boolean] => [intent, intents.includes(intent)]);
	return Object.fromEntries([
		...byIntent,
		["tools", hasTools],
		["images", hasImages],
		["long_context", longContext],
		["trivial", difficulty === "trivial"],
		["hard", difficulty === "hard"],
	]);
}
