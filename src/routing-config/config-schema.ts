// The schema of a routing config's members, with its error messages. validate.ts checks members against each other and builds the
// normal form. Pure.
import * as z from "zod";
import { findModelOrAlias } from "../catalog/aliases.ts";
import { type Catalog, listedModels, perCatalog } from "../catalog/catalog.ts";
import { INTENTS, TIERS } from "../catalog/vocabulary.ts";
import { mappingMessages } from "../faults.ts";
import { isJsonObject } from "../json.ts";
import { ROUTING_MODES } from "../routing/mode.ts";
import { quoteInput, renderSuggestion } from "../suggest.ts";

const MAX_BLOCKED = 100;
const MAX_RULES = 50;
const MAX_BLOCKED_CHARS = 128;
const MAX_RULE_NAME_CHARS = 64;
const MAX_CONDITION_CHARS = 512;

/** A value in a message. */
function quoteValue(value: unknown): string {
	return quoteInput(typeof value === "string" ? value : (JSON.stringify(value) ?? String(value)));
}

/** What is wrong with a text; null when nothing is. */
function textProblem(value: string, maxChars: number): string | null {
	if (value.trim() === "") return "must be a text";
	if (/\p{Cc}/u.test(value)) return "must not hold control characters";
	return value.length > maxChars ? `must have at most ${maxChars} characters` : null;
}

/** A text without a problem. */
function textWithout(problem: (value: string) => string | null) {
	return z.string("must be a text").superRefine((value, issues) => {
		const message = problem(value);
		if (message !== null) issues.addIssue(message);
	});
}

function shortText(maxChars: number) {
	return textWithout((value) => textProblem(value, maxChars));
}

function wordAmong<const T extends readonly string[]>(words: T) {
	return z.enum(words, {
		error({ input }) {
			const hint = typeof input === "string" ? renderSuggestion(input, words) : "";
			return `must be one of ${words.join(", ")}, not ${quoteValue(input)}${hint}`;
		},
	});
}

/** A list. A list that is too long is refused before its items are parsed. */
function limitedList<T extends z.ZodType>(item: T, maxItems: number) {
	return z
		.array(z.unknown(), "must be a list")
		.refine(({ length }) => length <= maxItems, `must have at most ${maxItems} entries`)
		.pipe(z.array(item));
}

/** A mapping of known members. A null counts as absent. */
function mapping<Shape extends z.ZodRawShape>(shape: Shape) {
	const isAbsent = ([name, value]: [string, unknown]) => value === null && Object.hasOwn(shape, name);
	const withoutNulls = (value: unknown) => {
		if (!isJsonObject(value) || !Object.values(value).includes(null)) return value;
		return Object.fromEntries(Object.entries(value).filter((member) => !isAbsent(member)));
	};
	return z.preprocess(withoutNulls, z.strictObject(shape, { error: mappingMessages(Object.keys(shape)) }));
}

/** Lets a check of a mapping run although some of its members are at fault. */
const despiteFaults = { when: ({ value }: { value: unknown }) => isJsonObject(value) };

function amountUsd() {
	const message = "must be a number of USD above 0";
	return z.number(message).positive(message);
}

function isTokenCount(value: unknown): boolean {
	return Number.isSafeInteger(value) && Number(value) >= 0;
}

function outputTokens() {
	const message = "must be a whole number of tokens above 0";
	return z.number(message).refine((value) => isTokenCount(value) && value > 0, message);
}

function tokenCount() {
	const message = "must be a whole number of tokens";
	return z.number(message).refine(isTokenCount, message);
}

function yesOrNo() {
	return z.boolean("must be true or false");
}

/** One or several; the normal form is a list. */
function intents() {
	return z
		.preprocess((value) => (Array.isArray(value) ? value : [value]), limitedList(wordAmong(INTENTS), INTENTS.length))
		.refine(({ length }) => length > 0, "must not be empty")
		.transform((found) => [...new Set(found)]);
}

function pattern() {
	return shortText(MAX_CONDITION_CHARS);
}

function condition() {
	return mapping({
		intent: intents().optional(),
		contains: shortText(MAX_CONDITION_CHARS).optional(),
		matches: pattern().optional(),
		min_tokens: tokenCount().optional(),
		max_tokens: tokenCount().optional(),
		has_tools: yesOrNo().optional(),
		has_images: yesOrNo().optional(),
	}).refine(
		({ min_tokens: least, max_tokens: most }) => ![least, most].every(isTokenCount) || Number(least) <= Number(most),
		{ ...despiteFaults, error: "min_tokens is above max_tokens: it would never match" },
	);
}

/** Whether names that the catalog does not have are faults. */
type UnknownNames = "refused" | "taken";

function modelId(catalog: Catalog, unknown: UnknownNames, others: readonly string[] = []) {
	const { findModel } = catalog;
	if (unknown === "taken") return shortText(MAX_BLOCKED_CHARS);
	return z.string("must be the id of a model").refine((id) => others.includes(id) || findModel(id) !== undefined, {
		error({ input }) {
			const alias = findModelOrAlias(String(input), catalog);
			const known = [...listedModels(catalog).map(({ id }) => id), ...others];
			const hint = alias && !alias.hidden ? `; did you mean ${alias.id}?` : renderSuggestion(String(input), known);
			return `unknown model ${quoteValue(input)}${hint}`;
		},
	});
}

function blockedEntry(catalog: Catalog, unknown: UnknownNames) {
	const { providers, findModel, findProvider } = catalog;
	if (unknown === "taken") return shortText(MAX_BLOCKED_CHARS);
	return textWithout((entry) => {
		const problem = textProblem(entry, MAX_BLOCKED_CHARS);
		if (problem !== null || entry.includes("*") || findModel(entry) || findProvider(entry)) return problem;
		const known = [...listedModels(catalog), ...providers].map(({ id }) => id);
		return `${quoteInput(entry)} is neither a model nor a provider${renderSuggestion(entry, known)}`;
	});
}

function rule(catalog: Catalog, unknown: UnknownNames) {
	const choice = mapping({
		model: modelId(catalog, unknown, ["auto"]).optional(),
		routing_mode: wordAmong(ROUTING_MODES).optional(),
		tier: wordAmong(TIERS).optional(),
		max_cost: amountUsd().optional(),
	});
	return mapping({
		name: shortText(MAX_RULE_NAME_CHARS).optional(),
		when: condition().optional(),
		use: choice.optional(),
	})
		.refine(({ when }) => when !== undefined, { ...despiteFaults, error: "has no when ({} always matches)" })
		.refine(({ use }) => use !== undefined, { ...despiteFaults, error: "has no use" })
		.transform(({ when = {}, use = {}, ...named }) => ({ ...named, when, use }));
}

function members(catalog: Catalog, unknown: UnknownNames) {
	return mapping({
		model: modelId(catalog, unknown, ["auto"]).optional(),
		routing_mode: wordAmong(ROUTING_MODES).optional(),
		max_cost: amountUsd().optional(),
		max_cost_per_request: amountUsd().optional(),
		blocked: limitedList(blockedEntry(catalog, unknown), MAX_BLOCKED).optional(),
		fallback: limitedList(modelId(catalog, unknown), catalog.models.length).optional(),
		rules: limitedList(rule(catalog, unknown), MAX_RULES).optional(),
		default_max_tokens: outputTokens().optional(),
		compliance: z.unknown().optional(),
	});
}

/** The members of a config. Patterns are checked as texts only, and the compliance policy is not checked. */
export const configMembers = perCatalog((catalog) => members(catalog, "refused"));

/** The same of the operator's config, which may name models that the catalog does not have, or no longer. */
export const operatorConfigMembers = perCatalog((catalog) => members(catalog, "taken"));

const rulesWithPatterns = z.lazy(() => {
	const when = z.object({ matches: pattern().optional().catch(undefined) });
	const found = z
		.object({ when: when.optional().catch(undefined) })
		.optional()
		.catch(undefined);
	const rules = z.array(found).refine(({ length }) => length <= MAX_RULES);
	return z.object({ rules: rules.catch([]) }).catch({ rules: [] });
});

/** The patterns of a config in the order of its rules, whatever else is wrong with it. */
export function patternsIn(config: unknown): { rule: number; pattern: string }[] {
	return rulesWithPatterns.parse(config).rules.flatMap((found, index) => {
		const source = found?.when?.matches;
		return source === undefined ? [] : [{ rule: index, pattern: source }];
	});
}
