// Who makes a request of the engine: plan, prices and settings, where the money comes from, what stops it.
import type { KeyContext } from "../account/context.ts";
import { readRequestNames } from "../account/request-names.ts";
import type { Plan } from "../catalog/plans.ts";
import type { LongRequest } from "../http/long-work.edge.ts";
import type { RequestTexts } from "../meter/kept-texts.ts";
import type { RequestNames } from "../meter/request-facts.ts";
import type { Settings } from "../settings.ts";
import type { ProviderKeyState } from "../telemetry/metric-store.edge.ts";
import { noteProviderKey } from "../telemetry/metrics-client.edge.ts";
import type { CallTracing, RequestTrace } from "../telemetry/request-trace.edge.ts";
import { createFunds, type Funds } from "../usage/funds.edge.ts";
import { keepsTexts, keepTexts } from "../usage/kept-texts.edge.ts";

/** What calls are planned by. */
export interface PlanContext {
	account: { plan: Plan; userId: string };
	settings: Settings;
	/** Prices are those of this moment, ms since the epoch: a bound and the calls within it have the same. */
	startedAtMs: number;
	/** Puts calls into the request's trace; absent while no address for traces is set. */
	tracing?: CallTracing;
	/** Is told in which states the keys of providers are found. */
	noteKey?(state: ProviderKeyState): void;
	/** When the request arrived, where that was earlier: a run has later prices. */
	arrivedAtMs?: number;
}

/** What a request of its own brings along. */
export interface Caller
	extends Pick<
		KeyContext,
		| "requestId"
		| "startedAtMs"
		| "route"
		| "account"
		| "settings"
		| "signal"
		| "waitUntil"
		| "log"
		| "timings"
		| "trail"
		| keyof LongRequest
	> {
	funds: Funds;
	/** Its place in its caller's trace; absent while no address for traces is set. */
	trace?: RequestTrace | undefined;
	tracing?: CallTracing;
	/** Keeps what was asked and answered; null where no texts of the key's requests are kept. Never throws. */
	keepTexts: ((texts: RequestTexts) => Promise<void>) | null;
	/** Is told in which states the keys of providers are found. */
	noteKey?(state: ProviderKeyState): void;
	/** What the request is called by, for its row. */
	names: RequestNames;
}

/** The caller of a request. */
export function toCaller(context: KeyContext): Caller {
	const {
		requestId,
		startedAtMs,
		account,
		settings,
		signal,
		log,
		timings,
		trail,
		route,
		bodyOwner,
		address,
		bodyChars,
	} = context;
	const waitUntil: Caller["waitUntil"] = (work) => context.waitUntil(work);
	const longRequest: LongRequest = { signal, bodyOwner, address, bodyChars };
	return {
		...longRequest,
		requestId,
		startedAtMs,
		account,
		settings,
		waitUntil,
		log,
		timings,
		trail,
		...(route === undefined ? {} : { route }),
		funds: createFunds(context),
		noteKey: (state) => noteProviderKey(context, state),
		...(context.trace ? { trace: context.trace, tracing: context.trace.calls(requestId) } : {}),
		names: readRequestNames(context.headers, context.rawBody).names,
		keepTexts: keepsTexts(settings, account.key)
			? (texts) => keepTexts(context.env, { userId: account.userId, requestId: context.requestId }, settings, texts)
			: null,
	};
}
