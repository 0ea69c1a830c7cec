// What the receipt of a Messages request says of it.
import { toEntrancePurpose } from "../inference/entrance-purpose.edge.ts";
import type { ChatPurpose } from "../inference/infer.edge.ts";
import type { CallOptions } from "../inference/plan.ts";
import { deliverToolUse } from "./tool-use-input.ts";

/** The members of a body that are its input (docs/proofs.md, "Typed objects"). */
const MESSAGES_INPUT_MEMBERS = ["system", "messages"] as const;

/** The purpose of a Messages request. */
export function toMessagesPurpose(
	request: Parameters<typeof toEntrancePurpose>[2],
	options: Pick<CallOptions, "config">,
): Promise<Required<ChatPurpose>> {
	const input = {
		entrance: "messages",
		inputMembers: MESSAGES_INPUT_MEMBERS,
		deliverCall: deliverToolUse,
	} as const;
	return toEntrancePurpose(input, options, request);
}
