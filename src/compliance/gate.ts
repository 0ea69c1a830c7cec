// The compliance gate: which models may see a text under a policy, why others may not, and what is attested. Pure.
import type { Catalog } from "../catalog/catalog.ts";
import type { Model } from "../catalog/schema.ts";
import { hashObject } from "../proof/hash.ts";
import type { Attestation } from "../proof/receipt.ts";
import type { ProviderAttestation, Settings } from "../settings.ts";
import type { Conversation } from "./conversation.ts";
import { detect } from "./detect.ts";
import type { Detection } from "./findings.ts";
import { MATRIX, type Matrix, type ProviderFacts } from "./matrix.ts";
import { type CompiledPolicy, type CompliancePolicy, compilePolicy } from "./policy.ts";
import { DATA_CLASSES, type DataClass, isWithin } from "./vocabulary.ts";

/** A policy in force on a text. It applies to every model that sees the text: fallbacks, judges, critics and planners, too. */
export interface ComplianceGate {
	policy: CompiledPolicy;
	detection: Detection;
	matrixVersion: string;
	/** Why a model must not see the text, a sentence for each reason; empty if it may. */
	reasonsAgainst(model: Pick<Model, "provider">): readonly string[];
	/** The attestation that these models saw the text. */
	attest(models: Iterable<Pick<Model, "id" | "provider">>): Attestation;
}

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
	/** Null if nothing is known. */
	facts: ProviderFacts | null;
	/** Why nothing is known, to be appended to a reason. */
	unknownBecause: string;
	hasZeroRetention: boolean;
}

function findKnowledge(providerId: string, { matrix, attestations }: GateBasis): ProviderKnowledge {
	const attestation = attestations.get(providerId);
	const isReplaced = attestation?.isReplaced ?? false;
	const facts = isReplaced ? null : (matrix.providers.find(({ id }) => id === providerId) ?? null);
	const hasZeroRetention = attestation?.zeroRetention === true || facts?.zero_retention.value === "default";
	return { facts, unknownBecause: isReplaced ? ", because its base address is replaced" : "", hasZeroRetention };
}

const joinWords = (words: readonly string[]) => words.join(", ");

function jurisdictionReasons({ facts, unknownBecause }: ProviderKnowledge, allowed: readonly string[]): string[] {
	if (allowed.length === 0) return [];
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
	if (allowed.length === 0) return [];
	const regions = facts?.regions.value;
	if (!regions) return [`its data regions are unknown${unknownBecause}`];
	const outside = regions.filter((region) => !isWithin(region, allowed));
	if (outside.length === 0) return [];
	const where = outside.includes("*") ? "anywhere" : `in ${joinWords(outside)}`;
	return [`data may be held ${where}, allowed is ${joinWords(allowed)}`];
}

/** Whether a provider has a standard. A policy may require it as a framework or a certification, and a claim may call it either. */
function hasStandard({ facts }: ProviderKnowledge, name: string): boolean {
	return [facts?.frameworks.value, facts?.certifications.value].some((names) => names?.includes(name));
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

function classReasons(known: ProviderKnowledge, blocked: readonly DataClass[]): string[] {
	return blocked.flatMap((dataClass) => {
		const by = CLEARANCE[dataClass];
		if (by === "zero_retention")
			return known.hasZeroRetention
				? []
				: [`not cleared for ${dataClass}, which the text holds: ${retentionReason(known)}`];
		return hasStandard(known, by.standard)
			? []
			: [`not cleared for ${dataClass}, which the text holds: ${by.standard} is unknown${known.unknownBecause}`];
	});
}

function reasonsFor(providerId: string, policy: CompiledPolicy, detected: readonly DataClass[], basis: GateBasis) {
	const name = basis.catalog.findProvider(providerId)?.name ?? providerId;
	const known = findKnowledge(providerId, basis);
	const { provider_allowlist: allowed, provider_denylist: denied } = policy;
	const blocked = policy.block_data_classes.filter((dataClass) => detected.includes(dataClass));
	const reasons = [
		...(allowed.length > 0 && !allowed.includes(providerId) ? ["is not on the provider allowlist"] : []),
		...(denied.includes(providerId) ? ["is on the provider denylist"] : []),
		...jurisdictionReasons(known, policy.allowed_jurisdictions),
		...residencyReasons(known, policy.data_residency),
		...standardReasons(known, policy.required_frameworks, "frameworks", "support"),
		...standardReasons(known, policy.required_certifications, "certifications", "hold"),
		...(policy.require_zero_retention && !known.hasZeroRetention ? [retentionReason(known)] : []),
		...classReasons(known, blocked),
	];
	return reasons.map((reason) => `${name}: ${reason}`);
}

const sortUnique = (words: Iterable<string>) => [...new Set(words)].sort();

/** The gate of a policy on a text, by a matrix. */
export function createGate(policy: CompiledPolicy, detection: Detection, basis: GateBasis): ComplianceGate {
	const byProvider = new Map<string, readonly string[]>();
	const matrixVersion = basis.matrix.version;
	return {
		policy,
		detection,
		matrixVersion,
		reasonsAgainst({ provider }) {
			const known = byProvider.get(provider);
			if (known) return known;
			const reasons = reasonsFor(provider, policy, detection.classes, basis);
			byProvider.set(provider, reasons);
			return reasons;
		},
		attest(models) {
			const all = [...models];
			const claimed = {
				type: "svc.attestation.v1" as const,
				matrix_version: matrixVersion,
				policy: { ...policy },
				models: sortUnique(all.map(({ id }) => id)),
				providers: sortUnique(all.map(({ provider }) => provider)),
				detected_classes: DATA_CLASSES.filter((known) => detection.classes.includes(known)),
			};
			return { ...claimed, hash: hashObject(claimed) };
		},
	};
}

/**
 * The gate of a policy on a conversation, by the matrix that ships with the service. Scans the conversation.
 * @param conversation everything that a model would be sent.
 */
export function shippedGate(
	policy: CompliancePolicy,
	conversation: Conversation,
	{ catalog, attestations }: Pick<Settings, "catalog" | "attestations">,
): ComplianceGate {
	return createGate(compilePolicy(policy), detect(conversation), { matrix: MATRIX, catalog, attestations });
}
