// What a request for a whole answer has other than one for a stream, in each format: nothing but the wish for a stream.
import { describe, expect, it } from "vitest";
import { soleKey } from "../../../src/catalog/provider-keys.ts";
import { WIRE_NAMES, type WireName } from "../../../src/catalog/vocabulary.ts";
import { chatRequestSchema, toModelCall } from "../../../src/chat/request.ts";
import { unsentFieldWarnings, withMediaTokens } from "../../../src/providers/wire.ts";
import { wireFor } from "../../../src/providers/wires.ts";
import { utf8Length } from "../../../src/text/utf8.ts";
import { modelOfWire, modelWhere, TEST_CATALOG } from "../../support/catalog.ts";
import { plainCall, render } from "../../support/rendered.ts";

/** The members by which a format asks for a stream. */
const STREAM_MEMBERS: Record<WireName, Record<string, unknown>> = {
	openai: { stream: true, stream_options: { include_usage: true } },
	anthropic: { stream: true },
	google: {},
	bedrock: { additionalModelResponseFieldPaths: ["/delta/stop_sequence"] },
};

const PATHS: Record<WireName, [streamed: string, whole: string]> = {
	openai: ["/chat/completions", "/chat/completions"],
	anthropic: ["/messages", "/messages"],
	google: [":streamGenerateContent?alt=sse", ":generateContent"],
	bedrock: ["/converse-stream", "/converse"],
};

function sent(wire: WireName, isWhole: boolean) {
	const asks = modelWhere(TEST_CATALOG, (candidate) => TEST_CATALOG.providerFor(candidate).stream_usage === "ask");
	const { model, provider } =
		wire === "openai" ? { model: asks, provider: TEST_CATALOG.providerFor(asks) } : modelOfWire(wire);
	const messages = [{ role: "user", content: 'say ,"stream":true' }];
	const call = toModelCall(chatRequestSchema.parse({ messages, max_tokens: 9, stop: "," }), TEST_CATALOG);
	const access = { provider, keys: [soleKey("k")] as const, baseUrl: "https://u.test", host: "u.test" };
	const prompt = withMediaTokens(wireFor(provider).preparePrompt(call, provider, model), model);
	const request = wireFor(provider).renderRequest({ call, prompt, model, access, effort: null, isWhole });
	return { ...request, json: JSON.parse(request.body) as Record<string, unknown> };
}

it.each(WIRE_NAMES)("a field that only some providers take is passed or named (%s)", (wire) => {
	const call = plainCall({
		unknownFields: { verbosity: "low", odd: 1, prompt_cache_key: "k", safety_identifier: "s" },
	});
	const { json, warnings, model } = render(wire, call, { passes: [] });
	expect(json).not.toHaveProperty("verbosity");
	expect(warnings.map(({ param, message }) => [param, message])).toEqual([
		["verbosity", `${model.id} does not take verbosity; it was left out`],
		["odd", "odd is not known to this service and was not sent"],
	]);
	if (wire !== "openai") return;
	const passing = render(wire, call, { passes: ["verbosity"] });
	expect(passing.json).toMatchObject({ verbosity: "low" });
	expect(passing.warnings.map(({ param }) => param)).toEqual(["odd"]);
});

describe.each(WIRE_NAMES)("a request for a whole answer (%s)", (wire) => {
	const streamed = sent(wire, false);
	const whole = sent(wire, true);

	it("is the streaming one without the wish for a stream", () => {
		expect({ ...whole.json, ...STREAM_MEMBERS[wire] }).toEqual(streamed.json);
		expect(Object.keys(whole.json)).not.toContain("stream");
		const { accept: _, ...headers } = streamed.headers;
		expect(whole.headers).toEqual(wire === "google" ? headers : { ...headers, accept: "application/json" });
		const [streamPath, wholePath] = PATHS[wire];
		expect([streamed.url.endsWith(streamPath), whole.url.endsWith(wholePath)]).toEqual([true, true]);
	});

	it("has the bound of the bytes that are sent", () => {
		const fewerBytes = utf8Length(streamed.body) - utf8Length(whole.body);
		expect(streamed.maxInputTokens - whole.maxInputTokens).toBe(fewerBytes);
		expect(whole.maxOutputTokens).toBe(streamed.maxOutputTokens);
	});
});

it("sends the stop sequences that a provider takes, and says how many it does not", () => {
	const stop = ["", "\n", ...Array.from({ length: 6 }, (_, index) => `s${index}`)];
	const sentStops = (wire: WireName, wanted: string[]) => {
		const { json, warnings, model } = render(wire, plainCall({ stop: wanted }));
		const config = (json["generationConfig"] ?? json["inferenceConfig"] ?? json) as Record<string, unknown>;
		const words = warnings.filter(({ param }) => param === "stop").map(({ message }) => message.replace(model.id, "m"));
		return [config["stop"] ?? config["stop_sequences"] ?? config["stopSequences"], ...words];
	};
	const word = (leftOut: number) => `m does not take all 7 stop sequences; ${leftOut} of them were left out`;
	expect(sentStops("openai", stop)).toEqual([["\n", "s0", "s1", "s2"], word(3)]);
	expect(sentStops("google", stop)).toEqual([["\n", "s0", "s1", "s2", "s3"], word(2)]);
	for (const wire of ["anthropic", "bedrock"] as const)
		expect(sentStops(wire, stop)).toEqual([["s0", "s1", "s2", "s3", "s4", "s5"], word(1)]);
	for (const wire of WIRE_NAMES) expect(sentStops(wire, [""])).toEqual([undefined]);
});

it("clips the name of a field that nobody knows", () => {
	const model = modelWhere(TEST_CATALOG, () => true);
	const [warning] = unsentFieldWarnings(model, ["x".repeat(1_000)]);
	expect(warning?.param).toHaveLength(200);
	expect(warning?.message.length).toBeLessThan(300);
});
