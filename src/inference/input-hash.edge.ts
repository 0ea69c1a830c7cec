// The hash of a request's input, for its receipt.
import { type LongRequest, runInTurns } from "../http/long-work.edge.ts";
import { canonicalJson } from "../proof/canonical.ts";
import { type Hash, hashLongObject, hashLongText } from "../proof/hash.ts";
import { LONG_CHARS } from "../turns/turns.edge.ts";

/** H(C(input)), as hashObject has it. A long body is rendered in turns and hashed by the platform. */
export function hashInput(input: { type: string } & Record<string, unknown>, request: LongRequest): Promise<Hash> {
	if ((request.bodyChars ?? 0) < LONG_CHARS) return hashLongText(canonicalJson(input));
	return hashLongObject(input, (steps) => runInTurns(request, steps));
}
