// The endpoints of stored responses: reads one, lists its input items, deletes it.
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { mayChange, mayRead, readableMakers } from "../account/makers.ts";
import { type Failure, fail, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { booleanParam, integerParam } from "../http/query.ts";
import type { JsonObject } from "../json.ts";
import { userSeal } from "../meter/user-seal.edge.ts";
import { storedResponsesClient } from "./stored-client.edge.ts";
import {
	isResponseId,
	type OutputItem,
	type SealedPart,
	type StoredItem,
	sealedPartName,
	selectItemPage,
	toListedItem,
	toShownOutput,
} from "./stored-response.ts";

const MAX_LISTED_ITEMS = 100;
const DEFAULT_LISTED_ITEMS = 20;

const NOT_FOUND: Failure = {
	reason: "response_not_found",
	message: "you have no stored response with this id: it is unknown, was not stored, was deleted, or is too old",
};

const OTHERS_RESPONSE: Failure = {
	reason: "role_forbidden",
	message: "a key with the role agent may delete only responses that it, or a key it replaced, made",
};

const responseIdParam = z.lazy(() => z.object({ response_id: z.string() }));

/** One value or several. OpenAI's libraries write the name of a list with brackets. */
const namesParam = z.lazy(() => z.union([z.string(), z.array(z.string())]).optional());

/** What the parts of a stored response hold. */
interface OpenedParts {
	response: JsonObject & { id: string; object: "response" };
	input: StoredItem[];
	output: OutputItem[];
}

/** Some parts of a stored response that the caller reads; null when it is not stored. */
async function readParts<Part extends SealedPart>(
	id: string,
	parts: readonly Part[],
	{ account, env }: KeyContext,
): Promise<Pick<OpenedParts, Part> | null> {
	const sealed = isResponseId(id)
		? await storedResponsesClient(env, account.userId).read(id, parts, readableMakers(account))
		: null;
	if (!sealed) return null;
	const seal = await userSeal(env, account.userId);
	const opened = parts.map(async (part) => {
		const text = await seal.open(sealedPartName(id, part), new Uint8Array(sealed[part]));
		return [part, JSON.parse(text)] as const;
	});
	return Object.fromEntries(await Promise.all(opened)) as Pick<OpenedParts, Part>;
}

const getResponseEndpoint = endpoint({
	id: "get_response",
	method: "GET",
	path: "/v1/responses/{response_id}",
	access: "key",
	countsTowardsDay: false,
	errorDialect: "openai",
	cacheControl: "no-store",
	toolGroup: null,
	summary: "One of the caller's stored responses, for thirty days.",
	params: responseIdParam,
	query: z.lazy(() =>
		z.object({
			include: namesParam.describe("`reasoning.encrypted_content` shows what reasoning items carry sealed."),
			"include[]": namesParam.describe("The same, as OpenAI's libraries write it."),
			stream: booleanParam()
				.refine((stream) => !stream, "must be false: a stored response is not streamed again")
				.optional(),
		}),
	),
	result: z.lazy(() =>
		z.looseObject({
			id: z.string(),
			object: z.literal("response"),
			output: z.array(z.looseObject({ type: z.string() })),
		}),
	),
	ids: { response_id: { answerOf: "create_response", member: "id" } },
	async handle({ params: { response_id: id }, query, context }) {
		const found = await readParts(id, ["response", "output"], context);
		if (!found) return fail(NOT_FOUND);
		const include = [query.include ?? [], query["include[]"] ?? []].flat();
		return ok({ ...found.response, output: toShownOutput(found.output, include) });
	},
});

const deleteResponseEndpoint = endpoint({
	id: "delete_response",
	method: "DELETE",
	path: "/v1/responses/{response_id}",
	access: "key",
	countsTowardsDay: false,
	errorDialect: "openai",
	toolGroup: null,
	summary:
		"Deletes one of the caller's stored responses; an agent's key deletes those that it made. Conversations through it cannot be continued.",
	params: responseIdParam,
	result: z.lazy(() => z.object({ id: z.string(), object: z.literal("response"), deleted: z.literal(true) })),
	ids: { response_id: { answerOf: "create_response", member: "id" } },
	async handle({ params: { response_id: id }, context }) {
		const { account, env } = context;
		const stored = storedResponsesClient(env, account.userId);
		// Asked before, because a deletion whose answer was lost is repeated, and then finds nothing.
		const keyId = isResponseId(id) ? await stored.maker(id) : null;
		if (keyId === null || !mayRead(account, keyId)) return fail(NOT_FOUND);
		if (!mayChange(account, keyId)) return fail(OTHERS_RESPONSE);
		await stored.remove(id);
		return ok({ id, object: "response" as const, deleted: true as const });
	},
});

const listInputItemsEndpoint = endpoint({
	id: "list_response_input_items",
	method: "GET",
	path: "/v1/responses/{response_id}/input_items",
	access: "key",
	countsTowardsDay: false,
	errorDialect: "openai",
	cacheControl: "no-store",
	toolGroup: null,
	summary: "The input items of one of the caller's stored responses, without those of the responses before it.",
	params: responseIdParam,
	query: z.lazy(() =>
		z.object({
			limit: integerParam(1, MAX_LISTED_ITEMS).default(DEFAULT_LISTED_ITEMS).describe("Items of a page."),
			order: z.enum(["asc", "desc"]).default("desc").describe("`desc`: the last item first."),
			after: z.string().optional().describe("The id of the item before the page."),
		}),
	),
	result: z.lazy(() =>
		z.object({
			object: z.literal("list"),
			data: z.array(z.looseObject({ id: z.string(), type: z.string(), status: z.string() })),
			first_id: z.string().nullable(),
			last_id: z.string().nullable(),
			has_more: z.boolean(),
		}),
	),
	ids: { response_id: { answerOf: "create_response", member: "id" } },
	async handle({ params: { response_id: id }, query, context }) {
		const found = await readParts(id, ["input"], context);
		if (!found) return fail(NOT_FOUND);
		const page = selectItemPage(found.input, query);
		if (!page) {
			const message = "is the id of none of the response's input items";
			return fail({ reason: "invalid_request", issues: [{ path: "after", message }] });
		}
		const data = page.items.map(toListedItem);
		return ok({
			object: "list" as const,
			data,
			first_id: data[0]?.id ?? null,
			last_id: data.at(-1)?.id ?? null,
			has_more: page.hasMore,
		});
	},
});

export const storedResponseEndpoints: readonly Endpoint[] = [
	getResponseEndpoint,
	deleteResponseEndpoint,
	listInputItemsEndpoint,
];
