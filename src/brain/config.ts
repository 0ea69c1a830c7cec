// The routing config of a request, as far as the choice of a model needs it: validated against the catalog, normalized, matched.
import * as z from "zod";
import type { Catalog } from "../catalog/catalog.ts";
import { fail, ok, type Result } from "../failure.ts";
import { hashObject } from "../proof/hash.ts";
import { ROUTING_MODES } from "../routing/mode.ts";
import type { RoutingConfig } from "../routing/routing-config.ts";

const amountUsd = z.number().positive();

const rawConfigSchema = z.lazy(() =>
	z.strictObject({
		model: z.string().optional(),
		routing_mode: z.enum(ROUTING_MODES).optional(),
		max_cost: amountUsd.optional(),
		max_cost_per_request: amountUsd.optional(),
		blocked: z.array(z.string().min(1).max(128)).max(100).optional(),
		fallback: z.array(z.string()).max(27).optional(),
		// Refused unless empty: a config that names them and is routed without them would break its promise.
		rules: z.array(z.unknown()).max(0, "is not applied by this version of the service").optional(),
		compliance: z.strictObject({}, { error: "is not applied by this version of the service" }).optional(),
	}),
);

function catalogErrors(config: z.infer<typeof rawConfigSchema>, { findModel, findProvider }: Catalog): string[] {
	const errors: string[] = [];
	const known = (id: string) => findModel(id) !== undefined;
	if (config.model !== undefined && config.model !== "auto" && !known(config.model))
		errors.push(`model: unknown model ${JSON.stringify(config.model)}`);
	for (const id of config.fallback ?? []) if (!known(id)) errors.push(`fallback: unknown model ${JSON.stringify(id)}`);
	for (const entry of config.blocked ?? []) {
		if (!entry.includes("*") && !known(entry) && !findProvider(entry))
			errors.push(`blocked: ${JSON.stringify(entry)} is neither a model nor a provider`);
	}
	const { max_cost, max_cost_per_request } = config;
	if (max_cost !== undefined && max_cost_per_request !== undefined && max_cost !== max_cost_per_request) {
		errors.push("max_cost and max_cost_per_request mean the same and differ");
	}
	return errors;
}

/** Validates and normalizes a request's `brain_config`. */
export function parseBrainConfig(raw: unknown, catalog: Catalog): Result<RoutingConfig> {
	const parsed = rawConfigSchema.safeParse(raw);
	const errors = parsed.success
		? catalogErrors(parsed.data, catalog)
		: parsed.error.issues.map((issue) => `${issue.path.join(".") || "config"}: ${issue.message}`);
	if (!parsed.success || errors.length > 0) return fail({ reason: "invalid_brain_config", errors });
	const { model, routing_mode, max_cost, max_cost_per_request, blocked, fallback } = parsed.data;
	return ok({
		model: model ?? "auto",
		routing_mode: routing_mode ?? null,
		max_cost: max_cost ?? max_cost_per_request ?? null,
		blocked: blocked ?? [],
		fallback: fallback ?? [],
	});
}

/** What a receipt says of the config in force. */
export function configDigest(config: RoutingConfig): string {
	return hashObject({ type: "svc.brain.v1", config });
}
