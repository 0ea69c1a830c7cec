// From a chat body to the model that will run it: config, signals, selection, worst case. Pure, and all that POST /v1/route needs.
import type { Plan } from "../account/plans.ts";
import { parseBrainConfig } from "../brain/config.ts";
import { type CallCost, worstCaseOf } from "../catalog/price.ts";
import type { Model } from "../catalog/schema.ts";
import type { EffortChoice } from "../catalog/vocabulary.ts";
import { type ChatRequest, toChatCall } from "../chat/request.ts";
import { ok, type Result } from "../failure.ts";
import type { ChatCall } from "../providers/model-call.ts";
import type { PreparedPrompt, UpstreamRequest, Wire } from "../providers/wire.ts";
import { isAvailable, wireOf } from "../providers/wires.ts";
import type { RoutingConfig } from "../routing/routing-config.ts";
import { type Selection, select } from "../routing/select.ts";
import { type Signals, signals } from "../routing/signals.ts";
import type { ProviderAccess, Settings } from "../settings.ts";

/** A model's exact request and where it goes. */
export interface Attempt {
	wire: Wire;
	access: ProviderAccess;
	request: UpstreamRequest;
	worstCase: CallCost;
}

export interface ChatPlan {
	catalogVersion: string;
	call: ChatCall;
	config: RoutingConfig | null;
	signals: Signals;
	selection: Selection;
	/** Builds the exact request of an available model. */
	attempt(model: Model, effort: EffortChoice): Attempt;
}

/** Builds attempts for one call; a prompt is serialized once per format and its variant, however many models are weighed. */
function attempts(call: ChatCall, stream: boolean, settings: Settings, nowMs: number): ChatPlan["attempt"] {
	const prompts = new Map<string, PreparedPrompt>();
	return (model, effort) => {
		const access = settings.providers.get(model.provider);
		if (!access) throw new Error(`${model.id} is not available and was not to be asked for`);
		const { provider } = access;
		const wire = wireOf(provider);
		const variant = `${provider.wire} ${provider.returns_reasoning}`;
		const prompt = prompts.get(variant) ?? wire.prepare(call, provider);
		prompts.set(variant, prompt);
		const request = wire.request({ call, prompt, model, access, effort, stream });
		return {
			wire,
			access,
			request,
			worstCase: worstCaseOf(model, request.maxInputTokens, request.maxOutputTokens, nowMs),
		};
	};
}

/**
 * Plans a chat call for a user on `plan`; nothing is called.
 * @param recall the model that a conversation is with, by the call that goes on with it; null when nobody knows.
 */
export function planChat(
	body: ChatRequest,
	plan: Plan,
	settings: Settings,
	nowMs: number,
	recall: (call: ChatCall) => string | null = () => null,
): Result<ChatPlan> {
	const { catalog } = settings;
	const call = toChatCall(body, catalog);
	const config = body.brain_config ? parseBrainConfig(body.brain_config, catalog) : ok(null);
	if (!config.ok) return config;
	const detected = signals(call);
	const attempt = attempts(call, body.stream ?? false, settings, nowMs);
	const selection = select({
		catalog,
		call,
		signals: detected,
		model: body.model ?? "auto",
		routingMode: body.routing_mode ?? null,
		config: config.value,
		plan,
		available: (model) => isAvailable(model, settings),
		takesRemoteImages: (model) => wireOf(catalog.providerOf(model)).remoteImages,
		takesToolName: (model, name) => wireOf(catalog.providerOf(model)).toolName.test(name),
		worstCase: (model, effort) => attempt(model, effort).worstCase,
		conversationModel: recall(call),
		nowMs,
	});
	return selection.ok
		? ok({
				catalogVersion: catalog.version,
				call,
				config: config.value,
				signals: detected,
				selection: selection.value,
				attempt,
			})
		: selection;
}
