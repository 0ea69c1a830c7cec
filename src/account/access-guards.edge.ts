// Access guards: who may call an endpoint, by its access, and with which context its handler runs.
import type { Context, Next } from "hono";
import { isPlanId, PLANS } from "../catalog/plans.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { addressOwner } from "../http/deployment.ts";
import { type Endpoint, rolesOf } from "../http/endpoint.ts";
import type { AccessGuard, AccessGuards } from "../http/mount.edge.ts";
import { failureResponse, type RequestState } from "../http/respond.edge.ts";
import { Admission, quotaHeaders, toKeyContext } from "./admission.edge.ts";
import { authenticate, authenticateOperator, authenticateScraper, findCredential } from "./auth.edge.ts";
import type { Account, AdmitOptions, Admitted, ServiceContext } from "./context.ts";
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

/** Who makes a request, as far as its key is known. */
export function findCaller(context: ServiceContext): Account | null {
	return keyRequests.get(context)?.account ?? null;
}

function countsTowardsDay(endpoint: Endpoint): boolean {
	return endpoint.access === "key" && (endpoint.countsTowardsDay ?? true);
}

/** Makes an account the caller of a request. */
function enter(endpoint: Endpoint, context: ServiceContext, account: Account): Admission {
	const admission = new Admission(context, account, countsTowardsDay(endpoint));
	keyRequests.set(context, { account, admission });
	return admission;
}

/** Looks the caller's key up again, after the meter has refused the version that this isolate knew. */
async function reenter(endpoint: Endpoint, context: ServiceContext): Promise<Result<Admission>> {
	const caller = await authenticate(context);
	if (caller.ok) return ok(enter(endpoint, context, caller.value));
	keyRequestFor(context).admission.outcome = caller;
	return caller;
}

/** Admits the caller under the latest version of the key. */
async function admitCaller(
	endpoint: Endpoint,
	context: ServiceContext,
	options: AdmitOptions = {},
): Promise<Result<Admitted>> {
	const verdict = await keyRequestFor(context).admission.request(undefined, options);
	if (verdict.ok || verdict.failure.reason !== "key_changed") return verdict;
	const again = await reenter(endpoint, context);
	return again.ok ? again.value.request(undefined, options) : again;
}

/** The refusal of a key that has changed since a session began with it, or whose role may not call an endpoint. */
function grantFailure(endpoint: Endpoint, { session }: ServiceContext, { key }: Account): Failure | null {
	if (session !== undefined && session.keyVersion !== key.version)
		return { reason: "invalid_api_key", message: "the API key has been changed since the session began" };
	const roles = rolesOf(endpoint);
	if (roles.includes(key.role)) return null;
	const message = `a key with the role ${key.role} may not call this endpoint; it takes ${roles.join(" or ")}`;
	return { reason: "role_forbidden", message };
}

/** Hono merges the headers of both when a response replaces another. A refusal must not inherit any. */
function replaceResponse(c: { res: Response | undefined }, response: Response): void {
	c.res = undefined;
	c.res = response;
}

const LIMIT_PERIOD_MS = 60_000;
/** How often a request is planned anew to fit in what is left of its key's budget. */
const MAX_BUDGET_PLANS = 3;

/** The refusal of requests that no plan counts, when an address or user sends too many; best effort. */
async function publicLimitFailure({ env }: ServiceContext, key: string): Promise<Failure | null> {
	const { success } = await env.PUBLIC_LIMITER.limit({ key });
	if (success) return null;
	const message = "too many requests; try again in a minute";
	return { reason: "rate_limit_exceeded", message, retryAfterMs: LIMIT_PERIOD_MS };
}

/** Who asks the meter, and when: before all else, the handler (at once, or by its body's event), between body and handler, or nobody. */
function admissionOf(endpoint: Endpoint): "first" | "body" | "handler" | "event" | "none" {
	const { admission = "first" } = endpoint.access === "key" ? endpoint : {};
	return admission === "first" && endpoint.body ? "body" : admission;
}

/** Admits the request before anything is read of it; why it ends here, or null. */
async function admitBefore(endpoint: Endpoint, context: ServiceContext): Promise<Failure | null> {
	const verdict = await admitCaller(endpoint, context);
	if (!verdict.ok) return verdict.failure;
	// After the admission, which has the key as it is now.
	const { account } = keyRequestFor(context);
	const refused = grantFailure(endpoint, context, account);
	const admits = admissionOf(endpoint);
	// Its role has just become one that may. A handler that reserves begins anew, and the request counts once more.
	if (!refused && (admits === "handler" || admits === "event")) enter(endpoint, context, account);
	return refused;
}

/** Admits the request before its handler, or lets the handler do it. A refusal replaces the answer. */
async function admitRequest(endpoint: Endpoint, c: Context<RequestState<ServiceContext>>, next: Next): Promise<void> {
	const context = c.get("context");
	const { admission, account } = keyRequestFor(context);
	const admits = admissionOf(endpoint);
	const known = admits === "event" ? null : admission.knownRefusal();
	// A key that may not call the endpoint has nothing read of its body.
	const isLate = admits !== "first" && !grantFailure(endpoint, context, account);
	if (known) c.res = failureResponse(c, known);
	else if (isLate) {
		await next();
		const { refusedBody } = context;
		if (refusedBody === "unread" || keyRequestFor(context).admission.isRecord) return;
		// A request that failed before it was admitted counts all the same, but towards the day only if its body was taken.
		const options = refusedBody ? { countsTowardsDay: false } : {};
		const verdict = keyRequestFor(context).admission.outcome ?? (await admitCaller(endpoint, context, options));
		if (!verdict.ok) replaceResponse(c, failureResponse(c, verdict.failure));
	} else {
		const refused = await admitBefore(endpoint, context);
		if (refused) c.res = failureResponse(c, refused);
		else await next();
	}
}

/** Replaces the caller of a request by the account as it is now, if a failure says that it has changed; else null. */
async function replaceCaller(
	failure: Failure,
	endpoint: Endpoint,
	context: ServiceContext,
): Promise<Result<Admission> | null> {
	if (failure.reason === "key_changed") return reenter(endpoint, context);
	const { account, admission } = keyRequestFor(context);
	if (failure.reason === "key_budget_exceeded" && admission.tightBudget)
		return ok(enter(endpoint, context, { ...account, tightBudget: admission.tightBudget }));
	if (failure.reason !== "plan_changed" || !isPlanId(failure.plan)) return null;
	return ok(enter(endpoint, context, { ...account, plan: PLANS[failure.plan] }));
}

const keyGuard: AccessGuard<ServiceContext> = {
	stage: (endpoint) => async (c, next) => {
		const context = c.get("context");
		const caller = await context.timings.measure("auth", () => authenticate(context));
		if (!caller.ok) return failureResponse(c, caller.failure);
		context.requestId = newRequestId(caller.value, context);
		context.bodyOwner = caller.value.userId;
		context.log.user_id = caller.value.userId;
		context.log.key_id = caller.value.keyId;
		enter(endpoint, context, caller.value);
		if (endpoint.access === "key" && endpoint.admission === "none") {
			const limited = await publicLimitFailure(context, caller.value.userId);
			const refused = limited ?? grantFailure(endpoint, context, caller.value);
			return refused ? failureResponse(c, refused) : next();
		}
		await admitRequest(endpoint, c, next);
		const { quota } = keyRequestFor(context).admission;
		if (quota) for (const [name, value] of Object.entries(quotaHeaders(quota))) c.res.headers.set(name, value);
	},
	/**
	 * Admits a request whose body has been read, if its handler does not. If plan or key have changed, the handler is called once more under what holds now. If the reservation is more than the key's
	 * budget leaves, it is called again to plan within that, a few times while other requests take of it meanwhile.
	 */
	async call(endpoint, context, handle) {
		const admits = admissionOf(endpoint);
		if (admits === "body") {
			const verdict = await admitCaller(endpoint, context);
			if (!verdict.ok) return verdict;
		}
		// The endpoints that it calls take tickets of their own.
		if (admits === "none") context.bodyTicket?.release();
		const replaced = new Map<Failure["reason"], number>();
		for (;;) {
			const { account, admission } = keyRequestFor(context);
			const refused = grantFailure(endpoint, context, account);
			if (refused) return fail(refused);
			const answer = await handle(toKeyContext(context, account, admission));
			if (answer.ok) return answer;
			const { reason } = answer.failure;
			const times = replaced.get(reason) ?? 0;
			if (times >= (reason === "key_budget_exceeded" ? MAX_BUDGET_PLANS : 1)) return answer;
			const caller = await replaceCaller(answer.failure, endpoint, context);
			if (!caller) return answer;
			if (!caller.ok) return caller;
			replaced.set(reason, times + 1);
		}
	},
};

const operatorGuard: AccessGuard<ServiceContext> = {
	exists: ({ settings }) => settings.adminToken !== null,
	stage: () => async (c, next) => {
		const context = c.get("context");
		const refused = authenticateOperator(c.req.header("authorization") ?? null, context.settings.adminToken);
		context.bodyOwner = "operator";
		return refused ? failureResponse(c, (await countMiss("operator", context)) ?? refused) : next();
	},
};

const metricsGuard: AccessGuard<ServiceContext> = {
	exists: ({ settings }) => settings.telemetry.metricsToken !== null,
	stage: () => async (c, next) => {
		const context = c.get("context");
		const { metricsToken } = context.settings.telemetry;
		const refused = authenticateScraper(c.req.header("authorization") ?? null, metricsToken);
		return refused ? failureResponse(c, (await countMiss("metrics", context)) ?? refused) : next();
	},
};

const publicGuard: AccessGuard<ServiceContext> = {
	stage: (endpoint) => async (c, next) => {
		if (endpoint.access !== "public" || !endpoint.limited) return next();
		const context = c.get("context");
		const refused = await publicLimitFailure(context, addressOwner(context.address));
		return refused ? failureResponse(c, refused) : next();
	},
};

/** One guard per access of this service's endpoints. */
export const ACCESS_GUARDS: AccessGuards<ServiceContext> = {
	public: publicGuard,
	key: keyGuard,
	operator: operatorGuard,
	metrics: metricsGuard,
};

/** The caller of an endpoint that needs no key. If there is a key, it must be valid, and the request counts towards the minute. */
export async function identifyCaller(context: ServiceContext): Promise<Result<Account | null>> {
	const credential = findCredential(context);
	if (!credential.ok) return credential;
	if (credential.value === null) return ok(null);
	const admit = (account: Account) => new Admission(context, account, false).request();
	const first = await authenticate(context);
	if (!first.ok) return first;
	const verdict = await admit(first.value);
	if (verdict.ok) return first;
	if (verdict.failure.reason !== "key_changed") return verdict;
	const again = await authenticate(context);
	if (!again.ok) return again;
	const second = await admit(again.value);
	return second.ok ? again : second;
}
