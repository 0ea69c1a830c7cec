// Resolves the input of a request for a response: the stored responses that it goes on from, and the stored items that it names.
import type { Account, KeyContext } from "../account/context.ts";
import { readableMakers } from "../account/makers.ts";
import type { TextSeal } from "../durable/text-seal.edge.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { userSeal } from "../meter/user-seal.edge.ts";
import { type InputItem, type InputItemWith, MAX_INPUT_ITEMS, toInputItems } from "./items.ts";
import type { ResponsesRequest } from "./request.ts";
import { storedResponsesClient } from "./stored-client.edge.ts";
import { type ItemPlace, isResponseId, sealedPartName, toItemPlace } from "./stored-response.ts";
import type { ConversationVerdict, SealedItems } from "./stored-responses.object.ts";

/** The most that one call of an object may return here. The platform takes 32 MiB. */
const MAX_READ_BYTES = 25_165_824;

/** A request's input with all that it refers to. */
export interface ResolvedInput {
	/** The conversation, oldest item first, and then the request's own items. */
	items: InputItem[];
	/** The request's own items. A reference is replaced by what it names. */
	own: InputItem[];
}

/** What resolving needs of a request. */
interface InputContext extends Pick<KeyContext, "bodyLimits" | "env" | "rawBody"> {
	account: Pick<Account, "userId" | "key">;
}

type FoundConversation = Extract<ConversationVerdict, { found: true }>;
type Reference = InputItemWith<"item_reference">;
type ItemsById = ReadonlyMap<string, InputItem>;

function notFound(message: string, param: string): { ok: false; failure: Failure } {
	return fail({ reason: "previous_response_not_found", message, param });
}

function tooLarge(limitBytes: number): { ok: false; failure: Failure } {
	const message = `the request body and the stored conversation that it goes on from exceed ${limitBytes} bytes`;
	return fail({ reason: "request_too_large", limitBytes, message });
}

function missingResponse(missing: string, previousId: string): { ok: false; failure: Failure } {
	const message =
		missing === previousId
			? `you have no stored response ${missing}: it is unknown, was not stored, was deleted, or is too old`
			: `the conversation of ${previousId} goes back to ${missing}, which is not stored any more`;
	return notFound(message, "previous_response_id");
}

const isReference = (item: InputItem): item is Reference => item.type === "item_reference";

/** Lists that may hold the items that are named, each once. */
function toPlaces(references: readonly Reference[]): ItemPlace[] {
	const places = references.flatMap(({ id }) => toItemPlace(id) ?? []);
	return [...new Map(places.map((place) => [`${place.responseId} ${place.list}`, place])).values()];
}

/** Opens lists of items. */
class ListOpener {
	readonly #seal: TextSeal;

	constructor(seal: TextSeal) {
		this.#seal = seal;
	}

	async open({ responseId, list }: ItemPlace, sealed: ArrayBuffer): Promise<InputItem[]> {
		const text = await this.#seal.open(sealedPartName(responseId, list), new Uint8Array(sealed));
		return JSON.parse(text) as InputItem[];
	}

	/** The items of a response: first those that it was asked with, then those that it answered. */
	async openBoth({ id, input, output }: SealedItems): Promise<InputItem[]> {
		const [asked, answered] = await Promise.all([
			this.open({ responseId: id, list: "input" }, input),
			this.open({ responseId: id, list: "output" }, output),
		]);
		return [...asked, ...answered];
	}
}

/** Opens what was found: the items of the conversation, and those of the other lists. */
async function openAll(
	{ chain, lists }: FoundConversation,
	context: Pick<InputContext, "account" | "env">,
): Promise<[InputItem[], InputItem[]]> {
	const opener = new ListOpener(await userSeal(context.env, context.account.userId));
	const [conversation, others] = await Promise.all([
		Promise.all(chain.map((response) => opener.openBoth(response))),
		Promise.all(lists.map(({ sealed, ...place }) => opener.open(place, sealed))),
	]);
	return [conversation.flat(), others.flat()];
}

/** Items by their ids. The first item of an id counts. */
function indexItems(items: readonly InputItem[]): ItemsById {
	const byId = new Map<string, InputItem>();
	for (const item of items) if (item.id && !isReference(item) && !byId.has(item.id)) byId.set(item.id, item);
	return byId;
}

/** The request's own items with every reference replaced. */
function replaceReferences(items: readonly InputItem[], byId: ItemsById): Result<InputItem[]> {
	const replaced: InputItem[] = [];
	for (const [index, item] of items.entries()) {
		const named = isReference(item) ? byId.get(item.id) : item;
		if (!named) {
			const message =
				"names no item of your stored responses: they are unknown, were not stored, were deleted, or are too old";
			return notFound(message, `input[${index}].id`);
		}
		replaced.push(named);
	}
	return ok(replaced);
}

/** How much of its limit a request leaves to what it refers to. */
function roomBytes({ bodyLimits, rawBody }: InputContext): { limitBytes: number; leftBytes: number } {
	const limitBytes = Math.min(bodyLimits.chat, MAX_READ_BYTES);
	return { limitBytes, leftBytes: limitBytes - new TextEncoder().encode(JSON.stringify(rawBody)).length };
}

/**
 * Resolves a request's input in one call of the user's object. What is stored counts against the limits of a body as if the request
 * had brought it along.
 * @returns 400 `previous_response_not_found` for what is not stored, or not the caller's to read; 413 and 422 over the limits.
 */
export async function resolveInput(
	{ input, previous_response_id: previousId }: Pick<ResponsesRequest, "input" | "previous_response_id">,
	context: InputContext,
): Promise<Result<ResolvedInput>> {
	const given = toInputItems(input);
	const references = given.filter(isReference);
	if (!previousId && references.length === 0) return ok({ items: [...given], own: [...given] });
	if (previousId && !isResponseId(previousId)) return notFound("this is no id of a response", "previous_response_id");
	const { limitBytes, leftBytes } = roomBytes(context);
	const verdict = await storedResponsesClient(context.env, context.account.userId).conversation({
		previousId: previousId || null,
		lists: toPlaces(references),
		limitBytes: leftBytes,
		makers: readableMakers(context.account),
	});
	if (!verdict.found)
		return verdict.missing === null ? tooLarge(limitBytes) : missingResponse(verdict.missing, previousId ?? "");
	const [conversation, others] = await openAll(verdict, context);
	const own = replaceReferences(given, indexItems([...given, ...conversation, ...others]));
	if (!own.ok) return own;
	const items = [...conversation, ...own.value];
	if (items.length <= MAX_INPUT_ITEMS) return ok({ items, own: own.value });
	const message = `with the conversation before it, the request has ${items.length} items, and at most ${MAX_INPUT_ITEMS} are allowed`;
	return fail({ reason: "invalid_request", issues: [{ path: "previous_response_id", message }] });
}
