// The policy engine: a module of its own beside the bundle, loaded when the first action or manifest is judged. It is a seventh of
// the Worker's code, and most requests have no use for it.
import type { compileCommandMatcher, compilePathMatcher } from "./coverage.ts";
import type { decideInSteps, scoreRiskInSteps } from "./decide.ts";

export { compileCommandMatcher, compilePathMatcher } from "./coverage.ts";
export { decideInSteps, scoreRiskInSteps } from "./decide.ts";

/** Set by cli/modules.ts: the hash of the module's sources, tables included. */
declare const POLICY_SOURCES_HASH: string;

/** Of the rules that the service brings. It changes with each of them, so a decision can be bound to it. */
export const version = typeof POLICY_SOURCES_HASH === "undefined" ? "source" : POLICY_SOURCES_HASH;

/** What the module exports. */
export interface PolicyEngine {
	version: string;
	decideInSteps: typeof decideInSteps;
	scoreRiskInSteps: typeof scoreRiskInSteps;
	compileCommandMatcher: typeof compileCommandMatcher;
	compilePathMatcher: typeof compilePathMatcher;
}

/** Loads the engine. It fails only where the module is missing from the deployment, which is 500. */
export type LoadPolicyEngine = () => Promise<PolicyEngine>;
