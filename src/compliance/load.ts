// Loads the gate and its notices on first use: start-up, and calls without a policy, do not pay for them. The detector stands beside the
// bundle (load-detector.ts).

/** The gate on the shipped matrix (gate.ts). */
export function loadGate() {
	return import("./gate.ts");
}

/** What says where data stand (refusal-notice.ts). */
export function loadNotices() {
	return import("./refusal-notice.ts");
}

/** Published facts about providers (matrix.ts). */
export function loadMatrix() {
	return import("./matrix.ts");
}
