// The detector of sensitive data: a module of its own beside the bundle, loaded when the first text is scanned.
import type { detectInSteps, secretSpans } from "./detect.ts";

export { detectInSteps, secretSpans } from "./detect.ts";

/** What finds statements in free words (statements/infer.ts). Its weights are decoded only where a policy asks for it. */
export function loadStatements() {
	return import("./statements/infer.ts");
}

/** What the module exports. */
export interface Detector {
	detectInSteps: typeof detectInSteps;
	secretSpans: typeof secretSpans;
	loadStatements: typeof loadStatements;
}
