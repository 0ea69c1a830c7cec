// Brings a meter's fold about, which comes with an admission after many changes.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { AccountMeter } from "../../src/meter/account-meter.object.ts";
import { aRequestId, reservationFor, TEST_KEY_ID, UNLIMITED_KEY } from "./settlements.ts";

/** Changes after which the next admission folds. */
const FOLDED_CHANGES = 256;

/** Makes so many changes to an open request, which stays as it is. */
export async function fillFold(
	instance: AccountMeter,
	requestId: string,
	reservation: ReturnType<typeof reservationFor>,
): Promise<void> {
	for (let nth = 0; nth < FOLDED_CHANGES; nth++) {
		const verdict = await instance.extend(requestId, reservation);
		if (verdict !== "extended") throw new Error(`not extended: ${verdict}`);
	}
}

/** Lets the meter of a user in the corporate plan fold now. Two requests that cost nothing count in its windows. */
export async function foldMeter(userId: string): Promise<void> {
	await runInDurableObject(env.ACCOUNT_METER.getByName(userId), async (instance: AccountMeter) => {
		const admission = (requestId: string) => ({
			...{ requestId, keyId: TEST_KEY_ID, ...UNLIMITED_KEY, plan: "corporate" as const, countsTowardsDay: false },
		});
		const requestId = aRequestId();
		const reservation = reservationFor(userId, requestId, 1, Date.now() + 60_000);
		await instance.admit({ ...admission(requestId), reservation });
		await fillFold(instance, requestId, reservation);
		instance.release(requestId);
		await instance.admit(admission(aRequestId()));
	});
}
