// What receipts say of requests that are not in chat's form (docs/proofs.md, "Receipts").
import type { RequestContext } from "../http/context.ts";
import type { LongRequest } from "../http/long-work.edge.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { configDigest } from "../routing-config/config.ts";
import type { CallDelivery } from "./accounting.ts";
import type { ChatPurpose } from "./infer.edge.ts";
import type { CallOptions } from "./plan.ts";
import { toReceiptInput } from "./receipt-input.edge.ts";

/** The body of one entrance's request, and how its client gets tool calls. */
interface EntranceInput {
	entrance: "responses" | "messages";
	/** The members of the body that are its input. Absent ones are left out of the hash. */
	inputMembers: readonly string[];
	deliverCall: CallDelivery;
}

/**
 * The purpose of an entrance's request. The input hash covers the input members as the client sent them.
 * @param request its raw body is the one before validation, which fills in and leaves out.
 */
export async function toEntrancePurpose(
	{ entrance, inputMembers, deliverCall }: EntranceInput,
	{ config }: Pick<CallOptions, "config">,
	request: LongRequest & Pick<RequestContext, "rawBody">,
): Promise<Required<ChatPurpose>> {
	const received: JsonObject = isJsonObject(request.rawBody) ? request.rawBody : {};
	const body = Object.fromEntries(
		inputMembers.flatMap((name) => (received[name] === undefined ? [] : [[name, received[name]]])),
	);
	return {
		input: await toReceiptInput({ type: "svc.input.v2", entrance, body }, request),
		configDigest: config ? configDigest(config.config) : null,
		skillId: null,
		deliverCall,
	};
}
