// Each form against the sandbox, which is as strict as its provider: what is asked is taken, and what is answered is read.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EncoderModel, servesKind } from "../../../../src/catalog/encoder.ts";
import { soleKey } from "../../../../src/catalog/provider-keys.ts";
import type { Provider } from "../../../../src/catalog/schema.ts";
import { CATALOG } from "../../../../src/catalog/shipped.ts";
import { findMismatch } from "../../../../src/encoders/answer-check.ts";
import { joinCallAnswers } from "../../../../src/encoders/answer-parts.ts";
import { toBatches } from "../../../../src/encoders/encoder-batches.ts";
import type { EncoderAnswer, EncoderCall } from "../../../../src/providers/encoders/encoder-call.ts";
import { encoderFormFor } from "../../../../src/providers/encoders/forms.ts";
import { createSandbox } from "../../../../src/sandbox/app.ts";
import { plainProvider } from "../../../support/catalog.ts";

const sandbox = createSandbox();

function shipped(id: string): Provider {
	const provider = CATALOG.findProvider(id);
	if (!provider) throw new Error(`no provider ${id}`);
	return provider;
}

const PROVIDERS: Provider[] = [
	...["openai", "google", "mistral", "cohere", "alibaba"].map(shipped),
	plainProvider("voyage", "openai", { encoder_form: "voyage" }),
	plainProvider("tei", "openai", { encoder_form: "tei" }),
	plainProvider("own", "openai"),
	plainProvider("azure", "openai", {
		encoder_form: "openai",
		paths: { whole: "/deployments/{model}/chat/completions?api-version=1", stream: "" },
	}),
];

function modelOf(provider: Provider, limits: Partial<EncoderModel["limits"]> = {}): EncoderModel {
	return {
		id: "m-1",
		upstream_model: "m-1",
		display_name: "M",
		provider: provider.id,
		kind: "embedding",
		released: null,
		open_weights: false,
		prices: [{ effective_from: null, input: 1 }],
		limits: { context_window: 8_192, max_inputs: 10, max_batch_tokens: null, ...limits },
	};
}

/** One call, as the engine makes it, without the network. */
async function send(call: EncoderCall, provider: Provider, model = modelOf(provider)): Promise<EncoderAnswer> {
	const form = encoderFormFor(provider);
	if (!form) throw new Error(`${provider.id} has no form`);
	const access = { provider, keys: [soleKey("k")] as const, baseUrl: `/${provider.id}`, host: "h" };
	const { url, headers, body } = form.render(call, model, access);
	const response = await sandbox.request(url, { method: "POST", headers, body });
	const text = await response.text();
	expect(response.status, text).toBe(200);
	const answer = form.parse(JSON.parse(text), call);
	if (!answer) throw new Error(`${provider.id} answered what is not its form: ${text}`);
	expect(findMismatch(answer, call, model)).toBe(false);
	return answer;
}

const CASES = PROVIDERS.map((provider) => [provider.id, provider] as const);

describe.each(CASES)("%s", (_, provider) => {
	it("makes n vectors of n texts in their order, whatever its limits split them into", async () => {
		const texts = fc.array(
			fc.string({ minLength: 1, maxLength: 20 }).filter((text) => !text.includes("[[")),
			{
				minLength: 1,
				maxLength: 24,
			},
		);
		await fc.assert(
			fc.asyncProperty(texts, fc.integer({ min: 1, max: 10 }), async (inputs, max_inputs) => {
				const model = modelOf(provider, { max_inputs });
				const whole: EncoderCall = { kind: "embedding", inputs, dimensions: 256 };
				const calls = toBatches(whole, model);
				const answers = await Promise.all(calls.map((call) => send(call, provider, model)));
				const joined = joinCallAnswers(answers);
				const alone = await Promise.all(
					inputs.map((text) => send({ kind: "embedding", inputs: [text], dimensions: 256 }, provider)),
				);
				if (joined.kind !== "embedding") throw new Error("no vectors");
				expect(joined.vectors).toEqual(alone.flatMap((answer) => (answer.kind === "embedding" ? answer.vectors : [])));
				expect(joined.usage.inputTokens).toBeGreaterThan(0);
			}),
			{ numRuns: 15 },
		);
	});

	if (servesKind(provider, "rerank") && provider.id !== "azure")
		it("ranks documents, and the best that are asked for", async () => {
			const documents = ["trains are late", "bread dough rises", "bread"];
			const all = await send({ kind: "rerank", query: "bread dough", documents, topN: null }, provider);
			const best = await send({ kind: "rerank", query: "bread dough", documents, topN: 1 }, provider);
			expect(all.kind === "rerank" && all.results.map(({ index }) => index)).toEqual([1, 2, 0]);
			expect(best.kind === "rerank" && best.results.map(({ index }) => index)).toEqual([1]);
		});

	if (servesKind(provider, "moderation") && provider.id !== "azure")
		it("judges each text", async () => {
			const answer = await send({ kind: "moderation", inputs: ["I will kill you", "bread"] }, provider);
			expect(answer.kind === "moderation" && answer.results.map(({ flagged }) => flagged)).toEqual([true, false]);
			expect(answer.kind === "moderation" && answer.results[0]?.categories["violence"]).toBe(true);
		});
});
