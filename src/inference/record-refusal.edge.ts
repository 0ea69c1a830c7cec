// The trail of a refusal by compliance: an audit event, counted by the user's meter. D1 is not awaited.
import type { KeyContext } from "../account/context.ts";
import type { Failure } from "../failure.ts";
import { logError } from "../http/log.edge.ts";

/** Whose refusal is recorded, and under which endpoint and id. */
interface TrailContext extends Pick<KeyContext, "meter" | "requestId"> {
	account: Pick<KeyContext["account"], "userId" | "keyId">;
	log: Pick<KeyContext["log"], "endpoint">;
}

/** Counts a refusal by compliance at the user's meter. Other failures leave no trail. Never throws. */
export async function recordRefusal(failure: Failure, context: TrailContext): Promise<void> {
	if (failure.reason !== "compliance_blocked") return;
	const { notice } = failure;
	const { requestId, log } = context;
	const { userId, keyId } = context.account;
	const { policies = [], classes = [], kinds = {}, places = [], counts = {} } = notice ?? {};
	const details = { endpoint: log.endpoint, policies, classes, kinds, places, counts };
	const likeness = JSON.stringify([log.endpoint, policies, kinds]);
	try {
		await context.meter(userId).recordRefusal({ requestId, userId, keyId, likeness, details });
	} catch (error) {
		logError("refusal_not_recorded", error, { request_id: requestId });
	}
}

/** An entrance's answer. If compliance refuses the request, that is recorded before the client learns of it. */
export async function withRefusalTrail<T extends { ok: true } | { ok: false; failure: Failure }>(
	work: Promise<T>,
	context: TrailContext,
): Promise<T> {
	const answer = await work;
	if (!answer.ok) await recordRefusal(answer.failure, context);
	return answer;
}
