// The regulatory matrix: what is publicly known about the product of each provider. The claims are in matrix.json, each with its
// sources and when they were read. It is a baseline of public statements, not legal advice. Pure.

import type { TrainingUse } from "../catalog/vocabulary.ts";
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

/** What is published on a provider's training on inputs; null where it is unknown. */
export function findTrainingUse(providerId: string): TrainingUse | null {
	return MATRIX.providers.find(({ id }) => id === providerId)?.trains_on_inputs.value ?? null;
}
