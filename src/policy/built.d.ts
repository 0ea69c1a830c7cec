// The policy engine as `npm run modules` builds it: a module beside the bundle.
declare module "*/policy/built/engine.js" {
	type PolicyEngine = import("./engine.ts").PolicyEngine;
	export const version: PolicyEngine["version"];
	export const decideInSteps: PolicyEngine["decideInSteps"];
	export const scoreRiskInSteps: PolicyEngine["scoreRiskInSteps"];
	export const compileCommandMatcher: PolicyEngine["compileCommandMatcher"];
	export const compilePathMatcher: PolicyEngine["compilePathMatcher"];
}
