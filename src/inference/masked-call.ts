// Masks what a model is sent of a call, and restores what it answers, whole or streamed. Names of tools, names in schemas, addresses
// of images and signed blocks stay as they are (compliance/mask/plan.ts). Pure.
import type { Mask, Restorer, TextForm } from "../compliance/mask/mask.ts";
import type {
	AssistantPart,
	Message,
	ModelAnswer,
	ModelCall,
	OutputFormat,
	ShownPart,
	TextPart,
	ToolDefinition,
	ToolResultPart,
	UserPart,
	Warning,
} from "../providers/model-call.ts";
import type { StreamPart } from "../providers/wire.ts";
import { replaceSaidIn } from "./definition-texts.ts";

function maskTextPart(part: TextPart, mask: Mask): TextPart {
	return { ...part, text: mask.maskText(part.text) };
}

/** Images and files stay as they are: nobody reads them. */
function maskShownPart(part: ShownPart, mask: Mask): ShownPart {
	if (part.type === "text") return maskTextPart(part, mask);
	return part.type === "file" && part.name !== undefined ? { ...part, name: mask.maskText(part.name) } : part;
}

function maskToolResult(part: ToolResultPart, mask: Mask): ToolResultPart {
	const content = part.content.map((inner) => maskShownPart(inner, mask));
	return { ...part, callId: mask.maskName(part.callId), content };
}

function maskUserPart(part: UserPart, mask: Mask): UserPart {
	if (part.type === "tool_result") return maskToolResult(part, mask);
	return part.type === "provider" || part.type === "audio" ? part : maskShownPart(part, mask);
}

function maskAssistantPart(part: AssistantPart, mask: Mask): AssistantPart {
	if (part.type === "provider") return part;
	if (part.type === "tool_call")
		return { ...part, id: mask.maskName(part.id), arguments: mask.maskJson(part.arguments) };
	return { ...part, text: mask.maskText(part.text) };
}

function maskMessage(message: Message, mask: Mask): Message {
	const name = message.name === undefined ? {} : { name: mask.maskName(message.name) };
	switch (message.role) {
		case "system":
			return { ...message, ...name, content: message.content.map((part) => maskTextPart(part, mask)) };
		case "user":
			return { ...message, ...name, content: message.content.map((part) => maskUserPart(part, mask)) };
		case "assistant":
			return { ...message, ...name, content: message.content.map((part) => maskAssistantPart(part, mask)) };
	}
}

/** Messages with placeholders. */
export function maskMessages(messages: readonly Message[], mask: Mask): Message[] {
	return messages.map((message) => maskMessage(message, mask));
}

/** A tool with placeholders in what its definition says. */
function maskTool(tool: ToolDefinition, mask: Mask): ToolDefinition {
	const { description, parameters } = tool;
	return {
		...tool,
		...(description === undefined ? {} : { description: mask.maskText(description) }),
		...(parameters === undefined ? {} : { parameters: replaceSaidIn(parameters, (json) => mask.maskJson(json)) }),
	};
}

function maskOutput(output: OutputFormat, mask: Mask): OutputFormat {
	if (output.type !== "json_schema") return output;
	const { description, schema } = output;
	return {
		...output,
		...(description === undefined ? {} : { description: mask.maskText(description) }),
		...(schema === undefined ? {} : { schema: replaceSaidIn(schema, (json) => mask.maskJson(json)) }),
	};
}

/** A call with placeholders; the same one where nothing is masked. */
export function maskCall(call: ModelCall, mask: Mask | null): ModelCall {
	if (!mask || mask.isEmpty) return call;
	return {
		...call,
		messages: maskMessages(call.messages, mask),
		tools: call.tools.map((tool) => maskTool(tool, mask)),
		output: maskOutput(call.output, mask),
		stop: call.stop.map((sequence) => mask.maskText(sequence)),
		...(call.user === undefined ? {} : { user: mask.maskText(call.user) }),
	};
}

/** How values stand in the text of an answer. */
export function answerForm({ type }: OutputFormat): TextForm {
	return type === "text" ? "text" : "json";
}

function restorePart(part: AssistantPart, mask: Mask, form: TextForm): AssistantPart {
	switch (part.type) {
		case "provider":
			return part;
		case "tool_call":
			return { ...part, arguments: mask.restore(part.arguments, "json") };
		case "text":
			return { ...part, text: mask.restore(part.text, form) };
		default:
			return { ...part, text: mask.restore(part.text) };
	}
}

/** The stop sequence that matched, as the client wrote it. */
function restoreStop({ stopSequence }: { stopSequence?: string }, mask: Mask): { stopSequence?: string } {
	return stopSequence === undefined ? {} : { stopSequence: mask.restore(stopSequence) };
}

/** An answer with the values that its placeholders stand for. Blocks of the provider's and log probabilities stay as they are. */
export function restoreAnswer(answer: ModelAnswer, mask: Mask | null, form: TextForm): ModelAnswer {
	if (!mask || mask.isEmpty) return answer;
	return {
		...answer,
		...restoreStop(answer, mask),
		content: answer.content.map((part) => restorePart(part, mask, form)),
	};
}

/** A kind of text that comes in pieces, and the part that its next piece is. */
interface OpenText {
	restorer: Restorer;
	part: Extract<StreamPart, { text: string }>;
}

/** Restores the parts of one stream. */
class PartRestorer {
	readonly #mask: Mask;
	readonly #form: TextForm;
	/** The text under way. It ends where another kind of text or a call begins. */
	#text: OpenText | null = null;
	/** The arguments of calls, by the calls' index. */
	readonly #arguments = new Map<number, OpenText>();

	constructor(mask: Mask, form: TextForm) {
		this.#mask = mask;
		this.#form = form;
	}

	pass(part: StreamPart): StreamPart[] {
		switch (part.type) {
			case "text":
			case "reasoning":
			case "refusal": {
				const ended = this.#text?.part.type === part.type ? [] : this.#endText();
				this.#text ??= { restorer: this.#mask.restorer(part.type === "text" ? this.#form : "text"), part };
				return [...ended, ...addTo(this.#text, part.text)];
			}
			case "tool_arguments": {
				const open = this.#arguments.get(part.index) ?? { restorer: this.#mask.restorer("json"), part };
				this.#arguments.set(part.index, open);
				return addTo(open, part.text);
			}
			case "tool_call":
			case "provider":
				return [...this.#endText(), part];
			case "finish":
				return [...this.end(), { ...part, ...restoreStop(part, this.#mask) }];
			default:
				return [part];
		}
	}

	#endText(): StreamPart[] {
		const open = this.#text;
		this.#text = null;
		return open ? rest(open) : [];
	}

	/** What was held back. */
	end(): StreamPart[] {
		const held = [...this.#endText(), ...[...this.#arguments.values()].flatMap(rest)];
		this.#arguments.clear();
		return held;
	}
}

function addTo({ restorer, part }: OpenText, piece: string): StreamPart[] {
	const text = restorer.add(piece);
	return text === "" ? [] : [{ ...part, text }];
}

function rest({ restorer, part }: OpenText): StreamPart[] {
	const text = restorer.end();
	return text === "" ? [] : [{ ...part, text }];
}

/** The parts of a stream with the values that placeholders stand for. A placeholder that comes in pieces is held back until it is whole. */
export async function* restoreParts(
	parts: AsyncIterable<readonly StreamPart[]>,
	mask: Mask,
	form: TextForm,
): AsyncGenerator<readonly StreamPart[], void> {
	const restorer = new PartRestorer(mask, form);
	for await (const batch of parts) yield batch.flatMap((part) => restorer.pass(part));
	yield restorer.end();
}

/** A JSON value with its texts restored. */
function restoreJson(value: unknown, mask: Mask): unknown {
	if (typeof value === "string") return mask.restore(value);
	if (Array.isArray(value)) return value.map((item) => restoreJson(item, mask));
	return typeof value === "object" && value !== null ? restoreMembers({ ...value }, mask) : value;
}

/** An object of the service's own making, such as an event, with its texts restored. */
export function restoreMembers(members: Record<string, unknown>, mask: Mask | null): Record<string, unknown> {
	if (!mask || mask.isEmpty) return members;
	return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, restoreJson(value, mask)]));
}

/** Restores the texts of an answer that several models made, and collects what cannot be restored. */
export class AnswerTexts {
	readonly #mask: Mask | null;
	readonly #strays = new Set<string>();

	constructor(mask: Mask | null) {
		this.#mask = mask;
	}

	restore(text: string, form: TextForm = "text"): string {
		if (!this.#mask) return text;
		for (const stray of this.#mask.findStrays(text)) this.#strays.add(stray);
		return this.#mask.restore(text, form);
	}

	get warnings(): Warning[] {
		return strayWarnings(this.#strays);
	}
}

/** More strays than this are not listed. */
const MAX_LISTED_STRAYS = 8;

/** Says that an answer holds what looks like placeholders and stands for nothing; null without any. */
export function describeStrays(strays: Iterable<string>): string | null {
	const all = [...new Set(strays)];
	if (all.length === 0) return null;
	const listed = all.slice(0, MAX_LISTED_STRAYS).join(", ");
	const more = all.length > MAX_LISTED_STRAYS ? `, and ${all.length - MAX_LISTED_STRAYS} more` : "";
	return `the model changed or made up placeholders, which stay as they are: ${listed}${more}`;
}

function strayWarnings(strays: Iterable<string>): Warning[] {
	const message = describeStrays(strays);
	return message === null ? [] : [{ code: "placeholder_not_restored", param: null, message }];
}

/** What could not be restored in an answer. @param answer as the model wrote it. */
export function answerMaskWarnings({ content, logprobs }: ModelAnswer, mask: Mask | null): Warning[] {
	if (!mask || mask.isEmpty) return [];
	const texts = content.flatMap((part) =>
		part.type === "provider" ? [] : part.type === "tool_call" ? [part.arguments] : [part.text],
	);
	const strays = strayWarnings(texts.flatMap((text) => mask.findStrays(text)));
	if (logprobs === null) return strays;
	const message = "the tokens are those that the model wrote, with placeholders for masked values";
	return [...strays, { code: "parameter_changed", param: "logprobs", message }];
}
