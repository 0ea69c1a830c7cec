// API keys as their owners see them: what they may do, what one may give to another, and when a user's last owner key ends. Pure.
import { TIERS } from "../catalog/vocabulary.ts";
import { isWiderPolicy } from "../compliance/policy-levels.ts";
import type { Issue } from "../failure.ts";
import type { KeyRole } from "../http/endpoint.ts";
import type { KeyBudget } from "../meter/key-budget.ts";
import { isListed, type RoutingConfig } from "../routing/routing-config.ts";
import { mergeNormalForms } from "../routing-config/config.ts";
import type { Settings } from "../settings.ts";
import { matchesGlob } from "../text/match-glob.ts";

/** What a key may do. */
export interface KeyOptions {
	name: string | null;
	role: KeyRole;
	/** ISO 8601 in UTC; null for a key without an end. */
	expiresAt: string | null;
	/** Requests a minute; null for the plan's. */
	rpm: number | null;
	/** Requests in 24 hours; null for the plan's. */
	dailyRequests: number | null;
	/** What it may spend in a period; null for as much as it likes. */
	budget: KeyBudget | null;
	/** Ids, tiers and globs of the models that it may call; null for all. */
	models: string[] | null;
	/** In normal form; null without one. */
	config: RoutingConfig | null;
	/** The output limit of requests that name none; null for the config's, or the service's. */
	defaultMaxTokens: number | null;
	tags: string[];
	/** The address that alerts of its budget are sent to; null for none. */
	alertWebhook: string | null;
	/** Whether it reads only what it made; null for its role's default. */
	ownOnly: boolean | null;
	/** Whether texts of its requests are kept, where the operator keeps any. */
	logTexts: boolean;
}

/** A stored key. Of the key itself, only the last four characters are known. */
export interface ApiKey {
	id: string;
	userId: string;
	last4: string;
	createdAt: string;
	revokedAt: string | null;
	rotatedFrom: string | null;
	/** The key that made it, also by a rotation; null for one that the operator made. */
	madeBy: string | null;
	/** The key that its costs are booked on, where it is another: the first of those that replaced each other. */
	budgetKeyId: string | null;
	/** Counts its changes from 1. */
	version: number;
	options: KeyOptions;
}

/** The key that a key's costs are booked on. */
export function toBudgetKeyId({ id, budgetKeyId }: Pick<ApiKey, "id" | "budgetKeyId">): string {
	return budgetKeyId ?? id;
}

/** The most keys that a user has at once, expired and revoked ones aside. */
export const MAX_USER_KEYS = 1_000;

const KEY_ID = /^key_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Whether a text can be the id of a key. */
export function isKeyId(text: string): boolean {
	return KEY_ID.test(text);
}

/** Members that a key cannot make wider than its own, by their names in requests. */
type ScopeMember = "role" | "expires_at" | "rpm" | "daily_requests" | "models" | "brain_config";

function isHigher(limit: number | null, than: number | null): boolean {
	return than !== null && (limit === null || limit > than);
}

/** Whose catalog is read only where lists are compared: it may not be there. */
type KnownModels = Pick<Settings, "catalog">;

/**
 * Whether a list allows a model, today or in a later catalog, that another list does not. A glob covers an entry that it matches as
 * a text: each `*` of the entry then falls into one of its own.
 */
function isWiderList(list: readonly string[] | null, than: readonly string[] | null, known: KnownModels): boolean {
	if (than === null || than.includes("*")) return false;
	if (list === null) return true;
	const { findModel, findEncoder } = known.catalog;
	const isTier = (entry: string) => (TIERS as readonly string[]).includes(entry);
	return !list.every((entry) => {
		if (than.includes(entry)) return true;
		if (isTier(entry)) return false;
		const model = findModel(entry) ?? findEncoder(entry);
		return (model && isListed(model, than)) || than.some((glob) => matchesGlob(glob, entry));
	});
}

/** Whether a config lacks something that another one blocks, costs more, or has a wider policy. Its other members only prefer. */
function isWiderConfig(config: RoutingConfig | null, than: RoutingConfig | null): boolean {
	if (!than) return false;
	const isBlocked = (entry: string) => config?.blocked.includes(entry) ?? false;
	const isWiderCompliance = than.compliance !== undefined && isWiderPolicy(config?.compliance ?? {}, than.compliance);
	return isHigher(config?.max_cost ?? null, than.max_cost) || !than.blocked.every(isBlocked) || isWiderCompliance;
}

/** Whether a budget may allow more than another one. What two periods allow cannot be compared. */
function isWiderBudget(budget: KeyBudget | null, than: KeyBudget | null): boolean {
	if (!than) return false;
	return !budget || budget.period !== than.period || budget.limitNanoUsd > than.limitNanoUsd;
}

/** Whether a member of options allows more than other options do. */
const WIDER: Readonly<Record<ScopeMember, (options: KeyOptions, than: KeyOptions, known: KnownModels) => boolean>> = {
	role: ({ role }, than) => role === "owner" && than.role !== "owner",
	expires_at: ({ expiresAt }, than) => than.expiresAt !== null && (expiresAt === null || expiresAt > than.expiresAt),
	rpm: ({ rpm }, than) => isHigher(rpm, than.rpm),
	daily_requests: ({ dailyRequests }, than) => isHigher(dailyRequests, than.dailyRequests),
	models: ({ models }, than, known) => isWiderList(models, than.models, known),
	brain_config: ({ config }, than) => isWiderConfig(config, than.config),
};

/**
 * The first member that a key may not give, because it is wider than the key's own; null when it may give all. A key with a budget
 * makes no key, and widens no budget: what is spent there would not count in its own.
 * @param before what the changed key has already, which may be kept.
 */
export function findWiderMember(
	options: KeyOptions,
	own: KeyOptions,
	known: KnownModels,
	before?: KeyOptions,
): ScopeMember | "budget_usd" | null {
	if (own.budget && (!before || isWiderBudget(options.budget, before.budget))) return "budget_usd";
	const members = Object.keys(WIDER) as ScopeMember[];
	return (
		members.find((member) => {
			const isWider = WIDER[member];
			return isWider(options, own, known) && (!before || isWider(options, before, known));
		}) ?? null
	);
}

/** Options as a request names them. */
export interface WantedOptions extends Omit<Partial<KeyOptions>, "budget"> {
	/** Null removes the budget. */
	budget?: WantedBudget | null;
}

/** A budget whose period need not be named. */
interface WantedBudget extends Pick<KeyBudget, "limitNanoUsd"> {
	period: KeyBudget["period"] | null;
}

/** A budget with its period: the one that is named, else the one of the budget before, else the strictest. */
function withPeriod(wanted: WantedBudget | null | undefined, before: KeyBudget | null): KeyBudget | null | undefined {
	return wanted && { ...wanted, period: wanted.period ?? before?.period ?? "total" };
}

/** Options of a key that is changed: what is not named stays. A key that gets another role reads what that role reads by default. */
export function mergeOptions(before: KeyOptions, { budget, ...wanted }: WantedOptions): KeyOptions {
	const next = withPeriod(budget, before.budget);
	const merged = { ...before, ...wanted, budget: next === undefined ? before.budget : next };
	const isOtherRole = merged.role !== before.role && wanted.ownOnly === undefined;
	return isOtherRole ? { ...merged, ownOnly: null } : merged;
}

const READS_ALL: Readonly<Record<Exclude<KeyRole, "agent">, string>> = {
	owner: "an owner's key reads all that the user has",
	approver: "an approver's key makes nothing, and reads all runs",
};

/** What is wrong with `own_only`; null when nothing is. An owner's key makes keys, and so reads all in the end. */
export function findOwnOnlyIssue({ role, ownOnly }: Pick<KeyOptions, "role" | "ownOnly">): Issue | null {
	if (role === "agent" || ownOnly !== true) return null;
	return { path: "own_only", message: `is for keys with the role agent: ${READS_ALL[role]}` };
}

/** A new key's config under that of the key that makes it. */
function inheritConfig(wanted: RoutingConfig | null | undefined, own: RoutingConfig | null): RoutingConfig | null {
	return wanted && own ? mergeNormalForms(wanted, own) : (wanted ?? own);
}

/** Options of a new key: what is not named is as the key has it that makes it. */
export function inheritOptions(wanted: WantedOptions, own: KeyOptions): KeyOptions {
	return {
		name: wanted.name ?? null,
		role: wanted.role ?? "owner",
		expiresAt: wanted.expiresAt ?? own.expiresAt,
		rpm: wanted.rpm ?? own.rpm,
		dailyRequests: wanted.dailyRequests ?? own.dailyRequests,
		budget: withPeriod(wanted.budget, null) ?? null,
		models: wanted.models ?? own.models,
		config: inheritConfig(wanted.config, own.config),
		defaultMaxTokens: wanted.defaultMaxTokens ?? own.defaultMaxTokens,
		tags: wanted.tags ?? [],
		alertWebhook: wanted.alertWebhook ?? null,
		ownOnly: wanted.ownOnly ?? null,
		// Who wants texts kept says so for each key.
		logTexts: wanted.logTexts ?? false,
	};
}

/** Options of a key without limits. */
export const UNLIMITED: KeyOptions = {
	name: null,
	role: "owner",
	expiresAt: null,
	rpm: null,
	dailyRequests: null,
	budget: null,
	models: null,
	config: null,
	defaultMaxTokens: null,
	tags: [],
	alertWebhook: null,
	ownOnly: null,
	logTexts: false,
};

/** Compares as later than every time in ISO 8601. */
export const NEVER = "~";

/** When a key ends, and what it is until then. */
export interface KeyLife extends Pick<KeyOptions, "role" | "expiresAt">, Pick<ApiKey, "revokedAt"> {}

export function toKeyLife({ options: { role, expiresAt }, revokedAt }: ApiKey): KeyLife {
	return { role, expiresAt, revokedAt };
}

/** Until when a key is an owner's; an empty text for one that is none. Texts compare as times. */
export function ownerUntil({ role, expiresAt, revokedAt }: KeyLife): string {
	return role === "owner" && revokedAt === null ? (expiresAt ?? NEVER) : "";
}

/** Whether a key works at a time. */
export function isLiveKey({ expiresAt, revokedAt }: KeyLife, now: string): boolean {
	return revokedAt === null && (expiresAt === null || expiresAt > now);
}

/** Whether two keys may do the same. */
export function areSameOptions(a: KeyOptions, b: KeyOptions): boolean {
	return (Object.keys(a) as (keyof KeyOptions)[]).every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));
}
