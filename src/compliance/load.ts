// The matrix, the detector and the gate, loaded on first use: start-up and calls without a policy pay nothing for them.

/** The detector of sensitive data (detect.ts). */
export function loadDetector() {
	return import("./detect.ts");
}

/** The gate on the shipped matrix (shipped-gate.ts). */
export function loadGate() {
	return import("./shipped-gate.ts");
}
