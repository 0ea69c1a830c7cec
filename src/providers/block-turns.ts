// Conversations as turns of content blocks: what Anthropic's format and Bedrock's have in common. Pure.
import { jsonObjectSchema } from "../http/json-object.ts";
import type { JsonObject } from "../json.ts";
import { OPENING_TEXT, type PlacedSystem } from "./conversation.ts";
import type { AssistantPart, UserPart } from "./model-call.ts";

/** A message of either format. Roles alternate, and the content is a list of blocks. */
export interface BlockTurn {
	role: "user" | "assistant";
	content: JsonObject[];
}

/** How a format writes its blocks. */
export interface TurnForm {
	toBlocks(part: UserPart | AssistantPart): JsonObject[];
	isThinking(block: JsonObject): boolean;
	isResult(block: JsonObject): boolean;
}

function toTurn(message: PlacedSystem["conversation"][number], form: TurnForm): BlockTurn {
	const parts: readonly (UserPart | AssistantPart)[] = message.content;
	const content = parts.flatMap(form.toBlocks);
	// Claude refuses an assistant message that ends with thinking.
	if (message.role === "assistant") while (content.length > 0 && form.isThinking(content.at(-1) ?? {})) content.pop();
	return { role: message.role, content };
}

/**
 * The conversation's turns: empty messages are left out, neighbours of one role are merged, the user begins, and results of tools
 * stand before everything else, as Claude requires.
 */
export function toBlockTurns(conversation: PlacedSystem["conversation"], form: TurnForm): BlockTurn[] {
	const turns: BlockTurn[] = [];
	for (const message of conversation) {
		const turn = toTurn(message, form);
		const last = turns.at(-1);
		if (last?.role === turn.role) last.content.push(...turn.content);
		else if (turn.content.length > 0) turns.push(turn);
	}
	if (turns[0]?.role === "assistant")
		turns.unshift({ role: "user", content: form.toBlocks({ type: "text", text: OPENING_TEXT }) });
	return turns.map(({ role, content }) => ({
		role,
		content: [...content.filter(form.isResult), ...content.filter((block) => !form.isResult(block))],
	}));
}

/** Media type and base64 text of a `data:` address; null for any other address. */
export function parseDataUrl(url: string): { mediaType: string; base64: string } | null {
	if (!url.startsWith("data:")) return null;
	const comma = url.indexOf(",");
	const mediaType = url.slice("data:".length, comma).split(";", 1)[0] ?? "";
	// Some clients write image/jpg, which neither format knows.
	return { mediaType: mediaType === "image/jpg" ? "image/jpeg" : mediaType, base64: url.slice(comma + 1) };
}

/** The input object of a tool call. Only objects are taken, so other text goes under `_raw`, where the model sees it. */
export function parseToolInput(text: string): JsonObject {
	if (text.trim() === "") return {};
	try {
		return jsonObjectSchema.parse(JSON.parse(text));
	} catch {
		return { _raw: text };
	}
}
