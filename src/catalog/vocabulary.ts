// The closed sets of words that the catalog uses.

/** Effort names in rising order. A model lists the ones it has. */
export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof EFFORTS)[number];

/**
 * The effort of a request. `default` sends none and leaves it to the provider; null is for a model that does not
 * reason.
 */
export type EffortChoice = Effort | "default" | null;

/** Price tiers in rising order (docs/reference/models.md, "Models"). */
export const TIERS = ["budget", "mid", "premium", "frontier"] as const;
export type Tier = (typeof TIERS)[number];

/** What models are for that make no text. */
export const ENCODER_KINDS = ["embedding", "moderation", "rerank"] as const;
export type EncoderKind = (typeof ENCODER_KINDS)[number];

/** How encoder models are asked, where not as their provider's wire has it. */
export const ENCODER_FORM_NAMES = ["openai", "cohere", "voyage", "tei"] as const;
export type EncoderFormName = (typeof ENCODER_FORM_NAMES)[number];

/** Whether a kind of request is of encoder models. */
export function isEncoderKind(kind: string): kind is EncoderKind {
	return (ENCODER_KINDS as readonly string[]).includes(kind);
}

/** The wire formats of the providers. */
export const WIRE_NAMES = ["openai", "anthropic", "google", "bedrock"] as const;
export type WireName = (typeof WIRE_NAMES)[number];

/** How clouds take credentials of more than one text (credentials.ts). */
export const CREDENTIAL_FORMS = ["aws", "google", "entra"] as const;
export type CredentialForm = (typeof CREDENTIAL_FORMS)[number];

/** The forms of recordings that models are sent: those that OpenAI's `input_audio` has. */
export const AUDIO_FORMATS = ["wav", "mp3"] as const;
export type AudioFormat = (typeof AUDIO_FORMATS)[number];

/** What a prompt may be about. Rules, previews, answers and the trained weights use these names in this order. */
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

/** What a model may have a quality figure for: the intents of prompts, and work with tools. */
export const QUALITY_INTENTS = [...INTENTS, "tools"] as const;
export type QualityIntent = (typeof QUALITY_INTENTS)[number];

/** The pricing plans (plans.ts). */
export const PLAN_IDS = ["free", "personal", "pro", "corporate"] as const;
export type PlanId = (typeof PLAN_IDS)[number];

/** Whether a provider trains models on what it is sent: never, if the customer allows it, or unless the customer objects. */
export const TRAINING_USES = ["no", "opt_in", "opt_out"] as const;
export type TrainingUse = (typeof TRAINING_USES)[number];

/** Whose row of a catalog it is. */
export const MODEL_SOURCES = ["shipped", "operator"] as const;
