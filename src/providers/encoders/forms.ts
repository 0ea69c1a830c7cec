// Which form a provider's encoder models are called in. Pure.
import type { Provider } from "../../catalog/schema.ts";
import type { EncoderForm } from "./encoder-call.ts";
import { openAiEncoderForm } from "./openai.ts";

/** The form of a provider; null where it serves no encoder models. */
export function encoderFormFor({ wire }: Pick<Provider, "id" | "wire">): EncoderForm | null {
	return wire === "openai" ? openAiEncoderForm : null;
}
