// Validates a routing config and puts it into normal form, with every fault and its path. Faulty members are left out of the
// normal form, so that an invalid config can still be shown. Pure; config-schema.ts has the schema of each member.
import type { Catalog } from "../catalog/catalog.ts";
import { isActivePolicy, MODE_IS_OPERATORS, parseCompliancePolicy } from "../compliance/policy.ts";
import { type DocumentFault, inDocumentOrder, parseMembers } from "../faults.ts";
import { optionalMember } from "../json.ts";
import { findBlocking, type RoutingConfig } from "../routing/routing-config.ts";
import { quoteInput } from "../suggest.ts";
import { configMembers, operatorConfigMembers, patternsIn } from "./config-schema.ts";

const MAX_CONFIG_FAULTS = 50;

export interface ValidatedConfig {
	/** Members that are valid, in normal form; the whole config when there are no faults. */
	config: RoutingConfig;
	faults: DocumentFault[];
	/** What is allowed but hardly intended. */
	warnings: string[];
}

/** What a config is validated against. */
interface ConfigBasis {
	catalog: Catalog;
	/** Returns what is wrong with a regular expression, or null. Called in the order of the rules. */
	checkPattern(pattern: string): string | null;
	/** The config is the operator's: it may be in force for a long time, so models that the catalog does not have are warned of. */
	isOperators?: boolean;
}

/** What is allowed but hardly intended. */
function findWarnings(config: RoutingConfig, { models, findModel }: Catalog): string[] {
	const warnings: string[] = [];
	const rules = config.rules ?? [];
	const label = (index: number) => `rules.${index}${rules[index]?.name ? ` (${rules[index].name})` : ""}`;
	for (const entry of config.blocked) {
		if (!models.some((model) => findBlocking(model, [entry])))
			warnings.push(`blocked: ${quoteInput(entry)} matches no model`);
	}
	const wanted: [string, string | undefined][] = [
		["model", config.model],
		...config.fallback.map((id, index): [string, string] => [`fallback.${index}`, id]),
		...rules.map(({ use: { model } }, index): [string, string | undefined] => [`${label(index)}: use.model`, model]),
	];
	for (const [place, id] of wanted) {
		const model = id === undefined ? undefined : findModel(id);
		const entry = model && findBlocking(model, config.blocked);
		if (entry !== undefined) warnings.push(`${place}: ${id} is blocked by ${quoteInput(entry)}`);
	}
	const always = rules.findIndex((candidate) => Object.keys(candidate.when).length === 0);
	if (always >= 0 && always < rules.length - 1)
		warnings.push(`${label(always)} always matches: the rules behind it are never tried`);
	for (const [index, { use: choice }] of rules.entries()) {
		if (choice.model !== undefined && choice.model !== "auto" && choice.tier !== undefined)
			warnings.push(`${label(index)}: use.tier has no effect beside use.model`);
		if (choice.max_cost !== undefined && config.max_cost !== null && choice.max_cost > config.max_cost)
			warnings.push(`${label(index)}: use.max_cost has no effect above the config's max_cost; the lower one holds`);
	}
	return warnings;
}

/** A config without the models that the catalog does not have, and a warning for each. `blocked` keeps them: they match nothing. */
function withoutUnknownModels(
	config: RoutingConfig,
	{ findModel }: Catalog,
): Pick<ValidatedConfig, "config" | "warnings"> {
	const warnings: string[] = [];
	const isKnown = (id: string, place: string) => {
		const known = id === "auto" || findModel(id) !== undefined;
		if (!known) warnings.push(`${place}: unknown model ${quoteInput(id)}; it is ignored`);
		return known;
	};
	const model = isKnown(config.model, "model") ? config.model : "auto";
	const fallback = config.fallback.filter((id, index) => isKnown(id, `fallback.${index}`));
	const rules = config.rules?.map((rule, index) => {
		const { model: used, ...rest } = rule.use;
		return used === undefined || isKnown(used, `rules.${index}.use.model`) ? rule : { ...rule, use: rest };
	});
	return { config: { ...config, model, fallback, ...(rules ? { rules } : {}) }, warnings };
}

function findPatternFaults(raw: unknown, { checkPattern }: ConfigBasis): DocumentFault[] {
	return patternsIn(raw).flatMap(({ rule, pattern }) => {
		const message = checkPattern(pattern);
		return message === null ? [] : { path: ["rules", rule, "when", "matches"], at: "value", message };
	});
}

/** Validates a config. Its normal form is the same for every way of writing it, and is its own normal form. */
export function validateConfig(raw: unknown, basis: ConfigBasis): ValidatedConfig {
	const { catalog, isOperators = false } = basis;
	const schema = isOperators ? operatorConfigMembers(catalog) : configMembers(catalog);
	// A text of comments only is an empty config.
	const { value: members, faults } = parseMembers(schema, raw ?? {});
	const compliance = parseCompliancePolicy(members.compliance, catalog);
	const policyFaults = compliance.faults.map(
		(fault): DocumentFault => ({ ...fault, path: ["compliance", ...fault.path] }),
	);
	const patternFaults = findPatternFaults(raw, basis);
	const all = inDocumentOrder([...faults, ...policyFaults, ...patternFaults], raw);
	const { max_cost, max_cost_per_request, default_max_tokens, rules = [] } = members;
	if (max_cost !== undefined && max_cost_per_request !== undefined && max_cost !== max_cost_per_request) {
		const message = "means the same as max_cost, and differs from it";
		all.push({ path: ["max_cost_per_request"], at: "value", message });
	}
	const config: RoutingConfig = {
		model: members.model ?? "auto",
		routing_mode: members.routing_mode ?? null,
		max_cost: max_cost ?? max_cost_per_request ?? null,
		blocked: members.blocked ?? [],
		fallback: members.fallback ?? [],
		...(rules.length > 0 && patternFaults.length === 0 ? { rules } : {}),
		...(isActivePolicy(compliance.policy) ? { compliance: compliance.policy } : {}),
		...optionalMember("default_max_tokens", default_max_tokens),
	};
	const known = isOperators ? withoutUnknownModels(config, catalog) : { config, warnings: [] };
	const warnings = [...known.warnings, ...findWarnings(known.config, catalog)];
	if (config.compliance?.mode && !isOperators) warnings.push(`compliance.mode: ${MODE_IS_OPERATORS}`);
	return { config: known.config, faults: all.slice(0, MAX_CONFIG_FAULTS), warnings };
}
