// What this isolate observes for routing: its providers' health, recent calls, and which model serves which conversation.
import type { Model } from "../catalog/schema.ts";
import { breakerKey } from "../providers/health.ts";
import { health } from "../providers/isolate-health.edge.ts";
import type { ModelCall } from "../providers/model-call.ts";
import { callId, hasSeveralKeys, keyId } from "../providers/model-keys.ts";
import type { Observations } from "../routing/observed.ts";
import type { ProviderAccess, Settings } from "../settings.ts";
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

/** A wait as tenants are shown it. */
export function roundWaitUp(ms: number): number {
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
		const { throttledMs, unserved } = health.modelState(access, { id }, nowMs);
		if (throttledMs > 0) throttled[id] = roundWaitUp(throttledMs);
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
	/** By provider that has several keys, and by the key's name: what is known of it. A key that nothing is known of is not in it. */
	keys: Record<string, Record<string, KeyStateView>>;
}

/** What an operator is shown of a key. */
interface KeyStateView {
	/** For how many ms it is left alone because it was refused; null for as long as this isolate lives. Absent when it is not. */
	refused_ms?: number | null;
	/** By model: ms until it may be called again after a 429, or although the key was refused for it. */
	waits: Record<string, number>;
}

/** What is known of the keys of a provider. */
function describeKeys(access: ProviderAccess, models: readonly Model[], nowMs: number): Record<string, KeyStateView> {
	const views = access.keys.flatMap((key): [string, KeyStateView][] => {
		const refusedMs = health.keys.refusedForMs(keyId(access, key), nowMs);
		const waits = models.flatMap(({ id }): [string, number][] => {
			const call = callId(keyId(access, key), id);
			const waitMs = Math.max(health.keys.throttledForMs(call, nowMs), health.keys.refusedForMs(call, nowMs));
			return waitMs > 0 ? [[id, waitMs]] : [];
		});
		if (refusedMs === 0 && waits.length === 0) return [];
		const refused = refusedMs === 0 ? {} : { refused_ms: Number.isFinite(refusedMs) ? refusedMs : null };
		return [[key.name, { ...refused, waits: Object.fromEntries(waits) }]];
	});
	return Object.fromEntries(views);
}

/** This isolate's view of the providers, for operators. */
export function describeProviders({ catalog, providers }: Pick<Settings, "catalog" | "providers">): ProviderStates {
	const nowMs = Date.now();
	const states: ProviderStates = { open_breakers: {}, throttled: {}, not_served: {}, keys: {} };
	for (const access of providers.values()) {
		if (!hasSeveralKeys(access)) continue;
		const models = catalog.models.filter(({ provider }) => provider === access.provider.id);
		const keys = describeKeys(access, models, nowMs);
		if (Object.keys(keys).length > 0) states.keys[access.provider.id] = keys;
	}
	for (const { id, provider, upstream_model } of catalog.models) {
		const access = providers.get(provider);
		if (!access) continue;
		const openSinceMs = health.openSinceMs(breakerKey(access));
		if (Number.isFinite(openSinceMs)) states.open_breakers[provider] = Math.max(0, nowMs - openSinceMs);
		const { throttledMs, unserved } = health.modelState(access, { id }, nowMs);
		if (throttledMs > 0) states.throttled[id] = throttledMs;
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
