// How long an answer may become: where an entrance takes the client's limit as a ceiling, where the client names none, and where a
// routing config has a default of its own. Pure.

import { choosableModels } from "../catalog/catalog.ts";
import { isAvailable } from "../providers/wires.ts";
import type { CompiledConfig } from "../routing/routing-config.ts";
import type { Settings } from "../settings.ts";
import type { CallOptions, InferenceRequest } from "./plan.ts";

/** Visible tokens that an answer has room for, whatever lowers its limit. */
const LEAST_VISIBLE_TOKENS = 1_024;
/** The ceiling of a client that names none. */
export const DEFAULT_CEILING_TOKENS = 32_000;

/** A limit that is a ceiling. */
interface OutputCeiling extends Pick<CallOptions, "defaultMaxTokens"> {
	/** The visible tokens that must fit. */
	maxTokens: number;
	outputLimit: NonNullable<CallOptions["outputLimit"]>;
}

/**
 * The limits of a call: the visible tokens that must fit, and the ceiling.
 * @param named the limit in the client's body.
 */
export function toOutputCeiling(named: number | null | undefined): OutputCeiling {
	if (named !== null && named !== undefined)
		return { maxTokens: Math.min(LEAST_VISIBLE_TOKENS, named), outputLimit: { atMost: named } };
	return {
		maxTokens: LEAST_VISIBLE_TOKENS,
		outputLimit: { atMost: DEFAULT_CEILING_TOKENS, isDefault: true },
		defaultMaxTokens: DEFAULT_CEILING_TOKENS,
	};
}

/**
 * A request under the default limit of its routing config, where its client names no limit. That is a ceiling: it keeps no model
 * from the request, and is lowered to what each writes and the cost limits afford.
 */
export function withConfiguredLimit({ call, options }: InferenceRequest): InferenceRequest {
	const configured = options.config?.config.default_max_tokens;
	if (configured === undefined || options.defaultMaxTokens === undefined) return { call, options };
	const { maxTokens, outputLimit } = toOutputCeiling(configured);
	return { call: { ...call, maxTokens }, options: { ...options, outputLimit, defaultMaxTokens: configured } };
}

/**
 * The output limits that a workflow whose client names none may have, the wanted one first: its routing config's default, but no more
 * than every model writes that can be called; and the workflow's own, where the cost limits do not cover that.
 */
export function listWorkflowLimits(
	config: CompiledConfig | null,
	own: number,
	settings: Settings,
): readonly [number, ...number[]] {
	const configured = config?.config.default_max_tokens;
	if (!config || configured === undefined) return [own];
	const { catalog } = settings;
	const named = [config.config.model, ...config.config.fallback].flatMap((id) => catalog.findModel(id) ?? []);
	const models = [...choosableModels(catalog), ...named].filter((model) => isAvailable(model, settings));
	const wanted = Math.min(configured, ...models.map(({ limits }) => limits.max_output_tokens));
	return wanted > own ? [wanted, own] : [wanted];
}
