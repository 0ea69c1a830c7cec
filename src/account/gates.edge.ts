// The ways in: who may call an endpoint, by its access, and with what context its handler is called.
import type { Context, Next } from "hono";
import { isPlanId, PLANS } from "../catalog/plans.ts";
import type { Failure, Result } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import type { AccessGuard, AccessGuards } from "../http/mount.edge.ts";
import { failureResponse, type RequestState } from "../http/respond.edge.ts";
import { Admission, keyContext, quotaHeaders } from "./admission.edge.ts";
import { authenticate, authenticateOperator } from "./auth.edge.ts";
import type { Account, ServiceContext } from "./context.ts";
import { countMiss } from "./misses.edge.ts";
import { newRequestId } from "./request-ids.edge.ts";

/** Who calls, and whether the request is in; kept for the request's whole way. */
interface Entry {
	account: Account;
	admission: Admission;
}

const entries = new WeakMap<ServiceContext, Entry>();

function entryOf(context: ServiceContext): Entry {
	const entry = entries.get(context);
	if (!entry) throw new Error("a key endpoint was called without its gate");
	return entry;
}

function countsTowardsDay(endpoint: Endpoint): boolean {
	return endpoint.access === "key" && (endpoint.countsTowardsDay ?? true);
}

/** Hono merges the headers of a response that is set over another; a refusal must not inherit any. */
function replaceResponse(c: { res: Response | undefined }, response: Response): void {
	c.res = undefined;
	c.res = response;
}

const LIMIT_PERIOD_MS = 60_000;

/** The refusal of requests that no plan counts, when there are too many from one address or user; best effort. */
async function tooMany({ env }: ServiceContext, key: string): Promise<Failure | null> {
	const { success } = await env.PUBLIC_LIMITER.limit({ key });
	if (success) return null;
	const message = "too many requests; try again in a minute";
	return { reason: "rate_limit_exceeded", message, retryAfterMs: LIMIT_PERIOD_MS };
}

/** Has the request admitted before its handler, or by it; a refusal takes the place of an answer. */
async function admit(endpoint: Endpoint, c: Context<RequestState<ServiceContext>>, next: Next): Promise<void> {
	const context = c.get("context");
	const { admission } = entryOf(context);
	const known = admission.knownRefusal();
	if (known) c.res = failureResponse(c, known);
	else if (endpoint.access === "key" && endpoint.admission === "handler") {
		await next();
		// A request that failed before its handler asked to be admitted counts all the same.
		const last = entryOf(context).admission;
		const verdict = last.outcome ?? (await last.request());
		if (!verdict.ok) replaceResponse(c, failureResponse(c, verdict.failure));
	} else {
		const verdict = await admission.request();
		if (verdict.ok) await next();
		else c.res = failureResponse(c, verdict.failure);
	}
}

const keyGate: AccessGuard<ServiceContext> = {
	stage: (endpoint) => async (c, next) => {
		const context = c.get("context");
		const authorization = c.req.header("authorization") ?? null;
		const caller = await context.timings.measure("auth", () => authenticate(authorization, context));
		if (!caller.ok) return failureResponse(c, caller.failure);
		context.requestId = newRequestId(caller.value, context);
		context.log.user_id = caller.value.userId;
		context.log.key_id = caller.value.keyId;
		const admission = new Admission(context, caller.value, countsTowardsDay(endpoint));
		entries.set(context, { account: caller.value, admission });
		if (endpoint.access === "key" && endpoint.admission === "none") {
			const refused = await tooMany(context, caller.value.userId);
			return refused ? failureResponse(c, refused) : next();
		}
		await admit(endpoint, c, next);
		const { quota } = entryOf(context).admission;
		if (quota) for (const [name, value] of Object.entries(quotaHeaders(quota))) c.res.headers.set(name, value);
	},
	/** When the plan turns out to have changed, the handler is called once more under the new one. */
	async call(endpoint, context, handle) {
		const { account, admission } = entryOf(context);
		const first = await handle(keyContext(context, account, admission));
		if (first.ok || first.failure.reason !== "plan_changed" || !isPlanId(first.failure.plan)) return first;
		const replanned = { ...account, plan: PLANS[first.failure.plan] };
		const again = new Admission(context, replanned, countsTowardsDay(endpoint));
		entries.set(context, { account: replanned, admission: again });
		return handle(keyContext(context, replanned, again));
	},
};

const operatorGate: AccessGuard<ServiceContext> = {
	exists: ({ settings }) => settings.adminToken !== null,
	stage: () => async (c, next) => {
		const context = c.get("context");
		const refused = authenticateOperator(c.req.header("authorization") ?? null, context.settings.adminToken);
		return refused ? failureResponse(c, (await countMiss("operator", context)) ?? refused) : next();
	},
};

const publicGate: AccessGuard<ServiceContext> = {
	stage: (endpoint) => async (c, next) => {
		if (endpoint.access !== "public" || !endpoint.limited) return next();
		const context = c.get("context");
		const refused = await tooMany(context, context.address);
		return refused ? failureResponse(c, refused) : next();
	},
};

/** One gate per access of this service's endpoints. */
export const ACCESS_GUARDS: AccessGuards<ServiceContext> = { public: publicGate, key: keyGate, operator: operatorGate };

/** Who calls an endpoint that needs no key. A key, when there is one, must be valid, and counts towards the minute. */
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
