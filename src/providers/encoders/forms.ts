// Which form a provider's encoder models are called in. Pure.
import { type EncoderDialect, encoderDialectOf } from "../../catalog/encoder.ts";
import type { Provider } from "../../catalog/schema.ts";
import { cohereEncoderForm } from "./cohere.ts";
import type { EncoderForm } from "./encoder-call.ts";
import { googleEncoderForm } from "./google.ts";
import { openAiCompatibleEncoderForm, openAiEncoderForm } from "./openai.ts";
import { teiEncoderForm } from "./tei.ts";
import { voyageEncoderForm } from "./voyage.ts";

const FORMS: Readonly<Record<EncoderDialect, EncoderForm>> = {
	openai: openAiEncoderForm,
	openai_compatible: openAiCompatibleEncoderForm,
	google: googleEncoderForm,
	cohere: cohereEncoderForm,
	voyage: voyageEncoderForm,
	tei: teiEncoderForm,
};

/** The form of a provider; null where it serves no encoder models. */
export function encoderFormFor(provider: Pick<Provider, "wire" | "encoder_form" | "region">): EncoderForm | null {
	const dialect = encoderDialectOf(provider);
	return dialect && FORMS[dialect];
}
