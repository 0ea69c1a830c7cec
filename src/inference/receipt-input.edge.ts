// What a receipt's `input_hash` is over: written down before the request is admitted, hashed over the salt that comes with the admission.
import { type LongRequest, runInTurns } from "../http/long-work.edge.ts";
import { canonicalJson } from "../proof/canonical.ts";
import { encodeCanonicalInSteps, type Hash } from "../proof/hash.ts";
import { hashSaltedLong } from "../proof/salted.ts";
import { LONG_CHARS } from "../turns/turns.edge.ts";

/** An input. It may be long, and its request may last: once it is hashed, it is let go. */
export class ReceiptInput {
	#text: string | Uint8Array | null;

	constructor(text: string | Uint8Array) {
		this.#text = text;
	}

	/** HS(salt, input). To be called once. */
	hash(salt: string): Promise<Hash> {
		const text = this.#text;
		if (text === null) throw new Error("an input is hashed once");
		this.#text = null;
		return hashSaltedLong(salt, text);
	}
}

/** C(input). That of a long body is rendered in turns. */
export async function toReceiptInput(
	input: { type: string } & Record<string, unknown>,
	request: LongRequest,
): Promise<ReceiptInput> {
	const isLong = (request.bodyChars ?? 0) >= LONG_CHARS;
	return new ReceiptInput(isLong ? await runInTurns(request, encodeCanonicalInSteps(input)) : canonicalJson(input));
}
