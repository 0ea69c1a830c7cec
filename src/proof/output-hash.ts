// The hash of what a model's answer delivered (proofs, "Receipts"): the same for every entrance. Pure.
import { type Hash, hashObject, hashText } from "./hash.ts";

/** A tool call under the id that the client gets. */
export interface DeliveredCall {
	id: string;
	name: string;
	/** JSON text. */
	arguments: string;
}

/**
 * Hash of the delivered text, or of text and tool calls when there are any.
 * @param text null when none was said.
 */
export function outputHash(text: string | null, calls: readonly DeliveredCall[]): Hash {
	if (calls.length === 0) return hashText(text ?? "");
	const tool_calls = calls.map(({ id, name, arguments: args }) => ({
		id,
		type: "function",
		function: { name, arguments: args },
	}));
	return hashObject({ type: "svc.output.v1", content: text, tool_calls });
}
