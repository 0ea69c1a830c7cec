// What the receipt of a Responses request says of it.
import type { CallDelivery } from "../inference/accounting.ts";
import { toEntrancePurpose } from "../inference/entrance-purpose.edge.ts";
import type { ChatPurpose } from "../inference/infer.edge.ts";
import type { CallOptions } from "../inference/plan.ts";
import { canonicalJson } from "../proof/canonical.ts";
import { readCustomInput } from "./custom-input.ts";
import type { ToolNames } from "./tool-table.ts";

/** The members of a body that are its input (docs/proofs.md, "Typed objects"). */
const RESPONSES_INPUT_MEMBERS = ["instructions", "input", "previous_response_id"] as const;

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

/** The purpose of a Responses request. What `previous_response_id` stands for is in the receipts before. */
export function toResponsesPurpose(
	request: Parameters<typeof toEntrancePurpose>[2],
	options: Pick<CallOptions, "config">,
	tools: ToolNames,
): Promise<Required<ChatPurpose>> {
	const deliverCall = callDelivery(tools);
	return toEntrancePurpose(
		{ entrance: "responses", inputMembers: RESPONSES_INPUT_MEMBERS, deliverCall },
		options,
		request,
	);
}
