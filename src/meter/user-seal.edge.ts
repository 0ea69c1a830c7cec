// The seal of a user's texts: stored responses, texts of a run's steps, reasoning that clients send back. Its key is a subkey of the
// user's data key. An isolate asks the user's meter for it, and keeps it in memory for a while.
import { BoundedMap } from "../bounded-map.ts";
import { Seal, TextSeal } from "../durable/text-seal.edge.ts";
import { meterClient } from "./meter-client.edge.ts";

const TEXT_PURPOSE = "svc.text.v2";
/** So long after its data key is gone, an isolate may still open a user's texts. */
const KEPT_MS = 300_000;
const MOST_KEPT = 1_000;

const kept = new BoundedMap<string, { seal: TextSeal; untilMs: number }>(MOST_KEPT);

/** The seal of a user's texts. @throws StorageUnavailableError when the user's meter does not give the key. */
export async function userSeal(env: Env, userId: string): Promise<TextSeal> {
	const known = kept.get(userId);
	if (known && known.untilMs > Date.now()) return known.seal;
	const untilMs = Date.now() + KEPT_MS;
	const subkey = await meterClient(env.ACCOUNT_METER, userId).subkey(TEXT_PURPOSE);
	const seal = new TextSeal(Seal.ofKey(subkey));
	kept.set(userId, { seal, untilMs });
	return seal;
}
