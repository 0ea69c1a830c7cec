// The regulatory matrix: what is publicly known about the product of each provider. The claims are in matrix.json, each with its
// sources and when they were read. It is a baseline of public statements, not legal advice. Pure.

import type { Catalog } from "../catalog/catalog.ts";
import type { OperatorFacts } from "../catalog/schema.ts";
import type { TrainingUse } from "../catalog/vocabulary.ts";
import type { ProviderAttestation } from "../settings.ts";
import matrixFile from "./matrix.json" with { type: "json" };

/** A published claim about a product. Null means unknown, never no. */
interface MatrixClaim<T> {
	value: T | null;
	/** When the sources were read: an ISO 8601 interval of months. Only for known values. */
	as_of?: string;
	sources?: readonly string[];
	note?: string;
}

/** Zero retention of every call, or by agreement only. */
type ZeroRetention = "default" | "on_request";

/** What is known about the product of a provider. Names are spelled as in vocabulary.ts. */
export interface ProviderFacts {
	id: string;
	/** The product that the service calls. */
	product: string;
	/** The jurisdiction of the contract, and that of the parent company. */
	jurisdiction: MatrixClaim<{ contract: string; parent: string }>;
	/** Where the data of a call by this service may be stored or processed; `*` is anywhere. */
	regions: MatrixClaim<readonly string[]>;
	/** Frameworks that the product supports. HIPAA needs a signed agreement. */
	frameworks: MatrixClaim<readonly string[]>;
	certifications: MatrixClaim<readonly string[]>;
	zero_retention: MatrixClaim<ZeroRetention>;
	trains_on_inputs: MatrixClaim<TrainingUse>;
}

export interface Matrix {
	/** `rcm-<yyyy.mm>-baseline`. */
	version: string;
	notice: string;
	providers: readonly ProviderFacts[];
}

/** Not validated here: the file ships with the code, and its test checks every claim. */
export const MATRIX = matrixFile as unknown as Matrix;

/** A fact that a policy may ask for. */
export type FactName = keyof OperatorFacts;
type FactValues = { readonly [Name in FactName]-?: ProviderFacts[Name]["value"] };

/** What facts about the providers of a catalog are found in. */
export interface FactsBasis {
	matrix: Matrix;
	catalog: Pick<Catalog, "findProvider">;
	/** Whether what is known of a provider holds for what is really called. */
	attestations: ReadonlyMap<string, ProviderAttestation>;
}

/** What is known of the product that is really called. Null is unknown. */
export interface KnownFacts {
	values: FactValues;
	/** Those that are the operator's word. */
	stated: readonly FactName[];
	/** Nothing that is published holds: the address is not the product's. */
	isReplaced: boolean;
}

/** The facts about a provider: the operator's word where its row has one, else what is published about its cloud, or about the product. */
export function findFacts(providerId: string, { matrix, catalog, attestations }: FactsBasis): KnownFacts {
	const { isReplaced = false, isMoved = false } = attestations.get(providerId) ?? {};
	const published = isReplaced || isMoved ? undefined : matrix.providers.find(({ id }) => id === providerId);
	const { facts: own = {}, published: ofCloud = {} } =
		(isReplaced ? undefined : catalog.findProvider(providerId)) ?? {};
	const values: FactValues = {
		jurisdiction: own.jurisdiction ?? ofCloud.jurisdiction ?? published?.jurisdiction.value ?? null,
		regions: own.regions ?? ofCloud.regions ?? published?.regions.value ?? null,
		frameworks: own.frameworks ?? ofCloud.frameworks ?? published?.frameworks.value ?? null,
		certifications: own.certifications ?? ofCloud.certifications ?? published?.certifications.value ?? null,
		zero_retention: own.zero_retention ?? ofCloud.zero_retention ?? published?.zero_retention.value ?? null,
		trains_on_inputs: own.trains_on_inputs ?? ofCloud.trains_on_inputs ?? published?.trains_on_inputs.value ?? null,
	};
	return { values, stated: Object.keys(own) as FactName[], isReplaced: isReplaced || isMoved };
}

/** Of some providers, those about which the operator's word counts; sorted. */
export function findOperatorStated(providerIds: Iterable<string>, basis: FactsBasis): string[] {
	return [...new Set(providerIds)].filter((id) => findFacts(id, basis).stated.length > 0).sort();
}
