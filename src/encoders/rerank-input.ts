// The query and the documents of a rerank body: texts, or objects with a text; and their limits. Pure.
import type { EncoderModel } from "../catalog/encoder.ts";
import { type Issue, ok, type Result } from "../failure.ts";
import { isJsonObject } from "../json.ts";
import type { Warning } from "../providers/model-call.ts";
import { MAX_REQUEST_TOKENS, refuseInput } from "./text-limits.ts";
import { leastTokens } from "./token-bounds.ts";

/** Documents of a request; a model may take fewer. */
export const MAX_DOCUMENTS = 1_000;

/** The text of a document; null for what is none. */
function textOf(document: unknown): string | null {
	const text = isJsonObject(document) ? document["text"] : document;
	return typeof text === "string" ? text : null;
}

/** The texts of the documents. */
export function readRerankDocuments(documents: readonly unknown[]): Result<string[]> {
	const faults = documents.flatMap((document, index): Issue[] => {
		const text = textOf(document);
		const path = `documents.${index}`;
		if (text === null) return [{ path, message: "must be a string, or an object with a string as text" }];
		return text === "" ? [{ path, message: "must not be empty: leave it out" }] : [];
	});
	return faults.length > 0 ? refuseInput(faults) : ok(documents.map((document) => textOf(document) ?? ""));
}

/** What of a body keeps a model from ranking it. */
export function findRerankFaults(query: string, documents: readonly string[], model: EncoderModel): Issue[] {
	const issues: Issue[] = [];
	const { context_window: window, max_inputs } = model.limits;
	if (documents.length > max_inputs)
		issues.push({
			path: "documents",
			message: `must have at most ${max_inputs} for ${model.id}, and has ${documents.length}: rank in several requests, and then the best of each`,
		});
	const queryTokens = leastTokens(query);
	if (queryTokens >= window)
		issues.push({
			path: "query",
			message: `has at least ${queryTokens} tokens, and ${model.id} reads at most ${window} of the query and a document`,
		});
	const all = documents.reduce((sum, document) => sum + queryTokens + leastTokens(document), 0);
	if (all > MAX_REQUEST_TOKENS)
		issues.push({
			path: "documents",
			message: `have at least ${all} tokens in all, the query with each, and a request has at most ${MAX_REQUEST_TOKENS}: send several requests`,
		});
	return issues;
}

/** Documents that a provider surely reads only in part: rerank models leave out the end of what is too long. */
export function warnOfLongDocuments(query: string, documents: readonly string[], model: EncoderModel): Warning[] {
	const room = model.limits.context_window - leastTokens(query);
	const long = documents.flatMap((document, index) => (leastTokens(document) > room ? index : []));
	const [first] = long;
	if (first === undefined) return [];
	const others = long.length === 1 ? "" : ` and of ${long.length - 1} more`;
	return [
		{
			code: "truncated",
			param: `documents.${first}`,
			message: `of documents.${first}${others} ${model.id} reads only the beginning: it takes ${model.limits.context_window} tokens of the query and a document`,
		},
	];
}
