// What the receipt of a Messages request says of it. Pure.
import { toEntrancePurpose } from "../inference/entrance-purpose.ts";
import type { ChatPurpose } from "../inference/infer.edge.ts";
import type { CallOptions } from "../inference/plan.ts";
import { deliverToolUse } from "./tool-use-input.ts";

/** The members of a body that are its input (docs/proofs.md, "Typed objects"). */
const MESSAGES_INPUT_MEMBERS = ["system", "messages"] as const;

/** The purpose of a Messages request. */
export function toMessagesPurpose(rawBody: unknown, options: Pick<CallOptions, "config">): Required<ChatPurpose> {
	const input = {
		entrance: "messages",
		rawBody,
		inputMembers: MESSAGES_INPUT_MEMBERS,
		deliverCall: deliverToolUse,
	} as const;
	return toEntrancePurpose(input, options);
}
