// The gate on the matrix that ships with the service. Pure.
import type { Settings } from "../settings.ts";
import { detect } from "./detect.ts";
import { type ComplianceGate, createGate } from "./gate.ts";
import { MATRIX } from "./matrix.ts";
import { type CompliancePolicy, compilePolicy } from "./policy.ts";

/**
 * Scans the texts and holds the policy against them.
 * @param texts everything that a model would be sent.
 */
export function shippedGate(
	policy: CompliancePolicy,
	texts: Iterable<string>,
	{ catalog, attestations: standings }: Pick<Settings, "catalog" | "attestations">,
): ComplianceGate {
	return createGate(compilePolicy(policy), detect(texts), { matrix: MATRIX, catalog, standings });
}
