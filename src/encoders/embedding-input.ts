// The inputs of an embeddings body: one text, some texts, the tokens of one text, or those of some; and their limits. Pure.
import type { EncoderModel } from "../catalog/encoder.ts";
import { hasDimensions } from "../catalog/encoder.ts";
import { type Issue, ok, type Result } from "../failure.ts";
import type { EmbeddingInput } from "../providers/encoders/encoder-call.ts";
import { ASSUMED_DIMENSIONS, askedDimensions } from "./encoder-batches.ts";
import { findLengthFaults, inputPath, MAX_INPUTS, refuseInput } from "./text-limits.ts";

/** Bytes of the numbers of an answer. */
export const MAX_ANSWER_BYTES = 16_777_216;

/** How vectors are written: as lists of numbers, or as base64 of their little-endian float32. */
export const ENCODING_FORMATS = ["float", "base64"] as const;
export type EncodingFormat = (typeof ENCODING_FORMATS)[number];

/** The most bytes of a number: a float32 as the decimal of a double with a comma, or four bytes as base64. */
const NUMBER_BYTES: Readonly<Record<EncodingFormat, number>> = { float: 24, base64: 16 / 3 };

/** Numbers of all vectors of an answer. */
export function maxNumbers(format: EncodingFormat): number {
	return Math.floor(MAX_ANSWER_BYTES / NUMBER_BYTES[format]);
}

/** The inputs of a body. */
export interface EmbeddingInputs {
	inputs: EmbeddingInput[];
	/** The body has a list of inputs, not one. */
	isList: boolean;
}

const FORMS = "a string, a list of strings, a list of tokens, or a list of lists of tokens";

/** What an entry of a list is. */
function kindOf(entry: unknown): "text" | "token" | "tokens" | "other" {
	if (typeof entry === "string") return "text";
	if (typeof entry === "number") return "token";
	return Array.isArray(entry) ? "tokens" : "other";
}

const ENTRY_WORDS = { text: "a string", token: "a number", tokens: "a list", other: "neither a string nor tokens" };

function isToken(value: unknown): value is number {
	return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff;
}

/** What is wrong with the tokens of one input; null where nothing is. */
function findTokenFault(tokens: readonly unknown[], path: string): Issue | null {
	if (tokens.length === 0) return { path, message: "must not be an empty list" };
	const at = tokens.findIndex((token) => !isToken(token));
	return at < 0 ? null : { path: `${path}.${at}`, message: "must be a token: a whole number from 0" };
}

function readList(list: readonly unknown[]): Result<EmbeddingInputs> {
	const kind = kindOf(list[0]);
	const other = list.findIndex((entry) => kindOf(entry) !== kind);
	if (kind === "other")
		return refuseInput([{ path: "input.0", message: `is ${ENTRY_WORDS[kind]}: input must be ${FORMS}` }]);
	if (other >= 0) {
		const [first, found] = [ENTRY_WORDS[kind], ENTRY_WORDS[kindOf(list[other])]];
		return refuseInput([
			{ path: `input.${other}`, message: `is ${found}, and the first entry ${first}: input must be ${FORMS}` },
		]);
	}
	if (kind === "token") {
		const fault = findTokenFault(list, "input");
		return fault ? refuseInput([fault]) : ok({ inputs: [list as number[]], isList: false });
	}
	if (list.length > MAX_INPUTS)
		return refuseInput([{ path: "input", message: `must have at most ${MAX_INPUTS} inputs, and has ${list.length}` }]);
	const faults = list.flatMap((entry, index): Issue[] => {
		const path = `input.${index}`;
		if (entry === "") return [{ path, message: "must not be an empty string" }];
		const fault = Array.isArray(entry) ? findTokenFault(entry, path) : null;
		return fault ? [fault] : [];
	});
	return faults.length > 0 ? refuseInput(faults) : ok({ inputs: list as EmbeddingInput[], isList: true });
}

/** Reads `input`, in each of OpenAI's four forms. */
export function readEmbeddingInput(input: unknown): Result<EmbeddingInputs> {
	if (input === undefined || input === null) return refuseInput([{ path: "input", message: `is missing: ${FORMS}` }]);
	if (input === "") return refuseInput([{ path: "input", message: "must not be an empty string" }]);
	if (typeof input === "string") return ok({ inputs: [input], isList: false });
	if (!Array.isArray(input)) return refuseInput([{ path: "input", message: `must be ${FORMS}` }]);
	if (input.length === 0) return refuseInput([{ path: "input", message: "must not be an empty list" }]);
	return readList(input);
}

/** The lengths of vectors that a model makes, in words. */
function renderSizes({ dimensions }: EncoderModel): string {
	if (!dimensions) return "other lengths are not known of it";
	const { sizes, default: own } = dimensions;
	if (sizes === null) return `it makes ${own} and no other`;
	return Array.isArray(sizes) ? `it makes ${sizes.join(", ")}` : `it makes ${sizes.min} to ${sizes.max}`;
}

/** What of a body keeps a model from making its vectors. Only what is surely too long is refused here. */
export function findEmbeddingFaults(
	{ inputs, isList }: EmbeddingInputs,
	{ dimensions, format }: { dimensions: number | null; format: EncodingFormat },
	model: EncoderModel,
): Issue[] {
	const issues: Issue[] = [];
	if (dimensions !== null && model.dimensions && !hasDimensions(model, dimensions))
		issues.push({ path: "dimensions", message: `${model.id} cannot make ${dimensions}: ${renderSizes(model)}` });
	const tokens = inputs.findIndex((input) => typeof input !== "string");
	if (tokens >= 0 && !model.token_inputs)
		issues.push({
			path: inputPath(tokens, isList),
			message: `${model.id} takes texts and no lists of tokens: send the text itself`,
		});
	issues.push(...findLengthFaults(inputs, isList, model));
	const own = askedDimensions({ dimensions }, model);
	const length = own ?? ASSUMED_DIMENSIONS;
	const numbers = length * inputs.length;
	const most = maxNumbers(format);
	if (numbers > most) {
		const vectors = `${inputs.length} vectors of ${own === null ? "up to " : ""}${length} numbers are ${numbers}`;
		const why = own === null ? ` (the catalog does not say how many ${model.id} makes)` : "";
		issues.push({
			path: "input",
			message: `${vectors}${why}, and an answer of encoding_format ${format} has at most ${most} (16 MiB): send fewer inputs${format === "float" ? ", ask for base64" : ""} or for fewer dimensions`,
		});
	}
	return issues;
}
