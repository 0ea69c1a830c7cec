// Why policies keep a text from a provider, by level and member: facts of the matrix, what the operator attests, and what the text
// holds. gate.ts decides by it. Pure.
import { isWithin } from "../catalog/standards.ts";
import { type FactsBasis, findFacts, type KnownFacts } from "./matrix.ts";
import type { CompliancePolicy } from "./policy.ts";
import {
	activeLevels,
	allowsUnreadAt,
	gatedClassesAt,
	isConfidential,
	type PolicyLevel,
	type PolicyLevels,
} from "./policy-levels.ts";
import type { DataClass, UnreadContent } from "./vocabulary.ts";

/** Why a level's policy keeps a text from a provider. */
export interface Objection {
	level: PolicyLevel;
	member: keyof CompliancePolicy;
	/** A sentence for the client. Of the operator's lists it says nothing. */
	reason: string;
}

/** What a text holds. */
export interface HeldContents {
	/** Classes of the text as received. */
	received: readonly DataClass[];
	/** Classes of what is left after masking. */
	remaining: readonly DataClass[];
	/** What nobody reads. Each holds every class. */
	unread: readonly UnreadContent[];
}

/** What clears a provider for a class of data (docs/reference/compliance.md, "Compliance"). */
const CLEARANCE: Readonly<Record<DataClass, { standard: string } | "zero_retention">> = {
	PII: { standard: "GDPR" },
	PHI: { standard: "HIPAA" },
	FINANCIAL: { standard: "PCI DSS" },
	SECRETS: "zero_retention",
};

/** What is known about the provider that is really called. */
interface ProviderKnowledge {
	providerId: string;
	facts: KnownFacts["values"];
	/** Why nothing is known, to be appended to a reason. */
	unknownBecause: string;
	hasZeroRetention: boolean;
	/** The operator attests an agreement on health data, by this setting. */
	hasAgreement: boolean;
	agreementSetting: string;
}

function findKnowledge(providerId: string, basis: FactsBasis): ProviderKnowledge {
	const attestation = basis.attestations.get(providerId);
	const { values: facts, isReplaced } = findFacts(providerId, basis);
	return {
		providerId,
		facts,
		unknownBecause: isReplaced ? ", because its base address is replaced" : "",
		hasZeroRetention: attestation?.zeroRetention === true || facts.zero_retention === "default",
		hasAgreement: attestation?.businessAssociate === true,
		agreementSetting: attestation?.businessAssociateSetting ?? "<PREFIX>_BAA",
	};
}

const joinWords = (words: readonly string[]) => words.join(", ");

/** The classes of a text that a level keeps from providers. */
interface HeldClasses {
	/** Found in it, left after masking, or held by what nobody reads. */
	blocked: readonly DataClass[];
	/** To be masked, and left in it: in names of tools and members, in fields unknown here, in what is too long to be read. */
	unmasked: readonly DataClass[];
}

/** The reasons of a policy's member against a provider. */
type MemberReasons = (known: ProviderKnowledge, policy: CompliancePolicy, held: HeldClasses) => string[];

function jurisdictionReasons({ facts, unknownBecause }: ProviderKnowledge, allowed: readonly string[]): string[] {
	const value = facts.jurisdiction;
	if (!value) return [`its jurisdiction is unknown${unknownBecause}`];
	const reasons: string[] = [];
	if (!isWithin(value.contract, allowed))
		reasons.push(`its contract is under ${value.contract}, allowed is ${joinWords(allowed)}`);
	if (value.parent !== value.contract && !isWithin(value.parent, allowed))
		reasons.push(`its parent company is under ${value.parent}, allowed is ${joinWords(allowed)}`);
	return reasons;
}

function residencyReasons({ facts, unknownBecause }: ProviderKnowledge, allowed: readonly string[]): string[] {
	const { regions } = facts;
	if (!regions) return [`its data regions are unknown${unknownBecause}`];
	const outside = regions.filter((region) => !isWithin(region, allowed));
	if (outside.length === 0) return [];
	const where = outside.includes("*") ? "anywhere" : `in ${joinWords(outside)}`;
	return [`data may be held ${where}, allowed is ${joinWords(allowed)}`];
}

/** The standard that counts with a signed agreement only. */
const BY_AGREEMENT = "HIPAA";

/**
 * Whether a provider has a standard. A policy may require it as a framework or a certification, and a claim may call it either.
 */
function hasStandard({ facts, hasAgreement }: ProviderKnowledge, name: string): boolean {
	if (name === BY_AGREEMENT) return hasAgreement;
	return [facts.frameworks, facts.certifications].some((names) => names?.includes(name));
}

function agreementReason({ agreementSetting }: ProviderKnowledge): string {
	return `${BY_AGREEMENT} needs a signed agreement, and none is attested by ${agreementSetting}=1`;
}

function standardReasons(
	known: ProviderKnowledge,
	required: readonly string[],
	kind: "frameworks" | "certifications",
	verb: string,
): string[] {
	return required
		.filter((name) => !hasStandard(known, name))
		.map((name) => {
			if (name === BY_AGREEMENT) return agreementReason(known);
			return known.facts[kind] !== null
				? `is not known to ${verb} ${name}`
				: `its ${kind} are unknown${known.unknownBecause} (${name})`;
		});
}

function retentionReason({ facts, unknownBecause }: ProviderKnowledge): string {
	return facts.zero_retention === "on_request"
		? "zero retention is by agreement only, and none is attested"
		: `zero retention is unknown${unknownBecause}`;
}

/** Why a provider is not cleared for a class; null when it is. */
function clearanceReason(known: ProviderKnowledge, dataClass: DataClass): string | null {
	const by = CLEARANCE[dataClass];
	if (by === "zero_retention") return known.hasZeroRetention ? null : retentionReason(known);
	if (hasStandard(known, by.standard)) return null;
	if (by.standard === BY_AGREEMENT) return agreementReason(known);
	return `${by.standard} is unknown${known.unknownBecause}`;
}

function classReasons(known: ProviderKnowledge, held: readonly DataClass[]): string[] {
	return held.flatMap((dataClass) => {
		const reason = clearanceReason(known, dataClass);
		return reason === null ? [] : [`not cleared for ${dataClass}, which the text holds: ${reason}`];
	});
}

/** No provider is sent what was to be masked. */
function unmaskedReasons(held: readonly DataClass[]): string[] {
	return held.map((dataClass) => `the text holds ${dataClass} where it cannot be masked`);
}

/** In the order of the reasons in answers. */
const REASONS_BY_MEMBER: readonly [keyof CompliancePolicy, MemberReasons][] = [
	[
		"provider_allowlist",
		({ providerId }, { provider_allowlist: allowed }) =>
			allowed && !allowed.includes(providerId) ? ["is not on the provider allowlist"] : [],
	],
	[
		"provider_denylist",
		({ providerId }, { provider_denylist: denied }) =>
			denied?.includes(providerId) ? ["is on the provider denylist"] : [],
	],
	["jurisdiction", (known, { jurisdiction: allowed }) => (allowed ? jurisdictionReasons(known, allowed) : [])],
	["data_residency", (known, { data_residency: allowed }) => (allowed ? residencyReasons(known, allowed) : [])],
	["frameworks", (known, { frameworks = [] }) => standardReasons(known, frameworks, "frameworks", "support")],
	[
		"certifications",
		(known, { certifications = [] }) => standardReasons(known, certifications, "certifications", "hold"),
	],
	[
		"require_zero_retention",
		(known, policy) => (policy.require_zero_retention && !known.hasZeroRetention ? [retentionReason(known)] : []),
	],
	["block_data_classes", (known, _, { blocked }) => classReasons(known, blocked)],
	["mask_data_classes", (_known, _policy, { unmasked }) => unmaskedReasons(unmasked)],
];

/** How a reason begins that is not the request's own. */
const POLICY_OF: Readonly<Record<Exclude<PolicyLevel, "request">, string>> = {
	operator: "the operator's policy",
	key: "the API key's policy",
};

function toReason(level: PolicyLevel, member: keyof CompliancePolicy, name: string, text: string): string {
	if (level === "request") return `${name}: ${text}`;
	const source = `${name}: ${POLICY_OF[level]} excludes it (${member})`;
	return isConfidential(level, member) ? source : `${source}: ${text}`;
}

/** The classes of a text that a level blocks. */
function blockedClasses(levels: PolicyLevels, level: PolicyLevel, contents: HeldContents): DataClass[] {
	const blocked = levels[level]?.block_data_classes ?? [];
	if (contents.unread.some((what) => !allowsUnreadAt(levels, level, what))) return blocked;
	const gated = gatedClassesAt(levels, level);
	return blocked.filter((name) => (gated.includes(name) ? contents.received : contents.remaining).includes(name));
}

/** The classes of a text that a level keeps from providers that are not cleared for them. */
export function heldClasses(levels: PolicyLevels, level: PolicyLevel, contents: HeldContents): HeldClasses {
	const blocked = blockedClasses(levels, level, contents);
	const masked = levels[level]?.mask_data_classes ?? [];
	const isUnread = contents.unread.includes("text") && !allowsUnreadAt(levels, level, "text");
	const unmasked = masked.filter((name) => isUnread || contents.remaining.includes(name));
	return { blocked, unmasked: unmasked.filter((name) => !blocked.includes(name)) };
}

/** What all levels have against a provider, those that only monitor included. */
export function findObjections(
	providerId: string,
	levels: PolicyLevels,
	contents: HeldContents,
	basis: FactsBasis,
): Objection[] {
	const name = basis.catalog.findProvider(providerId)?.name ?? providerId;
	const known = findKnowledge(providerId, basis);
	return activeLevels(levels).flatMap(({ level, policy }) => {
		const held = heldClasses(levels, level, contents);
		return REASONS_BY_MEMBER.flatMap(([member, reasons]) => {
			const texts = reasons(known, policy, held).map((text) => toReason(level, member, name, text));
			return [...new Set(texts)].map((reason): Objection => ({ level, member, reason }));
		});
	});
}
