// Valid routing configs over the small catalog, as somebody could write them.
import fc from "fast-check";
import { INTENTS, TIERS } from "../../src/catalog/vocabulary.ts";
import { ROUTING_MODES } from "../../src/routing/mode.ts";
import { TEST_CATALOG } from "./catalog.ts";

const modelIds = TEST_CATALOG.models.map(({ id }) => id);
const model = fc.constantFrom(...modelIds);
const mode = fc.constantFrom(...ROUTING_MODES);
const amount = fc.double({ min: 1e-6, max: 10, noNaN: true });
/** Words that YAML would take for something else are among them. */
const phrase = fc.oneof(
	fc.constantFrom(
		"yes",
		"null",
		"1.5",
		"- a",
		"a: b",
		"#x",
		"'",
		'"',
		"ünï çödé",
		"你好",
		"{",
		"*a",
		"&b",
		"!c",
		"% d",
		"@e",
	),
	fc.string({ minLength: 1, maxLength: 30 }).map((text) => `w${text.replace(/\p{Cc}/gu, "")}`),
);
const intents = fc.uniqueArray(fc.constantFrom(...INTENTS), { minLength: 1, maxLength: 3 });

const rule = fc.record(
	{
		name: phrase,
		when: fc.record(
			{
				intent: fc.oneof(fc.constantFrom(...INTENTS), intents),
				contains: phrase,
				matches: fc.constantFrom("(?i)\\bsql\\b", "^a+b", "[\\p{L}]{2,}", "x|y"),
				min_tokens: fc.integer({ min: 0, max: 20 }),
				max_tokens: fc.integer({ min: 20, max: 100_000 }),
				has_tools: fc.boolean(),
				has_images: fc.boolean(),
			},
			{ requiredKeys: [] },
		),
		use: fc.record(
			{
				model: fc.oneof(model, fc.constant("auto")),
				routing_mode: mode,
				tier: fc.constantFrom(...TIERS),
				max_cost: amount,
			},
			{ requiredKeys: [] },
		),
	},
	{ requiredKeys: ["when", "use"] },
);

/** A config as an object, before it is normalized. */
export const rawConfig = fc.record(
	{
		model: fc.oneof(model, fc.constant("auto"), fc.constant(null)),
		routing_mode: fc.oneof(mode, fc.constant(null)),
		max_cost: amount,
		blocked: fc.array(fc.constantFrom("*-frontier", "lumen", "cairn", "zz*", ...modelIds), { maxLength: 3 }),
		fallback: fc.uniqueArray(model, { maxLength: 3 }),
		rules: fc.array(rule, { maxLength: 4 }),
		default_max_tokens: fc.oneof(fc.integer({ min: 1, max: 1_000_000 }), fc.constant(null)),
		compliance: fc.record(
			{
				provider_allowlist: fc.subarray(["cairn", "lumen"]),
				frameworks: fc.subarray(["GDPR", "HIPAA"]),
				block_data_classes: fc.subarray(["PII", "SECRETS"]),
				require_zero_retention: fc.boolean(),
			},
			{ requiredKeys: [] },
		),
	},
	{ requiredKeys: [] },
);
