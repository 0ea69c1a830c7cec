// The hash of a request's input, for its receipt.
import { type LongRequest, runInOneTurn } from "../http/long-work.edge.ts";
import { canonicalJson } from "../proof/canonical.ts";
import { type Hash, hashLongText } from "../proof/hash.ts";

/** H(C(input)), as hashObject has it. A long body is rendered in a turn and hashed by the platform. */
export async function hashInput(
	input: { type: string } & Record<string, unknown>,
	request: LongRequest,
): Promise<Hash> {
	return hashLongText(await runInOneTurn(request, () => canonicalJson(input)));
}
