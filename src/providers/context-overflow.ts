// Tells from an upstream's refusal that the prompt is too long for the model. Each provider says it in its own words. Pure.
import type { ContextOverflow } from "../failure.ts";
import type { UpstreamError } from "./wire.ts";

/** The code that says it by itself: OpenAI's, and that of many imitators. */
const OVERFLOW_CODE = "context_length_exceeded";

/** Texts that say it, with their numbers where they name them. From the providers' references and recorded refusals. */
const OVERFLOW_TEXTS: readonly RegExp[] = [
	// Anthropic.
	/prompt is too long(?::\s*(?<tokens>\d+) tokens > (?<maximum>\d+) maximum)?/i,
	/input length and `?max_tokens`? exceed context limit/i,
	// Google.
	/input token count(?: \((?<tokens>\d+)\))? exceeds the maximum number of tokens(?: allowed)?(?: \(?(?<maximum>\d+))?/i,
	// Mistral.
	/prompt contains (?<tokens>\d+) tokens\b.*?too large for model with (?<maximum>\d+) maximum context length/is,
	// OpenAI and its imitators. The numbers come first where a text has them.
	/maximum context length is (?<maximum>\d+) tokens\b.*?(?:resulted in|requested|has|contains)(?: about)? (?<tokens>\d+)/is,
	/maximum context length/i,
	/exceeds the context window/i,
	// llama.cpp and LM Studio.
	/request(?: \((?<tokens>\d+) tokens\))? exceeds the available context size(?: \((?<maximum>\d+) tokens\))?/i,
	/keep the first (?<tokens>\d+) tokens when context the overflows\b.*?context length of only (?<maximum>\d+) tokens/is,
	/context size has been exceeded/i,
	// Bedrock's own, of several models; Claude's and others' stand in its sentence "The model returned the following errors: …".
	/input is too long for (?:the )?requested model/i,
	/number of input tokens exceeds maximum length/i,
	/too many input tokens\. max input tokens: (?<maximum>\d+), request input token count: (?<tokens>\d+)/i,
	// xAI.
	/maximum prompt length is (?<maximum>\d+) but the request contains (?<tokens>\d+) tokens/i,
];

function toCount(digits: string | undefined): number | null {
	return digits === undefined ? null : Number(digits);
}

/** The overflow that an upstream's refusal is about; null for another refusal. */
export function readContextOverflow({ code, message }: UpstreamError): ContextOverflow | null {
	const found = OVERFLOW_TEXTS.map((text) => text.exec(message)).find((match) => match !== null);
	if (!found) return code === OVERFLOW_CODE ? { tokens: null, maximum: null } : null;
	const tokens = toCount(found.groups?.["tokens"]);
	const maximum = toCount(found.groups?.["maximum"]);
	// Numbers that do not show an overflow, such as a prompt that leaves the answer no room, are left to the text.
	if (tokens === null || maximum === null || tokens <= maximum) return { tokens: null, maximum: null };
	return { tokens, maximum };
}
