// A routing config in requests and answers: its two forms, and its normal form as JSON. Pure.
import * as z from "zod";
import type { Catalog } from "../catalog/catalog.ts";
import { exceedsConfigLimit, MAX_CONFIG_BYTES, type ReadConfig, readConfigObject, readConfigText } from "./read.ts";

/** The fields of a config in one of its two forms. */
export const configFields = () => ({
	brain_md: z
		.string()
		.refine((text) => !exceedsConfigLimit(text), `must have at most ${MAX_CONFIG_BYTES} bytes`)
		.nullish()
		.describe("YAML, or Markdown with YAML front matter or one fenced yaml block."),
	// Untyped, unlike in requests that are refused for a faulty config: here its faults are the answer.
	brain_config: z
		.record(z.string(), z.unknown())
		.refine((config) => !exceedsConfigLimit(JSON.stringify(config)), `must have at most ${MAX_CONFIG_BYTES} bytes`)
		.nullish()
		.describe("The same, parsed already; instead of brain_md."),
});

export type ConfigInput = Partial<z.output<z.ZodObject<ReturnType<typeof configFields>>>>;

export function requireOneForm({ brain_md, brain_config }: ConfigInput, issues: z.RefinementCtx): void {
	const issue = (message: string) => issues.addIssue({ code: "custom", path: ["brain_md"], message });
	if (brain_md != null && brain_config != null) issue("is given, and so is brain_config; a config has one form");
	if (brain_md == null && brain_config == null) issue("is missing, and so is brain_config");
}

export function readConfigInput({ brain_md, brain_config }: ConfigInput, catalog: Catalog): Promise<ReadConfig> {
	return brain_md != null ? readConfigText(brain_md, catalog) : readConfigObject(brain_config, catalog);
}

export const configSchema = z.lazy(() =>
	z
		.looseObject({
			model: z.string(),
			routing_mode: z.string().nullable(),
			max_cost: z.number().nullable(),
			blocked: z.array(z.string()),
			fallback: z.array(z.string()),
			rules: z.array(z.looseObject({})).optional(),
			compliance: z.looseObject({}).optional(),
			default_max_tokens: z.int().optional(),
		})
		.describe("Normalized. Of an invalid config: the members that are valid."),
);

/** A config in the types of the schema above. */
export function toConfigFields(config: ReadConfig["config"]): z.output<typeof configSchema> {
	return {
		...config,
		rules: config.rules?.map((rule) => ({ ...rule })),
		compliance: config.compliance && { ...config.compliance },
	};
}
