// What this isolate observes for routing: its providers' health, recent calls, and which model serves which conversation.
import type { Model } from "../catalog/schema.ts";
import { breakerKey, callKey } from "../providers/health.ts";
import type { ModelCall } from "../providers/model-call.ts";
import type { Observations } from "../routing/observed.ts";
import type { Settings } from "../settings.ts";
import { health } from "./call-runner.edge.ts";
import { type ConversationCall, Conversations, findConversationKey, toConversationKey } from "./conversations.ts";

/** The conversations that this isolate knows of. */
const conversations = new Conversations();

/** Remembers the model that served a user's call. */
export function rememberModel(call: ConversationCall, model: Model): void {
	conversations.remember(toConversationKey(call), model.id);
}

/** What is known of the providers, for calls without a conversation. */
export function observeProviders(
	{ catalog, providers }: Pick<Settings, "catalog" | "providers">,
	nowMs: number,
): Observations {
	if (health.isUneventful) return {};
	const open_breakers: Record<string, number> = {};
	const throttled: Record<string, number> = {};
	const slowdowns: Record<string, number> = {};
	const failure_share: Record<string, number> = {};
	for (const { id, provider } of catalog.models) {
		const access = providers.get(provider);
		if (!access) continue;
		const key = breakerKey(access);
		if (!health.isOpenTo(key, nowMs)) open_breakers[provider] = Math.max(0, nowMs - health.openSinceMs(key));
		const waitMs = health.throttledForMs(key, id, nowMs);
		if (waitMs > 0) throttled[id] = waitMs;
		const { slowdown, failureShare } = health.recent.find(callKey(key, id), nowMs);
		if (slowdown !== undefined) slowdowns[id] = slowdown;
		if (failureShare !== undefined) failure_share[id] = failureShare;
	}
	return { open_breakers, throttled, slowdown: slowdowns, failure_share };
}

/**
 * Observes for a user's call.
 * @param caller the user, and the client's own name of the conversation where it has one.
 */
export function observeFor(
	caller: Omit<ConversationCall, "messages">,
	settings: Pick<Settings, "catalog" | "providers">,
	nowMs: number,
): (call: ModelCall) => Observations {
	return ({ messages }) => {
		const modelId = conversations.recall(findConversationKey({ ...caller, messages }));
		const observed = observeProviders(settings, nowMs);
		return modelId === null ? observed : { ...observed, conversation_model: modelId };
	};
}
