// Access guards: who may call an endpoint, by its access, and with which context its handler runs.
import type { Context, Next } from "hono";
import { isPlanId, PLANS } from "../catalog/plans.ts";
import type { Failure, Result } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import type { AccessGuard, AccessGuards } from "../http/mount.edge.ts";
import { failureResponse, type RequestState } from "../http/respond.edge.ts";
import { Admission, quotaHeaders, toKeyContext } from "./admission.edge.ts";
import { authenticate, authenticateOperator } from "./auth.edge.ts";
import type { Account, ServiceContext } from "./context.ts";
import { countMiss } from "./misses.edge.ts";
import { newRequestId } from "./request-ids.edge.ts";

/** The caller of a request and its admission, kept while the request lasts. */
interface KeyRequest {
	account: Account;
	admission: Admission;
}

const keyRequests = new WeakMap<ServiceContext, KeyRequest>();

function keyRequestFor(context: ServiceContext): KeyRequest {
	const request = keyRequests.get(context);
	if (!request) throw new Error("a key endpoint was called without its gate");
	return request;
}

function countsTowardsDay(endpoint: Endpoint): boolean {
	return endpoint.access === "key" && (endpoint.countsTowardsDay ?? true);
}

/** Hono merges the headers of both when a response replaces another. A refusal must not inherit any. */
function replaceResponse(c: { res: Response | undefined }, response: Response): void {
	c.res = undefined;
	c.res = response;
}

const LIMIT_PERIOD_MS = 60_000;

/** The refusal of requests that no plan counts, when an address or user sends too many; best effort. */
async function publicLimitFailure({ env }: ServiceContext, key: string): Promise<Failure | null> {
	const { success } = await env.PUBLIC_LIMITER.limit({ key });
	if (success) return null;
	const message = "too many requests; try again in a minute";
	return { reason: "rate_limit_exceeded", message, retryAfterMs: LIMIT_PERIOD_MS };
}

/** Admits the request before its handler, or lets the handler do it. A refusal replaces the answer. */
async function admitRequest(endpoint: Endpoint, c: Context<RequestState<ServiceContext>>, next: Next): Promise<void> {
	const context = c.get("context");
	const { admission } = keyRequestFor(context);
	const known = admission.knownRefusal();
	if (known) c.res = failureResponse(c, known);
	else if (endpoint.access === "key" && endpoint.admission === "handler") {
		await next();
		// A request that failed before its handler admitted it counts all the same.
		const last = keyRequestFor(context).admission;
		const verdict = last.outcome ?? (await last.request());
		if (!verdict.ok) replaceResponse(c, failureResponse(c, verdict.failure));
	} else {
		const verdict = await admission.request();
		if (verdict.ok) await next();
		else c.res = failureResponse(c, verdict.failure);
	}
}

const keyGuard: AccessGuard<ServiceContext> = {
	stage: (endpoint) => async (c, next) => {
		const context = c.get("context");
		const authorization = c.req.header("authorization") ?? null;
		const caller = await context.timings.measure("auth", () => authenticate(authorization, context));
		if (!caller.ok) return failureResponse(c, caller.failure);
		context.requestId = newRequestId(caller.value, context);
		context.log.user_id = caller.value.userId;
		context.log.key_id = caller.value.keyId;
		const admission = new Admission(context, caller.value, countsTowardsDay(endpoint));
		keyRequests.set(context, { account: caller.value, admission });
		if (endpoint.access === "key" && endpoint.admission === "none") {
			const refused = await publicLimitFailure(context, caller.value.userId);
			return refused ? failureResponse(c, refused) : next();
		}
		await admitRequest(endpoint, c, next);
		const { quota } = keyRequestFor(context).admission;
		if (quota) for (const [name, value] of Object.entries(quotaHeaders(quota))) c.res.headers.set(name, value);
	},
	/** If the plan has changed, the handler is called once more under the new plan. */
	async call(endpoint, context, handle) {
		const { account, admission } = keyRequestFor(context);
		const first = await handle(toKeyContext(context, account, admission));
		if (first.ok || first.failure.reason !== "plan_changed" || !isPlanId(first.failure.plan)) return first;
		const replanned = { ...account, plan: PLANS[first.failure.plan] };
		const again = new Admission(context, replanned, countsTowardsDay(endpoint));
		keyRequests.set(context, { account: replanned, admission: again });
		return handle(toKeyContext(context, replanned, again));
	},
};

const operatorGuard: AccessGuard<ServiceContext> = {
	exists: ({ settings }) => settings.adminToken !== null,
	stage: () => async (c, next) => {
		const context = c.get("context");
		const refused = authenticateOperator(c.req.header("authorization") ?? null, context.settings.adminToken);
		return refused ? failureResponse(c, (await countMiss("operator", context)) ?? refused) : next();
	},
};

const publicGuard: AccessGuard<ServiceContext> = {
	stage: (endpoint) => async (c, next) => {
		if (endpoint.access !== "public" || !endpoint.limited) return next();
		const context = c.get("context");
		const refused = await publicLimitFailure(context, context.address);
		return refused ? failureResponse(c, refused) : next();
	},
};

/** One guard per access of this service's endpoints. */
export const ACCESS_GUARDS: AccessGuards<ServiceContext> = {
	public: publicGuard,
	key: keyGuard,
	operator: operatorGuard,
};

/** The caller of an endpoint that needs no key. If there is a key, it must be valid, and the request counts towards the minute. */
export async function identifyCaller(
	authorization: string | null,
	context: ServiceContext,
): Promise<Result<Account | null>> {
	if (authorization === null) return { ok: true, value: null };
	const caller = await authenticate(authorization, context);
	if (!caller.ok) return caller;
	const verdict = await new Admission(context, caller.value, false).request();
	return verdict.ok ? caller : verdict;
}
