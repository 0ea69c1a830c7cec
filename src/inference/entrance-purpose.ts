// What receipts say of requests that are not in chat's form (docs/proofs.md, "Receipts"). Pure.
import { isJsonObject, type JsonObject } from "../json.ts";
import { hashObject } from "../proof/hash.ts";
import { configDigest } from "../routing-config/config.ts";
import type { CallDelivery } from "./accounting.ts";
import type { ChatPurpose } from "./infer.edge.ts";
import type { CallOptions } from "./plan.ts";

/** The body of one entrance's request, and how its client gets tool calls. */
interface EntranceInput {
	entrance: "responses" | "messages";
	/** The body before validation, which fills in and leaves out. */
	rawBody: unknown;
	/** The members of the body that are its input. Absent ones are left out of the hash. */
	inputMembers: readonly string[];
	deliverCall: CallDelivery;
}

/** The purpose of an entrance's request. The input hash covers the input members as the client sent them. */
export function toEntrancePurpose(
	{ entrance, rawBody, inputMembers, deliverCall }: EntranceInput,
	{ config }: Pick<CallOptions, "config">,
): Required<ChatPurpose> {
	const received: JsonObject = isJsonObject(rawBody) ? rawBody : {};
	const body = Object.fromEntries(
		inputMembers.flatMap((name) => (received[name] === undefined ? [] : [[name, received[name]]])),
	);
	return {
		inputHash: hashObject({ type: "svc.input.v2", entrance, body }),
		configDigest: config ? configDigest(config.config) : null,
		skillId: null,
		deliverCall,
	};
}
