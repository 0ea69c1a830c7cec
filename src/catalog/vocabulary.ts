// The closed sets of words that the catalog uses.

/** Effort names in rising order; a model declares the ones it has. */
export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof EFFORTS)[number];

/** What a request says of effort: `default` sends nothing and leaves it to the provider; null is a model that does not reason. */
export type EffortChoice = Effort | "default" | null;

/** Price tiers in rising order (docs/reference.md, "Models"). */
export const TIERS = ["budget", "mid", "premium", "frontier"] as const;
export type Tier = (typeof TIERS)[number];

/** Wire formats of the providers. */
export const WIRE_NAMES = ["openai", "anthropic", "google"] as const;
export type WireName = (typeof WIRE_NAMES)[number];
