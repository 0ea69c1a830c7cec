// A model call as each wire sends it, to a model of the tests' catalog.
import { soleKey } from "../../src/catalog/provider-keys.ts";
import type { Model, Provider } from "../../src/catalog/schema.ts";
import type { EffortChoice, WireName } from "../../src/catalog/vocabulary.ts";
import { withKey } from "../../src/providers/auth-headers.ts";
import type { ModelCall } from "../../src/providers/model-call.ts";
import type { UpstreamRequest } from "../../src/providers/wire.ts";
import { withMediaTokens } from "../../src/providers/wire.ts";
import { wireFor } from "../../src/providers/wires.ts";
import { modelOfWire } from "./catalog.ts";

/** A call that asks for nothing special. */
export function plainCall(more: Partial<ModelCall> = {}): ModelCall {
	return {
		messages: [{ role: "user", content: [{ type: "text", text: "go" }] }],
		tools: [],
		output: { type: "text" },
		maxTokens: 1_000,
		stop: [],
		sampling: {},
		unknownFields: {},
		...more,
	};
}

export interface Rendered extends UpstreamRequest {
	json: Record<string, unknown>;
	model: Model;
}

/** @param more what the provider has other than the tests' catalog. */
export function render(
	wire: WireName,
	call: ModelCall,
	more: Partial<Provider> = {},
	effort: EffortChoice = null,
): Rendered {
	const { model, provider: known } = modelOfWire(wire);
	const provider = { ...known, ...more };
	const access = { provider, keys: [soleKey("k")] as const, baseUrl: "https://u.test/v1", host: "u.test" };
	const prompt = withMediaTokens(wireFor(provider).preparePrompt(call, provider, model), model);
	const rendered = wireFor(provider).renderRequest({ call, prompt, model, access, effort });
	const request = withKey(rendered, provider, access.keys[0]);
	return { ...request, model, json: JSON.parse(request.body) };
}
