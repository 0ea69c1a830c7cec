// The compliance gate: which models may see a text under a policy, why others may not, and what is attested. Pure.
import type { Catalog } from "../catalog/catalog.ts";
import type { Model } from "../catalog/schema.ts";
import type { ComplianceNotice } from "../failure.ts";
import { hashObject } from "../proof/hash.ts";
import type { Attestation } from "../proof/receipt.ts";
import type { ProviderAttestation, Settings } from "../settings.ts";
import type { Conversation } from "./conversation.ts";
import { detectInSteps } from "./detect.ts";
import { type Detection, joinDetections, UNREAD } from "./findings.ts";
import type { Mask } from "./mask/mask.ts";
import { findMasked, planMask, remainingClasses } from "./mask/plan.ts";
import { MATRIX, type Matrix, type ProviderFacts } from "./matrix.ts";
import type { CompiledPolicy, CompliancePolicy } from "./policy.ts";
import {
	activeLevels,
	allowsUnreadAt,
	gatedClassesAt,
	isConfidential,
	isEnforcing,
	maskedClasses,
	type PolicyLevel,
	type PolicyLevels,
	shownPolicy,
	toFloor,
} from "./policy-levels.ts";
import { toComplianceNotice } from "./refusal-notice.ts";
import type { Steps } from "./steps.ts";
import { DATA_CLASSES, type DataClass, isWithin, type UnreadContent } from "./vocabulary.ts";

/** Policies in force on a text. They apply to every model that sees the text: fallbacks, judges, critics and planners, too. */
export interface ComplianceGate {
	/** The policies of all levels in one, as answers show it. */
	policy: CompiledPolicy;
	levels: PolicyLevels;
	/** What pattern matching finds. */
	detection: Detection;
	/** What is inferred beyond that; null if no policy asks for it. */
	inferred: Detection | null;
	/** What models are sent placeholders for; null where no level masks anything. */
	mask: Mask | null;
	matrixVersion: string;
	/** Why a model must not see the text, a sentence for each reason; empty if it may. */
	reasonsAgainst(model: Pick<Model, "provider">): readonly string[];
	/** The same by level and member. */
	objectionsTo(model: Pick<Model, "provider">): readonly Objection[];
	/** Why a request is refused of which the policies exclude these models. */
	explain(models: Iterable<Pick<Model, "provider">>): ComplianceNotice;
	/** The attestation that these models saw the text. */
	attest(models: Iterable<Pick<Model, "id" | "provider">>): Attestation;
}

/** Why a level's policy keeps a text from a provider. */
export interface Objection {
	level: PolicyLevel;
	member: keyof CompliancePolicy;
	/** A sentence for the client. Of the operator's lists it says nothing. */
	reason: string;
}

/** What a text holds where it is more, or less, than the detection says. */
export interface TextContents {
	/** What is inferred beyond pattern matching, if a policy asks for it. */
	inferred?: Detection | null;
	/** Classes of the text as received. By default what is detected and inferred. */
	received?: readonly DataClass[];
	/** Classes of what is left after masking. By default those of the text as received. */
	remaining?: readonly DataClass[];
	/** What nobody reads. Each holds every class. */
	unread?: readonly UnreadContent[];
	/** What is replaced by placeholders. */
	mask?: Mask | null;
	/** What the detection's findings point into. Without it, a refusal names no places. */
	conversation?: Conversation;
}

/** What a text holds, in full. */
type HeldContents = Required<Omit<TextContents, "inferred">>;

/** What a gate decides by. */
interface GateBasis {
	matrix: Matrix;
	catalog: Pick<Catalog, "findProvider">;
	/** Whether the public claims about a provider apply to what is really called. */
	attestations: ReadonlyMap<string, ProviderAttestation>;
}

/** What clears a provider for a class of data (docs/reference.md, "Compliance"). */
const CLEARANCE: Readonly<Record<DataClass, { standard: string } | "zero_retention">> = {
	PII: { standard: "GDPR" },
	PHI: { standard: "HIPAA" },
	FINANCIAL: { standard: "PCI DSS" },
	SECRETS: "zero_retention",
};

/** What is known about the provider that is really called. */
interface ProviderKnowledge {
	providerId: string;
	/** Null if nothing is known. */
	facts: ProviderFacts | null;
	/** Why nothing is known, to be appended to a reason. */
	unknownBecause: string;
	hasZeroRetention: boolean;
	/** The operator attests an agreement on health data, by this setting. */
	hasAgreement: boolean;
	agreementSetting: string;
}

function findKnowledge(providerId: string, { matrix, attestations }: GateBasis): ProviderKnowledge {
	const attestation = attestations.get(providerId);
	const isReplaced = attestation?.isReplaced ?? false;
	const facts = isReplaced ? null : (matrix.providers.find(({ id }) => id === providerId) ?? null);
	const hasZeroRetention = attestation?.zeroRetention === true || facts?.zero_retention.value === "default";
	return {
		providerId,
		facts,
		unknownBecause: isReplaced ? ", because its base address is replaced" : "",
		hasZeroRetention,
		hasAgreement: attestation?.businessAssociate === true,
		agreementSetting: attestation?.businessAssociateSetting ?? "<PREFIX>_BAA",
	};
}

const joinWords = (words: readonly string[]) => words.join(", ");

/** The classes of a text that a level keeps from providers. */
interface HeldClasses {
	/** Found in it, left after masking, or held by what nobody reads. */
	blocked: readonly DataClass[];
	/** To be masked, and left in it: in names, schemas, stop sequences, and in what is too long to be read. */
	unmasked: readonly DataClass[];
}

/** The reasons of a policy's member against a provider. */
type MemberReasons = (known: ProviderKnowledge, policy: CompliancePolicy, held: HeldClasses) => string[];

function jurisdictionReasons({ facts, unknownBecause }: ProviderKnowledge, allowed: readonly string[]): string[] {
	const value = facts?.jurisdiction.value;
	if (!value) return [`its jurisdiction is unknown${unknownBecause}`];
	const reasons: string[] = [];
	if (!isWithin(value.contract, allowed))
		reasons.push(`its contract is under ${value.contract}, allowed is ${joinWords(allowed)}`);
	if (value.parent !== value.contract && !isWithin(value.parent, allowed))
		reasons.push(`its parent company is under ${value.parent}, allowed is ${joinWords(allowed)}`);
	return reasons;
}

function residencyReasons({ facts, unknownBecause }: ProviderKnowledge, allowed: readonly string[]): string[] {
	const regions = facts?.regions.value;
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
	return [facts?.frameworks.value, facts?.certifications.value].some((names) => names?.includes(name));
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
			const isKnown = known.facts !== null && known.facts[kind].value !== null;
			return isKnown ? `is not known to ${verb} ${name}` : `its ${kind} are unknown${known.unknownBecause} (${name})`;
		});
}

function retentionReason({ facts, unknownBecause }: ProviderKnowledge): string {
	const value = facts?.zero_retention.value;
	return value === "on_request"
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

/** @param where the classes stand in the text. */
function classReasons(known: ProviderKnowledge, held: readonly DataClass[], where = ""): string[] {
	return held.flatMap((dataClass) => {
		const reason = clearanceReason(known, dataClass);
		return reason === null ? [] : [`not cleared for ${dataClass}, which the text holds${where}: ${reason}`];
	});
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
	["mask_data_classes", (known, _, { unmasked }) => classReasons(known, unmasked, " where it cannot be masked")],
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

function blockedClasses(levels: PolicyLevels, level: PolicyLevel, contents: HeldContents): DataClass[] {
	const blocked = levels[level]?.block_data_classes ?? [];
	if (contents.unread.some((what) => !allowsUnreadAt(levels, level, what))) return blocked;
	const gated = gatedClassesAt(levels, level);
	return blocked.filter((name) => (gated.includes(name) ? contents.received : contents.remaining).includes(name));
}

function heldClasses(levels: PolicyLevels, level: PolicyLevel, contents: HeldContents): HeldClasses {
	const blocked = blockedClasses(levels, level, contents);
	const masked = levels[level]?.mask_data_classes ?? [];
	const isUnread = contents.unread.includes("text") && !allowsUnreadAt(levels, level, "text");
	const unmasked = masked.filter((name) => isUnread || contents.remaining.includes(name));
	return { blocked, unmasked: unmasked.filter((name) => !blocked.includes(name)) };
}

/** What all levels have against a provider, those that only monitor included. */
function findObjections(
	providerId: string,
	levels: PolicyLevels,
	contents: HeldContents,
	basis: GateBasis,
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

const sortUnique = (words: Iterable<string>) => [...new Set(words)].sort();

type Violations = NonNullable<Attestation["violations"]>;

/** What a monitoring level would have kept from the models that saw the text. */
function toViolations(seen: readonly { id: string; objections: readonly Objection[] }[]): Violations {
	const models = new Map<string, { level: PolicyLevel; member: string; models: string[] }>();
	for (const { id, objections } of seen) {
		for (const { level, member } of objections) {
			const name = `${level} ${member}`;
			const violation = models.get(name) ?? { level, member, models: [] };
			violation.models.push(id);
			models.set(name, violation);
		}
	}
	const sorted = [...models].sort(([a], [b]) => (a < b ? -1 : 1));
	return sorted.map(([, violation]) => ({ ...violation, models: sortUnique(violation.models) }));
}

/** The classes of what is detected and inferred. */
function joinClasses(detection: Detection, inferred: Detection | null): DataClass[] {
	return DATA_CLASSES.filter((name) => detection.classes.includes(name) || inferred?.classes.includes(name));
}

const NO_CONVERSATION: Conversation = { texts: [], unread: [] };

/** The gate of policies on a text, by a matrix. */
export function createGate(
	levels: PolicyLevels,
	detection: Detection,
	basis: GateBasis,
	{
		inferred = null,
		received = joinClasses(detection, inferred),
		remaining = received,
		unread = [],
		mask = null,
		conversation = NO_CONVERSATION,
	}: TextContents = {},
): ComplianceGate {
	const byProvider = new Map<string, readonly Objection[]>();
	const matrixVersion = basis.matrix.version;
	const contents = { received, remaining, unread, mask, conversation };
	const policy = shownPolicy(levels);
	const floor = toFloor(levels);
	const monitors = activeLevels(levels).filter((level) => !isEnforcing(level));
	const isMonitored = ({ level }: Objection) => monitors.some((other) => other.level === level);
	const allObjections = (provider: string) => {
		const known = byProvider.get(provider) ?? findObjections(provider, levels, contents, basis);
		byProvider.set(provider, known);
		return known;
	};
	const objectionsTo: ComplianceGate["objectionsTo"] = ({ provider }) =>
		allObjections(provider).filter((objection) => !isMonitored(objection));
	return {
		policy,
		levels,
		detection,
		inferred,
		mask,
		matrixVersion,
		objectionsTo,
		reasonsAgainst: (model) => objectionsTo(model).map(({ reason }) => reason),
		explain(models) {
			const enforcing = activeLevels(levels).filter(isEnforcing);
			const held = enforcing.flatMap(({ level }) => {
				const { blocked, unmasked } = heldClasses(levels, level, contents);
				return [...blocked, ...unmasked];
			});
			const classes = DATA_CLASSES.filter((known) => held.includes(known));
			const countsUnread = (what: UnreadContent) =>
				unread.includes(what) && enforcing.some(({ level }) => !allowsUnreadAt(levels, level, what));
			return toComplianceNotice(
				{
					levels,
					conversation,
					detection: inferred ? joinDetections(detection, inferred) : detection,
					classes,
					countsUnread,
				},
				[...models].flatMap(objectionsTo),
			);
		},
		attest(models) {
			const all = [...models];
			const seen = all.map(({ id, provider }) => ({ id, objections: allObjections(provider).filter(isMonitored) }));
			const claimed = {
				type: "svc.attestation.v1" as const,
				matrix_version: matrixVersion,
				policy: { ...policy },
				...(floor.length > 0 ? { floor } : {}),
				models: sortUnique(all.map(({ id }) => id)),
				providers: sortUnique(all.map(({ provider }) => provider)),
				detected_classes: DATA_CLASSES.filter((known) => detection.classes.includes(known)),
				...(inferred ? { inferred_classes: [...inferred.classes] } : {}),
				...(monitors.length > 0 ? { mode: "monitor" as const, violations: toViolations(seen) } : {}),
			};
			return { ...claimed, hash: hashObject(claimed) };
		},
	};
}

/** What a conversation holds: the classes that were found in it, and what nobody read. */
function toContents({ classes, kinds }: Detection, conversation: Conversation): TextContents {
	const unread: UnreadContent[] = conversation.unread.map(({ what }) => what);
	if (classes.some((name) => kinds[name]?.includes(UNREAD))) unread.push("text");
	const received = classes.filter((name) => kinds[name]?.some((kind) => kind !== UNREAD));
	return { received, unread, conversation };
}

/**
 * The gate of policies on a conversation, by the matrix that ships with the service. Scans the conversation in steps.
 * @param conversation everything that a model would be sent.
 * @param inferred what is inferred beyond pattern matching, if a policy asks for it.
 */
export function* shippedGate(
	levels: PolicyLevels,
	conversation: Conversation,
	{ catalog, attestations }: Pick<Settings, "catalog" | "attestations">,
	inferred: Detection | null = null,
): Steps<ComplianceGate> {
	const detection = yield* detectInSteps(conversation);
	const basis = { matrix: MATRIX, catalog, attestations };
	const all = inferred ? joinDetections(detection, inferred) : detection;
	const contents = { ...toContents(all, conversation), inferred };
	const masked = maskedClasses(levels);
	if (masked.length === 0) return createGate(levels, detection, basis, contents);
	const mask = planMask(conversation, findMasked(all.findings, masked));
	const remaining = remainingClasses(conversation, all, masked);
	return createGate(levels, detection, basis, { ...contents, mask, remaining });
}
