// What a request sends an encoder model, as the detector reads it. Nothing of it can be masked: what comes back says nothing that a mask
// could be taken off again. Pure.
import type { EncoderModel } from "../catalog/encoder.ts";
import type { Conversation, PlacedText } from "../compliance/conversation.ts";
import type { BlockedPlace } from "../failure.ts";
import { findUnknownFields } from "../inference/unknown-fields.ts";
import { isJsonObject } from "../json.ts";
import type { EncoderCall, EncoderForm } from "../providers/encoders/encoder-call.ts";
import type { Warning } from "../providers/model-call.ts";

/** An input and the member of the body that it stands in. */
interface PlacedInput {
	path: string;
	input: string | readonly number[];
}

/** Paths of a list, or of the one value that stands in its place. */
function placeList(name: string, inputs: readonly (string | readonly number[])[], isList: boolean): PlacedInput[] {
	return inputs.map((input, index) => ({ path: isList ? `${name}[${index}]` : name, input }));
}

/** The inputs of a call. @param isList the body has a list of them. */
export function placeInputs(call: EncoderCall, isList: boolean): PlacedInput[] {
	if (call.kind !== "rerank") return placeList("input", call.inputs, isList);
	return [{ path: "query", input: call.query }, ...placeList("documents", call.documents, true)];
}

/** The conversation of a call: each input is a message of its own. Nobody reads tokens. */
export function encoderConversation(call: EncoderCall): Conversation {
	const user = call.kind === "embedding" && call.user !== undefined ? call.user : null;
	const inputs = placeInputs(call, true);
	const texts = inputs.flatMap(({ input }, message): PlacedText[] =>
		typeof input === "string" ? [{ text: input, message, role: "user", place: "text", maskable: [] }] : [],
	);
	return {
		texts: user === null ? texts : [...texts, { text: user, message: null, role: null, place: "user", maskable: [] }],
		unread: inputs.flatMap(({ input }, message) =>
			typeof input === "string" ? [] : [{ message, what: "text" as const }],
		),
	};
}

/** A place of a refusal as the client's body has it. */
export function toInputPlace(call: EncoderCall, isList: boolean): (place: BlockedPlace) => BlockedPlace {
	const inputs = placeInputs(call, isList);
	return (place) =>
		place.message === null ? place : { ...place, path: inputs[place.message]?.path ?? "input", message: null };
}

/** Texts of a call, as they are kept where its key wants that. Tokens are no text. */
export function renderInputs(call: EncoderCall): string {
	return placeInputs(call, true)
		.flatMap(({ input }) => (typeof input === "string" ? input : []))
		.join("\n\n");
}

/** Warnings of members of a body that its endpoint does not know. */
export function droppedWarnings(body: unknown, known: object): Warning[] {
	if (!isJsonObject(body)) return [];
	return Object.keys(findUnknownFields(body, known)).map((name) => ({
		code: "parameter_dropped",
		param: name,
		message: `${name} is not known to this endpoint and was left out`,
	}));
}

/** Warnings of what a model is not told, because its form leaves it out. */
export function untoldWarnings(call: EncoderCall, model: EncoderModel, { takesInputType }: EncoderForm): Warning[] {
	if (call.kind !== "embedding" || call.inputType === undefined || takesInputType?.(model)) return [];
	const message = `${model.id} is not told what its texts are for: input_type was left out`;
	return [{ code: "parameter_dropped", param: "input_type", message }];
}
