// What this isolate observes for routing: its providers' health, recent calls, and which model serves which conversation.
import type { Model } from "../catalog/schema.ts";
import { breakerKey, callKey } from "../providers/health.ts";
import { health } from "../providers/isolate-health.edge.ts";
import type { ModelCall } from "../providers/model-call.ts";
import type { Observations } from "../routing/observed.ts";
import type { Settings } from "../settings.ts";
import { userMark } from "./call-marks.ts";
import { type ConversationCall, Conversations, findConversationKey, toConversationKey } from "./conversations.ts";

/** The conversations that this isolate knows of. */
const conversations = new Conversations();

/** Remembers the model that served a user's call. */
export function rememberModel(call: ConversationCall, model: Model): void {
	conversations.remember(toConversationKey(call), model.id);
}

/** Waits are shown in such steps: they come from everybody's calls. */
const WAIT_STEP_MS = 10_000;

function roundWaitUp(ms: number): number {
	return Math.ceil(ms / WAIT_STEP_MS) * WAIT_STEP_MS;
}

/** What a user is shown of the providers now, for calls without a conversation. Choices are made with the same figures. */
export function observeProviders(
	{ catalog, providers }: Pick<Settings, "catalog" | "providers">,
	userId: string,
): Observations {
	if (health.isUneventful) return {};
	const nowMs = Date.now();
	const user = userMark(userId);
	const open_breakers: Record<string, number> = {};
	const throttled: Record<string, number> = {};
	const slowdowns: Record<string, number> = {};
	const failure_share: Record<string, number> = {};
	const not_served: Record<string, number> = {};
	for (const { id, provider } of catalog.models) {
		const access = providers.get(provider);
		if (!access) continue;
		const key = breakerKey(access);
		if (!health.isOpenTo(key, user, nowMs))
			open_breakers[provider] = roundWaitUp(Math.max(0, nowMs - health.openSinceMs(key)));
		if (!health.wasCalled(id)) continue;
		const waitMs = health.throttledForMs(key, id, nowMs);
		if (waitMs > 0) throttled[id] = roundWaitUp(waitMs);
		const unserved = health.unserved.find(callKey(key, id), nowMs);
		if (unserved) not_served[id] = roundWaitUp(unserved.askAgainMs);
		const { slowdown, failureShare } = health.recent.find({ provider: key, model: id }, user, nowMs);
		if (slowdown !== undefined) slowdowns[id] = slowdown;
		if (failureShare !== undefined) failure_share[id] = failureShare;
	}
	return { open_breakers, throttled, slowdown: slowdowns, failure_share, not_served };
}

/** What an operator is shown of the providers now, exactly. */
export interface ProviderStates {
	/** By provider: for how many ms its breaker has been open. */
	open_breakers: Record<string, number>;
	/** By model: ms until it may be called again after a 429. */
	throttled: Record<string, number>;
	/** By model: what its provider lately said it does not serve, and until when it is passed by. */
	not_served: Record<string, { provider: string; upstream_model: string; until: string }>;
}

/** This isolate's view of the providers, for operators. */
export function describeProviders({ catalog, providers }: Pick<Settings, "catalog" | "providers">): ProviderStates {
	const nowMs = Date.now();
	const states: ProviderStates = { open_breakers: {}, throttled: {}, not_served: {} };
	for (const { id, provider, upstream_model } of catalog.models) {
		const access = providers.get(provider);
		if (!access) continue;
		const key = breakerKey(access);
		const openSinceMs = health.openSinceMs(key);
		if (Number.isFinite(openSinceMs)) states.open_breakers[provider] = Math.max(0, nowMs - openSinceMs);
		const waitMs = health.throttledForMs(key, id, nowMs);
		if (waitMs > 0) states.throttled[id] = waitMs;
		const unserved = health.unserved.find(callKey(key, id), nowMs);
		if (unserved) states.not_served[id] = { provider, upstream_model, until: new Date(unserved.untilMs).toISOString() };
	}
	return states;
}

/**
 * Observes for a user's call.
 * @param caller the user, and the client's own name of the conversation where it has one.
 */
export function observeFor(
	caller: Omit<ConversationCall, "messages">,
	settings: Pick<Settings, "catalog" | "providers">,
): (call: ModelCall) => Observations {
	return ({ messages }) => {
		const modelId = conversations.recall(findConversationKey({ ...caller, messages }));
		const observed = observeProviders(settings, caller.userId);
		return modelId === null ? observed : { ...observed, conversation_model: modelId };
	};
}
