// The three wire formats, and which models can be called.
import type { Model, Provider } from "../catalog/schema.ts";
import type { WireName } from "../catalog/vocabulary.ts";
import type { Settings } from "../settings.ts";
import { anthropicWire } from "./anthropic.ts";
import { googleWire } from "./google.ts";
import { openaiWire } from "./openai.ts";
import type { Wire } from "./wire.ts";

const WIRES: Readonly<Record<WireName, Wire>> = { openai: openaiWire, anthropic: anthropicWire, google: googleWire };

/** The wire format of a provider. */
export function wireFor({ wire }: Pick<Provider, "wire">): Wire {
	return WIRES[wire];
}

/** Whether a model can be called: its provider has a key. */
export function isAvailable(model: Model, settings: Settings): boolean {
	return settings.providers.has(model.provider);
}
