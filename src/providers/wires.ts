// The wire formats served, and which models they make available.
import { providerOf } from "../catalog/catalog.ts";
import type { Model } from "../catalog/schema.ts";
import type { WireName } from "../catalog/vocabulary.ts";
import type { Settings } from "../settings.ts";
import { openaiWire } from "./openai.ts";
import type { Wire } from "./wire.ts";

const WIRES: Partial<Record<WireName, Wire>> = { openai: openaiWire };

/** The wire format of a model's provider, or undefined when it is not served. */
export function wireOf(model: Model): Wire | undefined {
	return WIRES[providerOf(model).wire];
}

/** Whether a model can be called: its provider has a key and its format is served. */
export function isAvailable(model: Model, settings: Settings): boolean {
	return settings.providers.has(model.provider) && wireOf(model) !== undefined;
}
