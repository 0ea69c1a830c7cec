// What the receipt of a Responses request says of its input. Pure.

import type { CallDelivery } from "../inference/accounting.ts";
import type { CallOptions } from "../inference/plan.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { canonicalJson } from "../proof/canonical.ts";
import { hashObject } from "../proof/hash.ts";
import { configDigest } from "../routing-config/config.ts";
import { readCustomInput } from "./custom-input.ts";
import type { ToolNames } from "./tool-table.ts";

/** The members of a body that are its input (docs/proofs.md, "Typed objects"). */
const INPUT_MEMBERS = ["instructions", "input", "previous_response_id"] as const;

/** Calls as receipts hash them: under the client's name of the tool, a custom one's text as canonical JSON `{"input": …}`. */
function callDelivery(tools: ToolNames): CallDelivery {
	return (call) => {
		const tool = tools.get(call.name);
		if (!tool) return call;
		const { name, kind } = tool;
		return kind === "function"
			? { ...call, name }
			: { ...call, name, arguments: canonicalJson({ input: readCustomInput(call.arguments) }) };
	};
}

/**
 * What a receipt says of a Responses request. The input hash covers the members as the client sent them, before validation;
 * what `previous_response_id` stands for is in the receipts before.
 */
export function toResponsesPurpose(rawBody: unknown, { config }: Pick<CallOptions, "config">, tools: ToolNames) {
	const received: JsonObject = isJsonObject(rawBody) ? rawBody : {};
	const body = Object.fromEntries(
		INPUT_MEMBERS.flatMap((name) => (received[name] === undefined ? [] : [[name, received[name]]])),
	);
	return {
		inputHash: hashObject({ type: "svc.input.v2", entrance: "responses", body }),
		configDigest: config ? configDigest(config.config) : null,
		skillId: null,
		deliverCall: callDelivery(tools),
	};
}
