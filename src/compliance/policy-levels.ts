// The compliance policies of one request: the operator's, the API key's and the request's own. Each only tightens the others. The
// gate (gate.ts) checks a model against each of them. Pure.
import { isWithin } from "../catalog/standards.ts";
import { type Hash, hashObject } from "../proof/hash.ts";
import { type CompiledPolicy, type CompliancePolicy, compilePolicy, isActivePolicy } from "./policy.ts";
import { DATA_CLASSES, type DataClass, type UnreadContent } from "./vocabulary.ts";

/** From the level above all to the one below all. */
export const POLICY_LEVELS = ["operator", "key", "request"] as const;
export type PolicyLevel = (typeof POLICY_LEVELS)[number];

/** The policy of each level; null where it says nothing. */
export type PolicyLevels = Readonly<Record<PolicyLevel, CompliancePolicy | null>>;

/** Null when no level says anything. */
export function toPolicyLevels(policies: Partial<PolicyLevels>): PolicyLevels | null {
	const active = (level: PolicyLevel) => {
		const policy = policies[level];
		return policy && isActivePolicy(policy) ? policy : null;
	};
	const levels = { operator: active("operator"), key: active("key"), request: active("request") };
	return levels.operator || levels.key || levels.request ? levels : null;
}

/** The policy of a level. */
interface LevelPolicy {
	level: PolicyLevel;
	policy: CompliancePolicy;
}

/** The levels that say something, from above. */
export function activeLevels(levels: PolicyLevels): LevelPolicy[] {
	return POLICY_LEVELS.flatMap((level) => {
		const policy = levels[level];
		return policy ? [{ level, policy }] : [];
	});
}

/** Whether a level refuses anything. */
export function isEnforcing({ policy }: LevelPolicy): boolean {
	return policy.mode !== "monitor";
}

/** A level and those above it. A mask or an `allow_unread` of these satisfies what the level blocks. */
function levelAndAbove(levels: PolicyLevels, level: PolicyLevel): LevelPolicy[] {
	const most = POLICY_LEVELS.indexOf(level);
	return activeLevels(levels).filter((other) => POLICY_LEVELS.indexOf(other.level) <= most);
}

const inClassOrder = (classes: readonly DataClass[]) => DATA_CLASSES.filter((known) => classes.includes(known));

/** Classes that a level blocks in the text as received, because neither it nor a level above masks them. */
export function gatedClassesAt(levels: PolicyLevels, level: PolicyLevel): DataClass[] {
	const masked = levelAndAbove(levels, level).flatMap(({ policy }) => policy.mask_data_classes ?? []);
	return (levels[level]?.block_data_classes ?? []).filter((blocked) => !masked.includes(blocked));
}

/** Classes that some level blocks in the text as received. */
export function gatedClasses(levels: PolicyLevels): DataClass[] {
	return inClassOrder(activeLevels(levels).flatMap(({ level }) => gatedClassesAt(levels, level)));
}

/** Classes that some level masks. */
export function maskedClasses(levels: PolicyLevels): DataClass[] {
	return inClassOrder(activeLevels(levels).flatMap(({ policy }) => policy.mask_data_classes ?? []));
}

/** Whether what the learned classifier infers counts, at every level. */
export function readsInferred(levels: PolicyLevels): boolean {
	return activeLevels(levels).some(({ policy }) => policy.detect === "inferred");
}

/** Whether a level lets pass what nobody reads, by its own word or by that of a level above. */
export function allowsUnreadAt(levels: PolicyLevels, level: PolicyLevel, what: UnreadContent): boolean {
	return levelAndAbove(levels, level).some(({ policy }) => policy.allow_unread?.includes(what));
}

/** Whether every level that blocks a class lets pass what nobody reads. */
export function allowsUnread(levels: PolicyLevels, what: UnreadContent): boolean {
	return activeLevels(levels).every(
		({ level, policy }) => !policy.block_data_classes || allowsUnreadAt(levels, level, what),
	);
}

/** Whether some level requires that texts are not kept. */
export function requiresZeroRetention(levels: PolicyLevels): boolean {
	return activeLevels(levels).some(({ policy }) => policy.require_zero_retention);
}

/** Stands in a list of which nothing is left: an empty list would say nothing, and allow all. No provider and no place has this name. */
const NOTHING = "none";

type Meet = (a: readonly string[], b: readonly string[]) => readonly string[];

const commonWords: Meet = (a, b) => a.filter((word) => b.includes(word));
const commonPlaces: Meet = (a, b) => [
	...a.filter((place) => isWithin(place, b)),
	...b.filter((place) => isWithin(place, a)),
];

/** What both lists allow. A list that is absent allows all. */
function meet(a: string[] | undefined, b: string[] | undefined, common: Meet): string[] | undefined {
	if (!a || !b) return a ?? b;
	const both = [...new Set(common(a, b))].sort();
	return both.length > 0 ? both : [NOTHING];
}

/** What either list says. */
function join<T extends string>(a: T[] | undefined, b: T[] | undefined): T[] | undefined {
	return a || b ? [...new Set([...(a ?? []), ...(b ?? [])])].sort() : undefined;
}

function joinClasses(a: DataClass[] | undefined, b: DataClass[] | undefined): DataClass[] | undefined {
	return a || b ? inClassOrder([...(a ?? []), ...(b ?? [])]) : undefined;
}

/**
 * The policy that allows what both allow. `mode` is not united: it says of one level that it refuses nothing.
 * @param above the policy of the level above.
 */
export function unitePolicies(above: CompliancePolicy, below: CompliancePolicy): CompliancePolicy {
	const united: { [Name in keyof CompliancePolicy]: CompliancePolicy[Name] | undefined } = {
		provider_allowlist: meet(above.provider_allowlist, below.provider_allowlist, commonWords),
		provider_denylist: join(above.provider_denylist, below.provider_denylist),
		jurisdiction: meet(above.jurisdiction, below.jurisdiction, commonPlaces),
		data_residency: meet(above.data_residency, below.data_residency, commonPlaces),
		frameworks: join(above.frameworks, below.frameworks),
		certifications: join(above.certifications, below.certifications),
		block_data_classes: joinClasses(above.block_data_classes, below.block_data_classes),
		mask_data_classes: joinClasses(above.mask_data_classes, below.mask_data_classes),
		allow_unread: join(above.allow_unread, below.allow_unread),
		require_zero_retention: above.require_zero_retention ?? below.require_zero_retention,
		detect: above.detect ?? below.detect,
		mode: undefined,
	};
	return Object.fromEntries(Object.entries(united).filter(([, value]) => value !== undefined));
}

/** What only the operator may know of a policy: its names of providers, places and standards. */
const CONFIDENTIAL_MEMBERS = [
	"provider_allowlist",
	"provider_denylist",
	"jurisdiction",
	"data_residency",
	"frameworks",
	"certifications",
] as const satisfies readonly (keyof CompliancePolicy)[];

type ConfidentialMember = (typeof CONFIDENTIAL_MEMBERS)[number];

/** Whether the value of a level's member stays out of all answers. */
export function isConfidential(level: PolicyLevel, member: keyof CompliancePolicy): boolean {
	return level === "operator" && (CONFIDENTIAL_MEMBERS as readonly string[]).includes(member);
}

/** The policy without what only the operator may know. */
function withoutConfidential(policy: CompliancePolicy): Omit<CompliancePolicy, ConfidentialMember> {
	const members = Object.entries(policy).filter(
		([name]) => !(CONFIDENTIAL_MEMBERS as readonly string[]).includes(name),
	);
	return Object.fromEntries(members);
}

/** The policy of all levels in one, as answers and receipts show it: without what only the operator may know. */
export function shownPolicy({ operator, key, request }: PolicyLevels): CompiledPolicy {
	const united = [withoutConfidential(operator ?? {}), key ?? {}, request ?? {}].reduce(unitePolicies);
	const mode = operator?.mode;
	return { ...compilePolicy(mode ? { ...united, mode } : united), active: true };
}

/** H(C({type, policy})) of a policy in normal form. */
export function policyDigest(policy: CompliancePolicy): Hash {
	return hashObject({ type: "svc.policy.v1", policy });
}

/** What those below a level may know of its policy. */
export interface FloorLevel {
	level: PolicyLevel;
	/** The names of its members, sorted. */
	members: string[];
	digest: Hash;
}

/** The levels above the request's that say something. */
export function toFloor(levels: PolicyLevels): FloorLevel[] {
	return activeLevels({ ...levels, request: null }).map(({ level, policy }) => ({
		level,
		members: Object.keys(policy).sort(),
		digest: policyDigest(policy),
	}));
}

/**
 * Whether a policy allows something that another one does not. A mask, or an `allow_unread`, satisfies what is blocked: one that
 * the other policy lacks allows more.
 */
export function isWiderPolicy(policy: CompliancePolicy, than: CompliancePolicy): boolean {
	const united = unitePolicies(than, policy);
	const names = Object.keys(united) as (keyof CompliancePolicy)[];
	if (names.some((name) => JSON.stringify(united[name]) !== JSON.stringify(policy[name]))) return true;
	const { block_data_classes: blocked = [], mask_data_classes: masked = [], allow_unread: passed = [] } = than;
	if (policy.mask_data_classes?.some((name) => blocked.includes(name) && !masked.includes(name))) return true;
	return blocked.length > 0 && (policy.allow_unread ?? []).some((what) => !passed.includes(what));
}
