// A routing config as somebody wrote it → its normal form and every fault of it, each with its path. What is wrong is left out of
// the normal form, so that an invalid config can still be shown. Pure; the table of members is the file's format.
import type { Catalog } from "../catalog/catalog.ts";
import { TIERS } from "../catalog/vocabulary.ts";
import { type CompliancePolicy, isActivePolicy, parseCompliancePolicy } from "../compliance/policy.ts";
import { ROUTING_MODES } from "../routing/mode.ts";
import {
	findBlocking,
	type RoutingConfig,
	type RoutingRule,
	type RuleChoice,
	type RuleCondition,
} from "../routing/routing-config.ts";
import { INTENTS } from "../routing/signals.ts";
import { quoteInput, renderSuggestion } from "../suggest.ts";

const MAX_BLOCKED = 100;
const MAX_FALLBACK = 27;
const MAX_RULES = 50;
const MAX_WORD_CHARS = 128;
const MAX_RULE_NAME_CHARS = 64;
const MAX_TEXT_CHARS = 512;
const MAX_FAULTS = 50;

type Path = readonly (string | number)[];

/** Something that a config must not say. */
export interface Fault {
	path: Path;
	/** The key is at fault, not its value. */
	at: "key" | "value";
	message: string;
}

export interface Validated {
	/** Members that are valid, in normal form; the whole config when there are no faults. */
	config: RoutingConfig;
	faults: Fault[];
	/** What is allowed and hardly meant. */
	warnings: string[];
}

/** What a config is held against. */
export interface Bounds {
	catalog: Catalog;
	/** What is wrong with a regular expression, or null; asked in the order of the rules. */
	checkPattern(pattern: string): string | null;
}

/** A value of a stranger's in a message. */
function shown(value: unknown): string {
	return quoteInput(typeof value === "string" ? value : (JSON.stringify(value) ?? String(value)));
}

/** Reads one member; undefined when it says nothing or is at fault. */
type Read<T> = (value: unknown, path: Path, reader: Reader) => T | undefined;

class Reader {
	readonly bounds: Bounds;
	readonly faults: Fault[] = [];

	constructor(bounds: Bounds) {
		this.bounds = bounds;
	}

	fault(path: Path, message: string, at: Fault["at"] = "value"): undefined {
		if (this.faults.length < MAX_FAULTS) this.faults.push({ path, at, message });
		return undefined;
	}
}

const text =
	(most: number): Read<string> =>
	(value, path, reader) => {
		if (typeof value !== "string" || value.trim() === "") return reader.fault(path, "must be a text");
		if (/\p{Cc}/u.test(value)) return reader.fault(path, "must not hold control characters");
		return value.length <= most ? value : reader.fault(path, `must have at most ${most} characters`);
	};

const word = text(MAX_WORD_CHARS);

function oneOf<const T extends string>(words: readonly T[]): Read<T> {
	return (value, path, reader) => {
		const found = words.find((known) => known === value);
		const hint = typeof value === "string" ? renderSuggestion(value, words) : "";
		return found ?? reader.fault(path, `must be one of ${words.join(", ")}, not ${shown(value)}${hint}`);
	};
}

const amountUsd: Read<number> = (value, path, reader) =>
	typeof value === "number" && Number.isFinite(value) && value > 0
		? value
		: reader.fault(path, "must be a number of USD above 0");

const tokenCount: Read<number> = (value, path, reader) =>
	Number.isSafeInteger(value) && Number(value) >= 0
		? Number(value)
		: reader.fault(path, "must be a whole number of tokens");

const yesOrNo: Read<boolean> = (value, path, reader) =>
	typeof value === "boolean" ? value : reader.fault(path, "must be true or false");

function listOf<T>(item: Read<T>, most: number): Read<T[]> {
	return (value, path, reader) => {
		if (!Array.isArray(value)) return reader.fault(path, "must be a list");
		if (value.length > most) return reader.fault(path, `must have at most ${most} entries`);
		const before = reader.faults.length;
		const items = value.map((entry, index) => item(entry, [...path, index], reader));
		return reader.faults.length === before ? items.filter((entry) => entry !== undefined) : undefined;
	};
}

/** One or several; the normal form is a list. */
function oneOrMore<T>(item: Read<T>, most: number): Read<T[]> {
	const list = listOf(item, most);
	return (value, path, reader) => {
		if (Array.isArray(value)) {
			if (value.length === 0) return reader.fault(path, "must not be empty");
			const found = list(value, path, reader);
			return found && [...new Set(found)];
		}
		const found = item(value, path, reader);
		return found === undefined ? undefined : [found];
	};
}

function modelId(alsoAuto: boolean): Read<string> {
	return (value, path, reader) => {
		const { catalog } = reader.bounds;
		if (typeof value === "string" && ((alsoAuto && value === "auto") || catalog.findModel(value))) return value;
		if (typeof value !== "string") return reader.fault(path, "must be the id of a model");
		const known = catalog.models.map(({ id }) => id);
		return reader.fault(
			path,
			`unknown model ${shown(value)}${renderSuggestion(value, alsoAuto ? [...known, "auto"] : known)}`,
		);
	};
}

const blockedEntry: Read<string> = (value, path, reader) => {
	const entry = word(value, path, reader);
	const { catalog } = reader.bounds;
	if (entry === undefined || entry.includes("*") || catalog.findModel(entry) || catalog.findProvider(entry))
		return entry;
	const known = [...catalog.models, ...catalog.providers].map(({ id }) => id);
	return reader.fault(path, `${quoteInput(entry)} is neither a model nor a provider${renderSuggestion(entry, known)}`);
};

const pattern: Read<string> = (value, path, reader) => {
	const source = text(MAX_TEXT_CHARS)(value, path, reader);
	const complaint = source === undefined ? null : reader.bounds.checkPattern(source);
	return complaint === null ? source : reader.fault(path, complaint);
};

type Members<T> = { readonly [K in keyof T]-?: Read<Exclude<T[K], undefined>> };

/** Reads an object of known members; a null counts as absent, unknown keys are faults. */
function membersOf<T extends object>(members: Members<T>): Read<Partial<T>> {
	const names = Object.keys(members);
	return (value, path, reader) => {
		if (typeof value !== "object" || value === null || Array.isArray(value))
			return reader.fault(path, "must be a mapping");
		const found: [string, unknown][] = [];
		for (const [name, member] of Object.entries(value)) {
			if (!Object.hasOwn(members, name)) {
				reader.fault([...path, name], `unknown key${renderSuggestion(name, names)}`, "key");
				continue;
			}
			const read: Read<unknown> = members[name as keyof T];
			const result = member === null ? undefined : read(member, [...path, name], reader);
			if (result !== undefined) found.push([name, result]);
		}
		// In the table's order, whatever the input's.
		found.sort(([a], [b]) => names.indexOf(a) - names.indexOf(b));
		return Object.fromEntries(found) as Partial<T>;
	};
}

const whenMembers: Members<RuleCondition> = {
	intent: oneOrMore(oneOf(INTENTS), INTENTS.length),
	contains: text(MAX_TEXT_CHARS),
	matches: pattern,
	min_tokens: tokenCount,
	max_tokens: tokenCount,
	has_tools: yesOrNo,
	has_images: yesOrNo,
};

const when: Read<RuleCondition> = (value, path, reader) => {
	const found = membersOf(whenMembers)(value, path, reader);
	if (found?.min_tokens !== undefined && found.max_tokens !== undefined && found.min_tokens > found.max_tokens)
		return reader.fault(path, "min_tokens is above max_tokens: it would never match");
	return found;
};

const use = membersOf<RuleChoice>({
	model: modelId(true),
	routing_mode: oneOf(ROUTING_MODES),
	tier: oneOf(TIERS),
	max_cost: amountUsd,
});

const rule: Read<RoutingRule> = (value, path, reader) => {
	const found = membersOf<RoutingRule>({ name: text(MAX_RULE_NAME_CHARS), when, use })(value, path, reader);
	if (!found) return undefined;
	for (const part of ["when", "use"] as const) {
		const given = (value as Record<string, unknown>)[part];
		if (given === undefined || given === null)
			reader.fault(path, `has no ${part}${part === "when" ? " ({} always matches)" : ""}`);
	}
	const { name } = found;
	return { ...(name === undefined ? {} : { name }), when: found.when ?? {}, use: found.use ?? {} };
};

/** An inert policy says nothing. */
const compliance: Read<CompliancePolicy> = (value, path, reader) => {
	const { policy, faults } = parseCompliancePolicy(value, reader.bounds.catalog);
	for (const fault of faults) reader.fault([...path, ...fault.path], fault.message, fault.at);
	return isActivePolicy(policy) ? policy : undefined;
};

/** The members as they are written. */
interface RawConfig extends Omit<RoutingConfig, "routing_mode" | "max_cost"> {
	routing_mode: NonNullable<RoutingConfig["routing_mode"]>;
	max_cost: number;
	max_cost_per_request: number;
}

const rawConfig = membersOf<RawConfig>({
	model: modelId(true),
	routing_mode: oneOf(ROUTING_MODES),
	max_cost: amountUsd,
	max_cost_per_request: amountUsd,
	blocked: listOf(blockedEntry, MAX_BLOCKED),
	fallback: listOf(modelId(false), MAX_FALLBACK),
	rules: listOf(rule, MAX_RULES),
	compliance,
});

/** What is allowed and hardly meant. */
function warningsOf(config: RoutingConfig, { models, findModel }: Catalog): string[] {
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

/** Validates a config and puts it into normal form: the same for every way of writing it, and its own normal form. */
export function validateConfig(raw: unknown, bounds: Bounds): Validated {
	const reader = new Reader(bounds);
	// A text of comments alone is a config that says nothing.
	const found = rawConfig(raw ?? {}, [], reader) ?? {};
	const { max_cost, max_cost_per_request, rules } = found;
	if (max_cost !== undefined && max_cost_per_request !== undefined && max_cost !== max_cost_per_request)
		reader.fault(["max_cost_per_request"], "means the same as max_cost, and differs from it");
	const config: RoutingConfig = {
		model: found.model ?? "auto",
		routing_mode: found.routing_mode ?? null,
		max_cost: max_cost ?? max_cost_per_request ?? null,
		blocked: found.blocked ?? [],
		fallback: found.fallback ?? [],
		...(rules && rules.length > 0 ? { rules } : {}),
		...(found.compliance ? { compliance: found.compliance } : {}),
	};
	return { config, faults: reader.faults, warnings: warningsOf(config, bounds.catalog) };
}
