// The endpoints of routing configs. Here: validation.
import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { badgeEndpoint } from "./badge-endpoint.edge.ts";
import { configFields, configSchema, readConfigInput, requireOneForm, toConfigFields } from "./config-input.ts";
import { shareEndpoints } from "./share-endpoints.edge.ts";

export const configValidationSchema = z.lazy(() =>
	z.object({
		object: z.literal("brain.validation"),
		valid: z.boolean(),
		errors: z.array(z.string()),
		warnings: z.array(z.string()),
		config: configSchema,
	}),
);

const validateConfigEndpoint = endpoint({
	id: "validate_brain_config",
	method: "POST",
	effect: "none",
	path: "/v1/brain/validate",
	access: "public",
	limited: true,
	toolGroup: "configs",
	command: "config check",
	page: "config",
	summary: "Whether a routing config is valid, what is wrong with it and where, and its normal form.",
	description: "Before using or sharing a routing config. Nothing is stored.",
	body: z.lazy(() => z.object(configFields()).superRefine(requireOneForm)),
	result: configValidationSchema,
	example: { body: { brain_md: "modle: auto" } },
	async handle({ body, context }) {
		const { config, errors, warnings } = await readConfigInput(body, context.settings.catalog);
		return ok({
			object: "brain.validation" as const,
			valid: errors.length === 0,
			errors,
			warnings,
			config: toConfigFields(config),
		});
	},
});

export const routingConfigEndpoints: readonly Endpoint[] = [validateConfigEndpoint, badgeEndpoint, ...shareEndpoints];
