// The input of a tool call, as Messages has it: an object, where models write JSON text. Pure.
import type { CallDelivery } from "../inference/accounting.ts";
import { isJsonObject, type JsonObject, parseJson } from "../json.ts";
import { canonicalJson } from "../proof/canonical.ts";

/** An object and its canonical JSON; null for what canonical JSON cannot represent, such as a number beyond all doubles. */
function readCanonical(text: string): { input: JsonObject; canonical: string } | null {
	const input = text.trim() === "" ? {} : parseJson(text);
	if (!isJsonObject(input)) return null;
	try {
		return { input, canonical: canonicalJson(input) };
	} catch {
		return null;
	}
}

/** The input of a call. Text that is no JSON object (a call cut by the limit) stays readable under `_raw`. */
export function toToolUseInput(text: string): JsonObject {
	return readCanonical(text)?.input ?? { _raw: text };
}

/** A call as receipts hash it: its arguments are the canonical JSON of its input (docs/proofs.md, "Receipts"). */
export const deliverToolUse: CallDelivery = (call) => ({
	...call,
	arguments: readCanonical(call.arguments)?.canonical ?? canonicalJson({ _raw: call.arguments }),
});
