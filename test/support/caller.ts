// A caller of the engine inside the process: no request, no entrance, the user's own meter.
import { env } from "cloudflare:workers";
import { ulid } from "ulid";
import type { KeyGrant } from "../../src/account/context.ts";
import { PLANS, type PlanId } from "../../src/catalog/plans.ts";
import { database } from "../../src/db/client.edge.ts";
import { fail, ok } from "../../src/failure.ts";
import { Timings } from "../../src/http/timings.ts";
import type { Caller } from "../../src/inference/caller.edge.ts";
import { meterClient } from "../../src/meter/meter-client.edge.ts";
import type { Reservation } from "../../src/meter/settlement.ts";
import { shippedSettings } from "../../src/settings.ts";
import { createFunds } from "../../src/usage/funds.edge.ts";
import type { TestKey } from "./service.ts";

/** The grant of a key without limits of its own. */
export const FULL_GRANT: KeyGrant = {
	version: 1,
	role: "owner",
	expiresAtMs: null,
	limits: null,
	budget: null,
	budgetKeyId: null,
	rules: null,
	lineage: [],
	ownOnly: false,
};

/** Calls the engine for a key's user, as a strategy or an agent would: under a request's id, or under a run's. */
export function inProcessCaller(
	{ user_id: userId, key_id: keyId, plan }: TestKey,
	requestId = `svc-${ulid()}`,
): Caller {
	const startedAtMs = Date.now();
	const account = { userId, keyId, plan: PLANS[plan as PlanId], number: 1, key: FULL_GRANT };
	const meter = (id: string) => meterClient(env.ACCOUNT_METER, id);
	const waitUntil = (work: Promise<unknown>) => void work.catch(() => undefined);
	const admit = async (reservation?: Reservation) => {
		const { version: keyVersion, limits: keyLimits, budget: keyBudget } = FULL_GRANT;
		const grant = { keyVersion, keyLimits, keyBudget, budgetKeyId: keyId };
		const request = { requestId, keyId, ...grant, plan: account.plan.id, countsTowardsDay: true };
		const verdict = await meter(userId).admit({ ...request, ...(reservation ? { reservation } : {}) });
		return verdict.admitted ? ok({ salt: verdict.salt }) : fail({ reason: "internal_error", requestId });
	};
	return {
		requestId,
		startedAtMs,
		account,
		settings: shippedSettings(env),
		signal: new AbortController().signal,
		address: "unknown",
		waitUntil,
		log: { endpoint: "in-process" },
		timings: new Timings(startedAtMs, () => Date.now()),
		funds: createFunds({ account, admit, db: database(env.DB), meter, requestId, waitUntil }),
	};
}
