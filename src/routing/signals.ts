// Reads signals from a prompt by rules: what it is about and how difficult it looks. Pure; takes time linear in the
// text.
import { type ContentPart, callImages, type ModelCall, messageTexts, partsOfType } from "../providers/model-call.ts";

/** What a prompt may be about. Rules, previews and answers use these names. */
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

/** Intents of prompts without a more particular one. */
const GENERAL_INTENTS: readonly Intent[] = ["factual", "advice", "chat"];

/** What routing reads from a prompt. */
export interface Signals {
	/** At least one. Exactly one of factual, advice and chat when no other intent was found. */
	intents: Intent[];
	difficulty: "trivial" | "normal" | "hard";
	hasTools: boolean;
	hasImages: boolean;
	/** Images given by https address. */
	hasRemoteImages: boolean;
	/** The prompt is so long that models differ in how well they handle it. */
	longContext: boolean;
	/** An estimate at four characters a token, plus a fixed number per image. */
	promptTokens: number;
	/**
	 * The same estimate for checks against a context window. It also counts scripts that take more tokens per
	 * character.
	 */
	contextTokens: number;
}

/** Characters read from each end of the last user text. The middle of a longer text is skipped. */
const READ_CHARS = 4_000;
const CHARS_PER_TOKEN = 4;
/** Typical number of tokens for an image. The cost bound uses another figure. */
const IMAGE_TOKENS = 1_000;
const LONG_CONTEXT_TOKENS = 32_000;
const HARD_TOKENS = 4_000;
const TRIVIAL_CHARS = 60;

/** The patterns are alternations of literals without nested repetition, so matching is linear. */
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

/** The intent of a prompt that no rule matched. */
function generalIntent(text: string): Intent {
	if (ADVICE_WORDS.test(text)) return "advice";
	return FACTUAL_WORDS.test(text) ? "factual" : "chat";
}

const HARD_WORDS =
	/\b(?:prove|proof|derive|optimi[sz]e|architect(?:ure)?|distributed|concurren(?:cy|t)|race condition|formal(?:ly)?|rigorous(?:ly)?|comprehensive|in[- ]depth|from scratch|production[- ]ready|step[- ]by[- ]step|edge cases|threat model|trade-?offs?|complexity|end-to-end|multi-?step)\b/gi;

/** The part of a text that the rules read. */
function cutMiddle(text: string): string {
	return text.length <= 2 * READ_CHARS ? text : `${text.slice(0, READ_CHARS)}\n${text.slice(-READ_CHARS)}`;
}

/** The text of the last user message. Tool results are not the user's words. */
export function lastUserText({ messages }: ModelCall): string {
	const message = messages.findLast(
		({ role, content }) => role === "user" && !content.every(({ type }) => type === "tool_result"),
	);
	return message
		? partsOfType<ContentPart, "text">(message.content, "text")
				.map(({ text }) => text)
				.join("\n")
		: "";
}

/** Prompt tokens at four characters a token, including tools and images. */
function estimatePromptTokens(call: ModelCall): number {
	let chars = 0;
	for (const text of messageTexts(call)) chars += text.length;
	if (call.tools.length > 0) chars += JSON.stringify(call.tools).length;
	return Math.ceil(chars / CHARS_PER_TOKEN) + callImages(call).length * IMAGE_TOKENS;
}

/** UTF-8 bytes beyond one per character: none in ASCII, two for each CJK character. */
function bytesBeyondAscii(text: string): number {
	let bytes = 0;
	for (let i = 0; i < text.length; i++) {
		const unit = text.charCodeAt(i);
		if (unit > 0x7f) bytes += unit > 0x7ff ? 2 : 1;
	}
	return bytes;
}

/** A CJK character has two bytes beyond one and makes about one token, as four Latin letters do. */
const TOKENS_PER_BYTE_BEYOND = 0.375;

/** The prompt's tokens, plus the arguments of tool calls, plus what other scripts add. */
function estimateContextTokens(call: ModelCall, promptTokens: number): number {
	const calls = call.messages.flatMap(({ content }) => partsOfType<ContentPart, "tool_call">(content, "tool_call"));
	const callArguments = calls.map(({ arguments: args }) => args);
	let chars = 0;
	for (const text of callArguments) chars += text.length;
	let beyond = 0;
	for (const text of [...messageTexts(call), ...callArguments, JSON.stringify(call.tools)])
		beyond += bytesBeyondAscii(text);
	return promptTokens + Math.ceil(chars / CHARS_PER_TOKEN + beyond * TOKENS_PER_BYTE_BEYOND);
}

/** Tokens of a text at four characters a token, rounded up. */
export function estimateTokens(text: string): number {
	return Math.ceil(text.length / CHARS_PER_TOKEN);
}

/** Whether only factual, advice or chat was found. */
export function isGeneral({
	intents,
	hasTools,
	longContext,
}: Pick<Signals, "intents" | "hasTools" | "longContext">): boolean {
	return !hasTools && !longContext && intents.every((intent) => GENERAL_INTENTS.includes(intent));
}

function rateDifficulty(
	text: string,
	prompt: Pick<Signals, "intents" | "hasTools" | "longContext" | "promptTokens">,
): Signals["difficulty"] {
	const { intents, promptTokens } = prompt;
	const hardWords = new Set([...text.matchAll(HARD_WORDS)].map(([word]) => word.toLowerCase())).size;
	const demanding = intents.some((intent) => intent === "code" || intent === "math" || intent === "reasoning");
	if (hardWords >= 2 || (demanding && hardWords >= 1 && text.length > 200) || (demanding && promptTokens > HARD_TOKENS))
		return "hard";
	return isGeneral(prompt) && text.length <= TRIVIAL_CHARS ? "trivial" : "normal";
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

/** The booleans that `signals_detected` shows, by signal name. */
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
