// What the hashes of a receipt may be over, of a text that a reader has: the text itself, or what a whole request or answer says.
import { toHashedFiles, toReceiptFiles } from "../code-mode/files.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { canonicalJson } from "../proof/canonical.ts";
import { toHashedOutput } from "../proof/receipt.ts";
import type { TextHash } from "../proof/salted.ts";
import { fromBase64 } from "../proof/signing.ts";
import { readVector, vectorBytes } from "../proof/vector-bytes.ts";
import { utf8Length } from "../text/utf8.ts";
import { readDocument } from "./document.ts";

/** A text, and without its last line break, which many tools add to a file. */
function plainForms(text: string): string[] {
	const withoutBreak = text.replace(/\r?\n$/, "");
	return withoutBreak === text ? [text] : [text, withoutBreak];
}

function parsedMembers(text: string): JsonObject {
	const read = readDocument(text);
	if (!read.ok) return {};
	if (Array.isArray(read.value)) return { messages: read.value };
	return isJsonObject(read.value) ? read.value : {};
}

/** The members with these names that are there. */
function pick(object: JsonObject, names: readonly string[]): JsonObject {
	return Object.fromEntries(names.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])));
}

/** The endpoints whose whole body an `input_hash` is over. */
const ENCODER_ENDPOINTS = ["embeddings", "moderations", "rerank"];

const isText = (value: unknown): value is string => typeof value === "string";

/** What an `input_hash` may be over: a text, messages, or the body of a request to any entrance. */
export function inputForms(text: string): string[] {
	const body = parsedMembers(text);
	const { messages, input, task, goal, type, query, documents } = body;
	const ofEntrance = (entrance: string, names: readonly string[]) =>
		canonicalJson({ type: "svc.input.v2", entrance, body: pick(body, names) });
	return [
		...plainForms(text),
		...[task, goal].filter(isText),
		...(isText(type) ? [canonicalJson(body)] : []),
		...(messages === undefined
			? []
			: [canonicalJson({ type: "svc.input.v1", messages }), ofEntrance("messages", ["system", "messages"])]),
		...(input === undefined ? [] : [ofEntrance("responses", ["instructions", "input", "previous_response_id"])]),
		...(input === undefined && (query === undefined || documents === undefined)
			? []
			: ENCODER_ENDPOINTS.map((endpoint) => canonicalJson({ type: "svc.input.v3", endpoint, body }))),
	];
}

type DeliveredCall = Parameters<typeof toHashedOutput>[1][number];

const objectsOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
const textOf = (value: unknown): string => (isText(value) ? value : "");
const joined = (parts: readonly JsonObject[], name: string): string | null => {
	const texts = parts.map((part) => part[name]).filter(isText);
	return texts.length === 0 ? null : texts.join("");
};

/** Calls as a receipt hashes them. */
function toCalls(parts: readonly JsonObject[], id: string, toArguments: (part: JsonObject) => string): DeliveredCall[] {
	return parts.map((part) => ({ id: textOf(part[id]), name: textOf(part["name"]), arguments: toArguments(part) }));
}

/** A refusal counts as the text of an answer that has neither text nor calls. */
function outputForm(text: string | null, refusal: string | null, calls: readonly DeliveredCall[]): string {
	return toHashedOutput(calls.length === 0 ? (text ?? refusal) : text, calls);
}

/** The answer of chat, a skill or an orchestration. */
function chatOutputs(answer: JsonObject): string[] {
	return objectsOf(answer["choices"]).flatMap(({ message }) => {
		if (!isJsonObject(message)) return [];
		const calls = objectsOf(message["tool_calls"]).map(({ id, function: called }) => ({
			...(isJsonObject(called) ? called : {}),
			id,
		}));
		const toArguments = (call: JsonObject) => textOf(call["arguments"]);
		return [outputForm(joined([message], "content"), joined([message], "refusal"), toCalls(calls, "id", toArguments))];
	});
}

/** The answer of `/v1/responses`. */
function responseOutputs(answer: JsonObject): string[] {
	const items = objectsOf(answer["output"]);
	if (items.length === 0) return [];
	const parts = items.flatMap(({ content }) => objectsOf(content));
	const calls = items.filter(({ call_id }) => isText(call_id));
	const toArguments = (call: JsonObject) =>
		isText(call["input"]) ? canonicalJson({ input: call["input"] }) : textOf(call["arguments"]);
	const text = joined(
		parts.filter(({ type }) => type === "output_text"),
		"text",
	);
	return [outputForm(text, joined(parts, "refusal"), toCalls(calls, "call_id", toArguments))];
}

/** The answer of `/v1/messages`. */
function messageOutputs(answer: JsonObject): string[] {
	const blocks = objectsOf(answer["content"]);
	if (blocks.length === 0) return [];
	const calls = blocks.filter(({ type }) => type === "tool_use");
	const text = joined(
		blocks.filter(({ type }) => type === "text"),
		"text",
	);
	return [
		outputForm(
			text,
			null,
			toCalls(calls, "id", ({ input }) => canonicalJson(input)),
		),
	];
}

/** The answer of `/v1/code`, by the receipt's version. */
function fileOutputs(answer: JsonObject, hash: TextHash, isSalted: boolean): string[] {
	const files = objectsOf(answer["files"]).map(({ path, language, content }) => {
		const text = textOf(content);
		return { path: textOf(path), language: textOf(language), content: text, bytes: utf8Length(text) };
	});
	if (files.length === 0) return [];
	if (isSalted) return [toHashedFiles(toReceiptFiles(files, hash))];
	const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
	const unsalted = sorted.map(({ content, ...file }) => ({ ...file, sha256: hash(content) }));
	return [canonicalJson({ type: "svc.files.v1", files: unsalted })];
}

/** Numbers, or the base64 of them as little-endian float32. */
function toVector(embedding: unknown): Float32Array | null {
	if (isText(embedding)) {
		const bytes = fromBase64(embedding);
		return bytes && readVector(bytes);
	}
	const isVector = Array.isArray(embedding) && embedding.every((number) => typeof number === "number");
	return isVector ? Float32Array.from(embedding as number[]) : null;
}

/** The answer of `/v1/embeddings`. */
function vectorOutputs({ data }: JsonObject): Uint8Array[] {
	const entries = objectsOf(data);
	const vectors = entries.flatMap(({ embedding }) => toVector(embedding) ?? []);
	const isInOrder = entries.every(({ index }, place) => index === place);
	return entries.length > 0 && vectors.length === entries.length && isInOrder ? [vectorBytes(vectors)] : [];
}

/** The answer of `/v1/moderations` or `/v1/rerank`. */
function resultOutputs({ results }: JsonObject): string[] {
	const entries = objectsOf(results);
	if (entries.length === 0) return [];
	const hashed = entries.map(({ flagged, categories, category_scores, index, relevance_score }) =>
		flagged === undefined ? { index, score: relevance_score } : { flagged, categories, scores: category_scores },
	);
	const isWhole = hashed.every((entry) => Object.values(entry).every((value) => value !== undefined));
	return isWhole ? [canonicalJson({ type: "svc.results.v1", results: hashed })] : [];
}

/** What an `output_hash` may be over: a text, or the whole answer of any entrance. @param hash of the receipt's texts. */
export function outputForms(text: string, hash: TextHash, isSalted: boolean): (string | Uint8Array)[] {
	const answer = parsedMembers(text);
	const { output, type } = answer;
	return [
		...plainForms(text),
		...(isText(output) ? [output] : []),
		...(type === "svc.output.v1" ? [canonicalJson(answer)] : []),
		...chatOutputs(answer),
		...responseOutputs(answer),
		...messageOutputs(answer),
		...fileOutputs(answer, hash, isSalted),
		...vectorOutputs(answer),
		...resultOutputs(answer),
	];
}
