// A caller of the engine inside the process: no request, no entrance, the user's own meter.
import { env } from "cloudflare:workers";
import type { KeyGrant } from "../../src/account/context.ts";
import { deriveTagKey, encodeRequestId } from "../../src/account/request-tag.ts";
import { PLANS, type PlanId } from "../../src/catalog/plans.ts";
import { database } from "../../src/db/client.edge.ts";
import { fail, ok } from "../../src/failure.ts";
import { Timings } from "../../src/http/timings.ts";
import type { Caller } from "../../src/inference/caller.edge.ts";
import { meterClient } from "../../src/meter/meter-client.edge.ts";
import { newTrail, UNNAMED } from "../../src/meter/request-facts.ts";
import type { Reservation } from "../../src/meter/settlement.ts";
import { shippedSettings } from "../../src/settings.ts";
import { createFunds } from "../../src/usage/funds.edge.ts";
import { db, type TestKey } from "./service.ts";
import { TEST_VARIABLES } from "./variables.ts";

/** The grant of a key without limits of its own. */
export const FULL_GRANT: KeyGrant = {
	version: 1,
	role: "owner",
	expiresAtMs: null,
	limits: null,
	budget: null,
	budgetKeyId: null,
	rules: null,
	logsTexts: false,
	lineage: [],
	ownOnly: false,
};

/** The number of a key's user, which ids of requests hold. */
async function numberOf({ user_id }: TestKey): Promise<number> {
	const number = await db.prepare("SELECT number FROM users WHERE id = ?").bind(user_id).first<number>("number");
	if (number === null) throw new Error(`D1 has no user ${user_id}`);
	return number;
}

function aTaggedId(number: number): string {
	const tagKey = deriveTagKey(TEST_VARIABLES["KEY_PEPPER"] ?? "");
	return encodeRequestId(tagKey, number, Date.now(), crypto.getRandomValues(new Uint8Array(5)));
}

/** Calls the engine for a key's user, as a strategy or an agent would: under a request's id, or under a run's. */
export async function inProcessCaller(key: TestKey, runId?: string): Promise<Caller> {
	const { user_id: userId, key_id: keyId, plan } = key;
	const number = await numberOf(key);
	const requestId = runId ?? aTaggedId(number);
	const startedAtMs = Date.now();
	const account = { userId, keyId, plan: PLANS[plan as PlanId], number, key: FULL_GRANT };
	const meter = (id: string) => meterClient(env.ACCOUNT_METER, id);
	const waitUntil = (work: Promise<unknown>) => void work.catch(() => undefined);
	const admit = async (reservation?: Reservation) => {
		const { version: keyVersion, limits: keyLimits, budget: keyBudget } = FULL_GRANT;
		const grant = { keyVersion, keyLimits, keyBudget, budgetKeyId: keyId };
		const request = { requestId, keyId, ...grant, plan: account.plan.id, countsTowardsDay: true };
		const verdict = await meter(userId).admit({ ...request, ...(reservation ? { reservation } : {}) });
		return verdict.admitted ? ok({ salt: verdict.salt }) : fail({ reason: "internal_error", requestId });
	};
	const trail = newTrail();
	return {
		requestId,
		startedAtMs,
		account,
		settings: shippedSettings(env),
		signal: new AbortController().signal,
		address: "unknown",
		waitUntil,
		log: { endpoint: "in-process" },
		names: UNNAMED,
		keepTexts: null,
		timings: new Timings(startedAtMs, () => Date.now()),
		trail,
		funds: createFunds({ account, admit, db: database(env.DB), meter, requestId, trail, waitUntil }),
	};
}
