// What a selection weighs most (docs/reference.md, "Routing").

/** Modes a request or a config may ask for. */
export const ROUTING_MODES = ["quality", "balanced", "agility"] as const;
export type RoutingMode = (typeof ROUTING_MODES)[number];

/** `direct` is a model named by the request. */
export const MODES = [...ROUTING_MODES, "direct"] as const;
export type Mode = (typeof MODES)[number];
