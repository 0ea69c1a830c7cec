// A call as the detector reads it: everything that a model is sent with it, and where each text stands.
import type { Conversation, PlacedText, TextPlace, UnreadPart } from "../compliance/conversation.ts";
import type { ContentPart, Message, ModelCall } from "../providers/model-call.ts";
import { readSvg } from "./svg-text.ts";

/** The strings in a JSON value, member names included. Iterative, because the client controls the depth. */
function* stringsIn(value: unknown): Generator<string> {
	const waiting: unknown[] = [value];
	while (waiting.length > 0) {
		const next = waiting.pop();
		if (typeof next === "string") yield next;
		else if (Array.isArray(next)) for (const item of next) waiting.push(item);
		else if (typeof next === "object" && next !== null) {
			yield* Object.keys(next);
			for (const item of Object.values(next)) waiting.push(item);
		}
	}
}

/** A JSON value as one text, in order, each name before its value: `ssn: const: 536904399`. Iterative, too. */
function toOutline(value: unknown): string {
	const waiting: (readonly [name: string, value: unknown])[] = [["", value]];
	let outline = "";
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		const [name, item] = next;
		outline += name;
		if (typeof item === "string" || typeof item === "number") outline += `${item}\n`;
		else if (Array.isArray(item)) for (const inner of item.toReversed()) waiting.push(["", inner]);
		else if (typeof item === "object" && item !== null)
			for (const [inner, of] of Object.entries(item).toReversed()) waiting.push([`${inner}: `, of]);
		else outline += "\n";
	}
	return outline;
}

/**
 * The strings of a JSON value one by one, then the outline of the whole. A number or a password is recognised by the
 * name before it.
 */
function* jsonTexts(value: unknown): Generator<string> {
	yield* stringsIn(value);
	yield toOutline(value);
}

/** Members of provider blocks that only the provider can read: signatures and encrypted content. */
const SEALED_MEMBERS = new Set(["signature", "data", "encrypted_content", "thought_signature", "thoughtSignature"]);

type PartText = readonly [place: TextPlace, text: string];

function* partTexts(part: ContentPart): Generator<PartText> {
	switch (part.type) {
		case "text":
		case "refusal":
		case "reasoning":
			yield [part.type, part.text];
			return;
		case "tool_call":
			yield* idTexts(part.id);
			yield ["name", part.name];
			yield ["tool_call", part.arguments];
			return;
		case "tool_result":
			yield* idTexts(part.callId);
			for (const inner of part.content)
				for (const [place, text] of partTexts(inner)) yield [place === "text" ? "tool_result" : place, text];
			return;
		case "provider": {
			const readable = Object.entries(part.block).filter(([name]) => !SEALED_MEMBERS.has(name));
			for (const text of jsonTexts(Object.fromEntries(readable))) yield ["provider_block", text];
			return;
		}
		case "image": {
			const text = part.url.startsWith("data:") ? readSvg(part.url) : part.url;
			if (text !== null) yield ["image_address", text];
		}
	}
}

/** An id of a tool call, if it is all digits: generated ones have letters, and some look like keys. */
function* idTexts(id: string): Generator<PartText> {
	if (!/[A-Za-z]/.test(id)) yield ["name", id];
}

function* messageConversationTexts({ role, content, name }: Message, message: number): Generator<PlacedText> {
	if (name !== undefined) yield { text: name, message, role, place: "name" };
	for (const part of content) {
		const speaker = part.type === "tool_result" ? "tool" : role;
		for (const [place, text] of partTexts(part)) yield { text, message, role: speaker, place };
	}
}

/** The images of a part that nobody reads. An address says nothing of its image; SVG is text. */
function countImages(part: ContentPart): number {
	if (part.type === "tool_result") return part.content.reduce((sum, inner) => sum + countImages(inner), 0);
	return part.type === "image" && readSvg(part.url) === null ? 1 : 0;
}

/** The conversation of a call: messages of all roles, tool calls and results, definitions, schemas, passed fields. */
export function callConversation(call: ModelCall): Conversation {
	const texts: PlacedText[] = [];
	const unread: UnreadPart[] = [];
	const addOutside = (place: TextPlace, outside: Iterable<string>) => {
		for (const text of outside) texts.push({ text, message: null, role: null, place });
	};
	for (const [message, sent] of call.messages.entries()) {
		texts.push(...messageConversationTexts(sent, message));
		for (const part of sent.content)
			for (let image = countImages(part); image > 0; image--) unread.push({ message, what: "image" });
	}
	addOutside("tool_definition", jsonTexts(call.tools));
	if (typeof call.toolChoice === "object") addOutside("tool_definition", [call.toolChoice.name]);
	addOutside("schema", jsonTexts(call.output));
	addOutside("stop", call.stop);
	if (call.user !== undefined) addOutside("user", [call.user]);
	addOutside("unknown_field", jsonTexts(call.unknownFields));
	return { texts, unread };
}
