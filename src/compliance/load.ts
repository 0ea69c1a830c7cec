// Loads the detector and the gate on first use: start-up, and calls without a policy, do not pay for them.

/** The detector of sensitive data (detect.ts). */
export function loadDetector() {
	return import("./detect.ts");
}

/** The gate on the shipped matrix (gate.ts). */
export function loadGate() {
	return import("./gate.ts");
}

/** What is inferred beyond pattern matching (inferred.edge.ts), with the weights of the learned classifier. */
export function loadInferred() {
	return import("./inferred.edge.ts");
}
