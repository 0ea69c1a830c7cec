// The inputs of a moderations body: a text, texts, or the parts of one message; and their limits. Pure.
import { type Issue, ok, type Result } from "../failure.ts";
import { isJsonObject } from "../json.ts";
import { MAX_INPUTS, refuseInput } from "./text-limits.ts";

/** The texts of a body. Parts of a message are one. */
export interface ModerationInputs {
	inputs: string[];
	/** The body has a list of texts, not one and no parts. */
	isList: boolean;
}

const MODERATION_FORMS = "a string, a list of strings, or a list of parts {type: text, text}";

/** What is wrong with a part of a message; null where nothing is. */
function findPartFault(part: unknown, path: string): Issue | null {
	if (typeof part === "string") return { path, message: "is a string among parts: give it as {type: text, text}" };
	if (!isJsonObject(part)) return { path, message: `must be a part: input is ${MODERATION_FORMS}` };
	if (part["type"] === "image_url")
		return { path, message: "is an image, and only texts are judged here: leave it out" };
	if (part["type"] !== "text") return { path: `${path}.type`, message: "must be text" };
	return typeof part["text"] === "string" && part["text"] !== ""
		? null
		: { path: `${path}.text`, message: "must be a string that is not empty" };
}

function readParts(parts: readonly unknown[]): Result<ModerationInputs> {
	const faults = parts.flatMap((part, index) => findPartFault(part, `input.${index}`) ?? []);
	if (faults.length > 0) return refuseInput(faults);
	const texts = parts.map((part) => (isJsonObject(part) ? String(part["text"]) : ""));
	return ok({ inputs: [texts.join("\n\n")], isList: false });
}

/** Reads `input`, in each of OpenAI's forms. */
export function readModerationInput(input: unknown): Result<ModerationInputs> {
	if (input === undefined || input === null)
		return refuseInput([{ path: "input", message: `is missing: ${MODERATION_FORMS}` }]);
	if (input === "") return refuseInput([{ path: "input", message: "must not be an empty string" }]);
	if (typeof input === "string") return ok({ inputs: [input], isList: false });
	if (!Array.isArray(input)) return refuseInput([{ path: "input", message: `must be ${MODERATION_FORMS}` }]);
	if (input.length === 0) return refuseInput([{ path: "input", message: "must not be an empty list" }]);
	if (input.length > MAX_INPUTS)
		return refuseInput([{ path: "input", message: `must have at most ${MAX_INPUTS} texts, and has ${input.length}` }]);
	if (typeof input[0] !== "string") return readParts(input);
	const faults = input.flatMap((entry: unknown, index): Issue[] => {
		const path = `input.${index}`;
		if (typeof entry !== "string")
			return [{ path, message: `is no string, and the first entry is: input is ${MODERATION_FORMS}` }];
		return entry === "" ? [{ path, message: "must not be an empty string" }] : [];
	});
	return faults.length > 0 ? refuseInput(faults) : ok({ inputs: input, isList: true });
}
