// Turns Anthropic's messages into those of a call. What no model can be sent is left out with a warning. Pure.
import type { Catalog } from "../catalog/catalog.ts";
import type { OpenedReasoning } from "../inference/sealed-reasoning.edge.ts";
import { markedCallId, readCallId } from "../inference/tool-call-ids.ts";
import { optionalMember } from "../json.ts";
import type {
	AssistantPart,
	ImagePart,
	Message,
	ShownPart,
	TextPart,
	ToolCallPart,
	ToolResultPart,
	UserPart,
} from "../providers/model-call.ts";
import type { AssistantBlock, ResultBlock, UserBlock } from "./blocks.ts";
import { toCacheMember } from "./cache-marks.ts";
import type { EntranceWarnings } from "./warnings.ts";

export interface ContentContext {
	catalog: Catalog;
	/** By the `data` of redacted thinking. Data that is not here is Anthropic's own. */
	opened: ReadonlyMap<string, OpenedReasoning | null>;
	warnings: EntranceWarnings;
}

type Block = UserBlock | AssistantBlock | ResultBlock;
type BlockOf<T extends Block["type"]> = Extract<Block, { type: T }>;
type ShownBlock = BlockOf<"text" | "image" | "document" | "search_result">;
type LeftOutBlock = Exclude<UserBlock, ShownBlock | { type: "tool_result" }>;

function toImagePart({ source, cache_control }: Pick<BlockOf<"image">, "source" | "cache_control">): ImagePart {
	const url = source.type === "url" ? source.url : `data:${source.media_type};base64,${source.data}`;
	return { type: "image", url, ...toCacheMember(cache_control) };
}

/** A block of text as a part. */
export function toTextPart({ text, cache_control }: Pick<BlockOf<"text">, "text" | "cache_control">): TextPart {
	return { type: "text", text, ...toCacheMember(cache_control) };
}

/** The lines before a document's text; none without title and context. */
function documentHead(title: string | null | undefined, context: string | null | undefined): string[] {
	return [...(title ? [`Document: ${title}`] : []), ...(context ? [`Context: ${context}`] : [])];
}

function warnOfCitations({ citations }: BlockOf<"document" | "search_result">, path: string, context: ContentContext) {
	if (citations?.enabled)
		context.warnings.add("parameter_dropped", `${path}.citations`, "documents are sent without citations");
}

/** What a document holds: its text, or the PDF. Pictures in it stay pictures. */
function documentParts({ source }: BlockOf<"document">): ShownPart[] {
	switch (source.type) {
		case "content":
			return source.content.map((inner) => (inner.type === "text" ? toTextPart(inner) : toImagePart(inner)));
		case "base64":
			return [source.part];
		case "text":
			return [{ type: "text", text: source.data }];
	}
}

/** A document behind what the client says of it. A PDF has its title as its name. */
function fromDocument(block: BlockOf<"document">, path: string, context: ContentContext): ShownPart[] {
	warnOfCitations(block, path, context);
	const parts = documentParts(block);
	const [first, ...rest] = parts;
	const isPdf = first?.type === "file";
	const head = documentHead(isPdf ? null : block.title, block.context);
	const named = isPdf && block.title ? [{ ...first, name: block.title }, ...rest] : parts;
	const headed: ShownPart[] =
		head.length === 0
			? named
			: first?.type === "text"
				? [{ ...first, text: [...head, "", first.text].join("\n") }, ...rest]
				: [{ type: "text", text: head.join("\n") }, ...named];
	return markLast(headed, block.cache_control);
}

function markLast(parts: ShownPart[], control: BlockOf<"text">["cache_control"]): ShownPart[] {
	const last = parts.at(-1);
	return last && control ? [...parts.slice(0, -1), { ...last, ...toCacheMember(control) }] : parts;
}

function fromSearchResult(block: BlockOf<"search_result">, path: string, context: ContentContext): TextPart[] {
	warnOfCitations(block, path, context);
	const text = [`${block.title} (${block.source})`, ...block.content.map((inner) => inner.text)].join("\n");
	return [{ type: "text", text, ...toCacheMember(block.cache_control) }];
}

/** What a user and a tool may both show a model. */
function fromShownBlock(block: ShownBlock, path: string, context: ContentContext): ShownPart[] {
	switch (block.type) {
		case "text":
			return [toTextPart(block)];
		case "image":
			return [toImagePart(block)];
		case "document":
			return fromDocument(block, path, context);
		case "search_result":
			return fromSearchResult(block, path, context);
	}
}

function fromResultBlock(block: ResultBlock, path: string, context: ContentContext): ShownPart[] {
	switch (block.type) {
		case "tool_reference":
			return [{ type: "text", text: `Tool found: ${block.tool_name}`, ...toCacheMember(block.cache_control) }];
		case "browser_state":
			context.warnings.add(
				"input_dropped",
				path,
				"browser_state blocks are of Anthropic's own tools; they were left out",
			);
			return [];
		default:
			return fromShownBlock(block, path, context);
	}
}

function toToolResult(block: BlockOf<"tool_result">, path: string, context: ContentContext): ToolResultPart {
	const content = (block.content ?? []).flatMap((inner, index) =>
		fromResultBlock(inner, `${path}.content[${index}]`, context),
	);
	return {
		type: "tool_result",
		callId: readCallId(block.tool_use_id, context.catalog).id,
		content: content.length > 0 ? content : [{ type: "text", text: "" }],
		...(block.is_error ? { isError: true as const } : {}),
		...toCacheMember(block.cache_control),
	};
}

/** A summary of earlier turns is sent as text. What else a provider left in the history has no place in a call. */
function fromLeftOut(block: LeftOutBlock, path: string, { warnings }: ContentContext): TextPart[] {
	if (block.type === "compaction" && block.content) return [{ type: "text", text: block.content }];
	warnings.add("input_dropped", path, `${block.type} blocks are of Anthropic's own service; they were left out`);
	return [];
}

function fromUserBlock(block: UserBlock, path: string, context: ContentContext): UserPart[] {
	switch (block.type) {
		case "text":
		case "image":
		case "document":
		case "search_result":
			return fromShownBlock(block, path, context);
		case "tool_result":
			return [toToolResult(block, path, context)];
		default:
			return fromLeftOut(block, path, context);
	}
}

/**
 * The messages of a user's turn: one for each tool result, then one for what else the user sent. Other forms have a message for
 * each result, and all providers want results first.
 * @param path of the message, such as `messages[3]`.
 */
export function toUserMessages(blocks: readonly UserBlock[], path: string, context: ContentContext): Message[] {
	const parts = blocks.flatMap((block, index) => fromUserBlock(block, `${path}.content[${index}]`, context));
	const results = parts.filter((part) => part.type === "tool_result");
	const rest = parts.filter((part) => part.type !== "tool_result");
	return [
		...results.map((part): Message => ({ role: "user", content: [part] })),
		...(rest.length > 0 ? [{ role: "user" as const, content: rest }] : []),
	];
}

/** A signature of a tool call that travelled sealed, and the only model that may be sent it. */
type SealedSignature = Required<Pick<ToolCallPart, "signature" | "onlyFor">> & Pick<ToolCallPart, "account">;
/** By the id of the call. */
type CallSignatures = Map<string, SealedSignature>;

/** The parts of sealed reasoning, for the model that wrote them. A call in it stands for the call of the same id. */
function fromOpenedReasoning(
	{ modelId, account, parts }: OpenedReasoning,
	catalog: Catalog,
	signatures: CallSignatures,
): AssistantPart[] {
	const reader = { onlyFor: modelId, ...optionalMember("account", account) };
	return parts.flatMap((part): AssistantPart[] => {
		if (part.type === "provider" || part.type === "reasoning") return [{ ...part, ...reader }];
		if (part.type !== "tool_call") return [part];
		if (part.signature === undefined) return [];
		const sealed = { signature: part.signature, ...reader };
		signatures.set(part.id, sealed);
		signatures.set(readCallId(markedCallId(part.id, modelId), catalog).id, sealed);
		return [];
	});
}

function fromAssistantBlock(
	block: AssistantBlock,
	path: string,
	context: ContentContext,
	signatures: CallSignatures,
): AssistantPart[] {
	switch (block.type) {
		case "text":
			return [toTextPart(block)];
		case "thinking":
			if (block.signature) return [{ type: "provider", wire: "anthropic", block }];
			return block.thinking === "" ? [] : [{ type: "reasoning", text: block.thinking }];
		case "redacted_thinking": {
			const opened = context.opened.get(block.data);
			return opened
				? fromOpenedReasoning(opened, context.catalog, signatures)
				: [{ type: "provider", wire: "anthropic", block }];
		}
		case "tool_use": {
			const { id } = readCallId(block.id, context.catalog);
			return [
				{
					type: "tool_call",
					id,
					name: block.name,
					arguments: JSON.stringify(block.input ?? {}),
					...signatures.get(id),
					...toCacheMember(block.cache_control),
				},
			];
		}
		default:
			return fromLeftOut(block, path, context);
	}
}

/** The message of an assistant's turn; none when nothing of it can be sent. */
export function toAssistantMessages(
	blocks: readonly AssistantBlock[],
	path: string,
	context: ContentContext,
): Message[] {
	const signatures: CallSignatures = new Map();
	const content = blocks.flatMap((block, index) =>
		fromAssistantBlock(block, `${path}.content[${index}]`, context, signatures),
	);
	return content.length > 0 ? [{ role: "assistant", content }] : [];
}
