// The regulatory matrix: what is publicly known of each provider's product, claim by claim. The figures stand in matrix.json,
// each with its sources and the time of their reading; a baseline of public statements, not legal advice. Pure.
import matrixFile from "./matrix.json" with { type: "json" };

/** What somebody has said of a product; null is unknown, never no. */
export interface MatrixClaim<T> {
	value: T | null;
	/** When the sources were read: an ISO 8601 interval of months. Only of what is known. */
	as_of?: string;
	sources?: readonly string[];
	note?: string;
}

/** Zero retention: for every call, by agreement only, or unknown. */
export type ZeroRetention = "default" | "on_request";

/** What is known of one provider's product; spelled as in vocabulary.ts. */
export interface ProviderFacts {
	id: string;
	/** The product that the service calls. */
	product: string;
	/** Of the contract and of the parent company. */
	jurisdiction: MatrixClaim<{ contract: string; parent: string }>;
	/** Where data of a call as this service makes it may be stored or processed; `*` is anywhere. */
	regions: MatrixClaim<readonly string[]>;
	/** Offered for the product; HIPAA: an agreement that has to be signed. */
	frameworks: MatrixClaim<readonly string[]>;
	certifications: MatrixClaim<readonly string[]>;
	zero_retention: MatrixClaim<ZeroRetention>;
	trains_on_inputs: MatrixClaim<"no" | "opt_in" | "opt_out">;
}

export interface Matrix {
	/** `rcm-<yyyy.mm>-baseline`. */
	version: string;
	notice: string;
	providers: readonly ProviderFacts[];
}

/** Trusted as it is: the file ships with the code, and its test checks every claim. */
export const MATRIX = matrixFile as unknown as Matrix;
