// The gate: which models may see a text under a policy, for each that may not why, and what is attested of those that did. Pure.
import type { Catalog } from "../catalog/catalog.ts";
import type { Model } from "../catalog/schema.ts";
import { hashObject } from "../proof/hash.ts";
import type { Attestation } from "../proof/receipt.ts";
import type { ProviderAttestation } from "../settings.ts";
import type { Detection } from "./detect.ts";
import type { Matrix, ProviderFacts } from "./matrix.ts";
import type { CompiledPolicy } from "./policy.ts";
import { DATA_CLASSES, type DataClass, isWithin } from "./vocabulary.ts";

/** A policy in force on a text. It holds for whatever model sees the text: stand-ins, judges, critics and planners too. */
export interface ComplianceGate {
	policy: CompiledPolicy;
	detection: Detection;
	matrixVersion: string;
	/** Why a model must not see the text, one sentence each; empty when it may. */
	reasonsAgainst(model: Pick<Model, "provider">): readonly string[];
	/** What is attested when these models saw the text. */
	attest(models: Iterable<Pick<Model, "id" | "provider">>): Attestation;
}

/** What a gate goes by. */
export interface GateBasis {
	matrix: Matrix;
	catalog: Pick<Catalog, "findProvider">;
	/** Whether what is public of a provider holds for what is really called. */
	standings: ReadonlyMap<string, ProviderAttestation>;
}

/** What clears a provider for a class of data (docs/reference.md, "Compliance"). */
const CLEARED_BY: Readonly<Record<DataClass, { standard: string } | "zero_retention">> = {
	PII: { standard: "GDPR" },
	PHI: { standard: "HIPAA" },
	FINANCIAL: { standard: "PCI DSS" },
	SECRETS: "zero_retention",
};

/** What is known of what is really called; null where nothing is. */
interface Known {
	facts: ProviderFacts | null;
	/** Why nothing is. */
	unknownBecause: string;
	hasZeroRetention: boolean;
}

function knownOf(providerId: string, { matrix, standings }: GateBasis): Known {
	const standing = standings.get(providerId);
	const isReplaced = standing?.isReplaced ?? false;
	const facts = isReplaced ? null : (matrix.providers.find(({ id }) => id === providerId) ?? null);
	const hasZeroRetention = standing?.zeroRetention === true || facts?.zero_retention.value === "default";
	return { facts, unknownBecause: isReplaced ? ", because its base address is replaced" : "", hasZeroRetention };
}

const list = (words: readonly string[]) => words.join(", ");

function jurisdictionReasons({ facts, unknownBecause }: Known, allowed: readonly string[]): string[] {
	if (allowed.length === 0) return [];
	const value = facts?.jurisdiction.value;
	if (!value) return [`its jurisdiction is unknown${unknownBecause}`];
	const reasons: string[] = [];
	if (!isWithin(value.contract, allowed))
		reasons.push(`its contract is under ${value.contract}, allowed is ${list(allowed)}`);
	if (value.parent !== value.contract && !isWithin(value.parent, allowed))
		reasons.push(`its parent company is under ${value.parent}, allowed is ${list(allowed)}`);
	return reasons;
}

function residencyReasons({ facts, unknownBecause }: Known, allowed: readonly string[]): string[] {
	if (allowed.length === 0) return [];
	const regions = facts?.regions.value;
	if (!regions) return [`its data regions are unknown${unknownBecause}`];
	const outside = regions.filter((region) => !isWithin(region, allowed));
	if (outside.length === 0) return [];
	const where = outside.includes("*") ? "anywhere" : `in ${list(outside)}`;
	return [`data may be held ${where}, allowed is ${list(allowed)}`];
}

/** A standard is asked for as a framework or as a certification; a provider that has it under the other word has it. */
function hasStandard({ facts }: Known, name: string): boolean {
	return [facts?.frameworks.value, facts?.certifications.value].some((names) => names?.includes(name));
}

function standardReasons(
	known: Known,
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

function retentionReason({ facts, unknownBecause }: Known): string {
	const value = facts?.zero_retention.value;
	return value === "on_request"
		? "zero retention is by agreement only, and none is attested"
		: `zero retention is unknown${unknownBecause}`;
}

function classReasons(known: Known, blocked: readonly DataClass[]): string[] {
	return blocked.flatMap((dataClass) => {
		const by = CLEARED_BY[dataClass];
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
	const known = knownOf(providerId, basis);
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

const sorted = (words: Iterable<string>) => [...new Set(words)].sort();

/** The gate of a policy on a text. */
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
				models: sorted(all.map(({ id }) => id)),
				providers: sorted(all.map(({ provider }) => provider)),
				detected_classes: DATA_CLASSES.filter((known) => detection.classes.includes(known)),
			};
			return { ...claimed, hash: hashObject(claimed) };
		},
	};
}
