// Loads the policy engine, which stands beside the bundle, on first use. Built JavaScript must be imported by the path that it has in
// `src` (wrangler.toml), hence from here.

/** The engine (policy/engine.ts). @throws where it is missing from the deployment; the next call tries again. */
export const loadPolicyEngine = () => import("./policy/built/engine.js");
