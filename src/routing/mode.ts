// What routing favours (docs/reference/models.md, "Routing").

/** Modes that a request or a config may set. */
export const ROUTING_MODES = ["quality", "balanced", "agility"] as const;
export type RoutingMode = (typeof ROUTING_MODES)[number];

/** `direct` means that a model was named. */
export const MODES = [...ROUTING_MODES, "direct"] as const;
export type Mode = (typeof MODES)[number];
