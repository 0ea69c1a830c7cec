// Which form a provider's encoder models are called in. Pure.
import type { Provider } from "../../catalog/schema.ts";
import type { EncoderFormName, EncoderKind } from "../../catalog/vocabulary.ts";
import { cohereEncoderForm } from "./cohere.ts";
import type { EncoderForm } from "./encoder-call.ts";
import { googleEncoderForm } from "./google.ts";
import { openAiCompatibleEncoderForm, openAiEncoderForm } from "./openai.ts";
import { teiEncoderForm } from "./tei.ts";
import { voyageEncoderForm } from "./voyage.ts";

const FORMS: Readonly<Record<EncoderFormName, EncoderForm>> = {
	openai: openAiEncoderForm,
	cohere: cohereEncoderForm,
	voyage: voyageEncoderForm,
	tei: teiEncoderForm,
};

/** The form of a provider: that of its row, else that of its wire; null where it serves no encoder models. */
export function encoderFormFor({
	wire,
	encoder_form,
	region,
}: Pick<Provider, "wire" | "encoder_form" | "region">): EncoderForm | null {
	if (encoder_form) return FORMS[encoder_form];
	if (wire === "openai") return openAiCompatibleEncoderForm;
	// Vertex has no batches of embeddings.
	return wire === "google" && region === undefined ? googleEncoderForm : null;
}

/** Whether a provider can be asked for models of a kind. */
export function servesKind(provider: Parameters<typeof encoderFormFor>[0], kind: EncoderKind): boolean {
	return encoderFormFor(provider)?.kinds.includes(kind) ?? false;
}
