// POST /v1/moderations in OpenAI's form, by the moderation models of all providers. Categories are the model's own; those of Mistral stand
// under OpenAI's names, too.
import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { nameFields } from "../account/request-names.ts";
import { listedEncoders } from "../catalog/encoder.ts";
import { fail } from "../failure.ts";
import { knownFields } from "../inference/unknown-fields.ts";
import { ruleFields } from "../routing-config/rule-fields.ts";
import type { Settings } from "../settings.ts";
import { encode } from "./encode.edge.ts";
import { encoderBlockSchema, sandboxHeaders, toEncoderBlock } from "./encoder-block.ts";
import { droppedWarnings } from "./encoder-texts.ts";
import { findEncoder, isReachable } from "./find-encoder.ts";
import { readModerationInput } from "./moderation-input.ts";
import { findLengthFaults, MAX_INPUTS } from "./text-limits.ts";

/** `input` is read by moderation-input.ts: a union of lists would name every entry of a wrong one. */
const moderationsRequestSchema = z.lazy(() =>
	z.looseObject({
		input: z
			.unknown()
			.meta({
				anyOf: [
					{ type: "string", minLength: 1 },
					{ type: "array", items: { type: "string", minLength: 1 }, minItems: 1, maxItems: MAX_INPUTS },
					{
						type: "array",
						items: {
							type: "object",
							properties: { type: { const: "text" }, text: { type: "string", minLength: 1 } },
							required: ["type", "text"],
						},
						minItems: 1,
						maxItems: MAX_INPUTS,
					},
				],
			})
			.describe("A text, texts, or the parts of one message: only texts."),
		model: z
			.string()
			.min(1)
			.max(256)
			.nullish()
			.describe("An id of list_models with `kind` moderation. Without one, and with `auto`, the first that has a key."),
		...nameFields(),
		...ruleFields(),
	}),
);

const byCategory = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value);

const moderationsSchema = z.lazy(() =>
	z.object({
		id: z.string().describe("The id of the request."),
		model: z.string().describe("The model that judged."),
		results: z
			.array(
				z.object({
					flagged: z.boolean().describe("Whether any category is."),
					categories: byCategory(z.boolean()),
					category_scores: byCategory(z.number()).describe("From 0 to 1."),
					category_applied_input_types: byCategory(z.array(z.literal("text"))),
				}),
			)
			.describe("One for each text, in their order; one for the parts of a message."),
		svc: encoderBlockSchema.describe("Model, cost and receipt."),
	}),
);

/** What runs where the client names none: the first of the catalog that has a key, so that OpenAI's is before others. */
function findDefault(settings: Pick<Settings, "catalog" | "providers">): { id: string; source: string } | null {
	const models = listedEncoders(settings.catalog).filter(({ kind }) => kind === "moderation");
	const model = models.find((each) => isReachable(each, settings)) ?? models[0];
	return model ? { id: model.id, source: "POST /v1/moderations" } : null;
}

export const createModerationEndpoint = endpoint({
	id: "create_moderation",
	method: "POST",
	path: "/v1/moderations",
	access: "key",
	admission: "handler",
	requestKind: "moderation",
	bodyLimit: "chat",
	toolGroup: "chat",
	summary: "Says of texts whether they are harmful, and in which way, with cost and receipt.",
	body: moderationsRequestSchema,
	result: moderationsSchema,
	ids: "none",
	example: { body: { input: "I will kill you" } },
	async handle({ body, context }) {
		const read = readModerationInput(body.input);
		if (!read.ok) return read;
		const { catalog } = context.settings;
		const choice = findEncoder(
			{ kind: "moderation", asked: body.model, byDefault: findDefault(context.settings) },
			catalog,
		);
		if (!choice.ok) return choice;
		const { inputs, isList } = read.value;
		const issues = findLengthFaults(inputs, isList, choice.value.named);
		if (issues.length > 0) return fail({ reason: "invalid_request", issues });
		const outcome = await encode(
			{
				choice: choice.value,
				call: { kind: "moderation", inputs },
				isList,
				rules: body,
				endpoint: "moderations",
				warnings: droppedWarnings(body, knownFields(moderationsRequestSchema)),
			},
			context,
		);
		if (!outcome.ok) return outcome;
		const { answer, model, receipt } = outcome.value;
		if (answer.kind !== "moderation") throw new Error("a moderation model judges");
		return {
			ok: true,
			value: {
				id: receipt.request_id,
				model: model.id,
				results: answer.results.map(({ flagged, categories, scores }) => ({
					flagged,
					categories,
					category_scores: scores,
					category_applied_input_types: Object.fromEntries(
						Object.keys(categories).map((category): [string, ["text"]] => [category, ["text"]]),
					),
				})),
				svc: toEncoderBlock(outcome.value),
			},
			headers: sandboxHeaders(outcome.value),
		};
	},
});
