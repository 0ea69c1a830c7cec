// The names of what a prompt may be about.

/** Rules, previews, answers and the trained weights use these names in this order. */
export const INTENTS = [
	"code",
	"math",
	"reasoning",
	"creative",
	"text",
	"translation",
	"factual",
	"advice",
	"chat",
] as const;
export type Intent = (typeof INTENTS)[number];
