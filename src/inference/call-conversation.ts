// A call as the detector reads it: everything that a model is sent with it, and where each text stands.
import type { Conversation, PlacedText, TextPlace, UnreadPart } from "../compliance/conversation.ts";
import type { ContentPart, Message, ModelCall } from "../providers/model-call.ts";
import { DEFINITION_START, type DefinitionPosition, itemPosition, memberPosition } from "./definition-texts.ts";
import { readSvg } from "./svg-text.ts";

/** A text of a JSON value, and the spans of it that say something and are no names or keywords. */
type JsonText = Required<Pick<PlacedText, "text" | "maskable">>;

/** The strings in a JSON value, member names included. Iterative, because the client controls the depth. */
function* stringsIn(value: unknown): Generator<JsonText> {
	const waiting: (readonly [value: unknown, position: DefinitionPosition])[] = [[value, DEFINITION_START]];
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		const [item, position] = next;
		const toText = (text: string): JsonText => ({ text, maskable: position.isSaying ? [[0, text.length]] : [] });
		if (typeof item === "string") yield toText(item);
		else if (Array.isArray(item)) for (const inner of item) waiting.push([inner, itemPosition(position)]);
		else if (typeof item === "object" && item !== null) {
			yield* Object.keys(item).map(toText);
			for (const [name, inner] of Object.entries(item)) waiting.push([inner, memberPosition(name, position)]);
		}
	}
}

/** A JSON value as one text, in order, each name before its value: `ssn: const: 536904399`. Iterative, too. */
function toOutline(value: unknown): JsonText {
	const waiting: (readonly [name: string, value: unknown, position: DefinitionPosition])[] = [
		["", value, DEFINITION_START],
	];
	const maskable: [start: number, end: number][] = [];
	let text = "";
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		const [name, item, position] = next;
		text += name;
		if (typeof item === "string" || typeof item === "number") {
			const start = text.length;
			text += `${item}\n`;
			if (position.isSaying) maskable.push([start, text.length - 1]);
		} else if (Array.isArray(item))
			for (const inner of item.toReversed()) waiting.push(["", inner, itemPosition(position)]);
		else if (typeof item === "object" && item !== null)
			for (const [inner, of] of Object.entries(item).toReversed())
				waiting.push([`${inner}: `, of, memberPosition(inner, position)]);
		else text += "\n";
	}
	return { text, maskable };
}

/**
 * The strings of a JSON value one by one, then the outline of the whole. A number or a password is recognised by the
 * name before it.
 */
function* jsonTexts(value: unknown): Generator<JsonText> {
	yield* stringsIn(value);
	yield toOutline(value);
}

/** Members of provider blocks that only the provider can read: signatures and encrypted content. */
const SEALED_MEMBERS = new Set(["signature", "data", "encrypted_content", "thought_signature", "thoughtSignature"]);

/** Without `maskable`, the place decides. */
type PartText = readonly [place: TextPlace, text: string, maskable?: PlacedText["maskable"]];

function* partTexts(part: ContentPart): Generator<PartText> {
	switch (part.type) {
		case "text":
		case "refusal":
		case "reasoning":
			yield [part.type, part.text];
			return;
		case "tool_call":
			yield* idTexts(part.id);
			yield ["name", part.name, []];
			yield ["tool_call", part.arguments];
			return;
		case "tool_result":
			yield* idTexts(part.callId);
			for (const inner of part.content)
				for (const [place, text] of partTexts(inner)) yield [place === "text" ? "tool_result" : place, text];
			return;
		case "provider": {
			const readable = Object.entries(part.block).filter(([name]) => !SEALED_MEMBERS.has(name));
			for (const { text } of jsonTexts(Object.fromEntries(readable))) yield ["provider_block", text];
			return;
		}
		case "image": {
			const text = part.url.startsWith("data:") ? readSvg(part.url) : part.url;
			if (text !== null) yield ["image_address", text];
			return;
		}
		case "file":
			if (part.name !== undefined) yield ["text", part.name];
	}
}

/** What generators of ids put before them: `call_`, `toolu_`, `functions.search:`. */
const ID_PREFIX = /^[A-Za-z][A-Za-z.]*(?:[_:-]+|$)/;

/**
 * An id of a tool call, if it is all digits behind its prefix: generated ones have letters, and some look like keys. In
 * parentheses, because a number that is a whole text counts with less evidence, and most such ids are counted up.
 */
function* idTexts(id: string): Generator<PartText> {
	const own = id.replace(ID_PREFIX, "");
	if (own !== "" && !/[A-Za-z]/.test(own)) yield ["name", `(${own})`];
}

function* messageConversationTexts({ role, content, name }: Message, message: number): Generator<PlacedText> {
	if (name !== undefined) yield { text: name, message, role, place: "name" };
	for (const part of content) {
		const speaker = part.type === "tool_result" ? "tool" : role;
		for (const [place, text, maskable] of partTexts(part))
			yield { text, message, role: speaker, place, ...(maskable ? { maskable } : {}) };
	}
}

/** What nobody reads of a part. An address says nothing of its image; SVG is text. */
function findUnread(part: ContentPart): UnreadPart["what"][] {
	switch (part.type) {
		case "tool_result":
			return part.content.flatMap(findUnread);
		case "image":
			return readSvg(part.url) === null ? ["image"] : [];
		case "file":
		case "audio":
			return ["file"];
		default:
			return [];
	}
}

/** The conversation of a call: messages of all roles, tool calls and results, definitions, schemas, passed fields. */
export function callConversation(call: ModelCall): Conversation {
	const texts: PlacedText[] = [];
	const unread: UnreadPart[] = [];
	const addOutside = (place: TextPlace, outside: Iterable<Pick<PlacedText, "text" | "maskable">>) => {
		for (const text of outside) texts.push({ ...text, message: null, role: null, place });
	};
	for (const [message, sent] of call.messages.entries()) {
		texts.push(...messageConversationTexts(sent, message));
		for (const part of sent.content) unread.push(...findUnread(part).map((what) => ({ message, what })));
	}
	addOutside("tool_definition", jsonTexts(call.tools));
	if (typeof call.toolChoice === "object")
		addOutside("tool_definition", [{ text: call.toolChoice.name, maskable: [] }]);
	addOutside("schema", jsonTexts(call.output));
	const plain = (lines: readonly string[]) => lines.map((text) => ({ text }));
	addOutside("stop", plain(call.stop));
	if (call.user !== undefined) addOutside("user", plain([call.user]));
	addOutside("unknown_field", plain(Array.from(jsonTexts(call.unknownFields), ({ text }) => text)));
	return { texts, unread };
}
