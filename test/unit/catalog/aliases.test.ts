// Ids that clients of the providers ask for, and the catalog's model that stands for each.
import { describe, expect, it } from "vitest";
import aliasesFile from "../../../src/catalog/aliases.json" with { type: "json" };
import { findExactModel, findModelOrAlias } from "../../../src/catalog/aliases.ts";
import { aliasesFileSchema } from "../../../src/catalog/schema.ts";
import { CATALOG } from "../../../src/catalog/shipped.ts";

const found = (id: string) => findModelOrAlias(id, CATALOG)?.id ?? null;

describe("the table of families", () => {
	it("is valid, names models of the catalog alone, and each family once", () => {
		const { brands, prefixes } = aliasesFileSchema.parse(aliasesFile);
		for (const provider of Object.values(prefixes)) expect(CATALOG.findProvider(provider), provider).toBeDefined();
		for (const { brand, silent, families } of brands) {
			const words = families.map(({ word }) => word);
			expect(new Set(words).size, brand).toBe(words.length);
			expect(words.filter((word) => word !== null && silent.includes(word))).toEqual([]);
			for (const { models } of families) for (const { id } of models) expect(CATALOG.findModel(id), id).toBeDefined();
		}
	});
});

describe("an id that its provider has or had", () => {
	it.each([
		["claude-opus-4-5-20251101", "claude-opus-5-5"],
		["claude-opus-4-5@20251101", "claude-opus-5-5"],
		["claude-opus-5-5[1m]", "claude-opus-5-5"],
		["claude-sonnet-4-5-20250929[1m]", "claude-sonnet-5-5"],
		["claude-sonnet-4-0", "claude-sonnet-5-5"],
		["claude-3-7-sonnet-latest", "claude-sonnet-5-5"],
		["claude-3-5-haiku-20241022", "claude-haiku-5-5"],
		["claude-haiku-4-5", "claude-haiku-5-5"],
		["claude-instant-1.2", "claude-haiku-5-5"],
		["claude-3-opus-latest", "claude-opus-5-5"],
		["claude-fable-5-20260609", "claude-opus-5-5"],
		["gpt-5.2-2025-12-11", "gpt-6-sol"],
		["gpt-5", "gpt-6-sol"],
		["gpt-4o", "gpt-6-sol"],
		["gpt-4o-mini-2024-07-18", "gpt-5.4-mini"],
		["gpt-4.1-nano", "gpt-5-nano"],
		["gpt-6-nano", "gpt-6-luna"],
		["gpt-5.9-nano", "gpt-6-luna"],
		["gpt-5-chat-latest", "gpt-6-sol"],
		["gpt-4-1106-preview", "gpt-6-sol"],
		["gpt-3.5-turbo-0125", "gpt-6-sol"],
		["gpt-5.1-codex-max", "gpt-6-sol"],
		["gpt-5.1-codex-mini", "gpt-5.4-mini"],
		["gpt-5.3-codex-spark", "gpt-5.4-mini"],
		["gpt-5-pro-2025-10-06", "gpt-6-sol"],
		["o1-pro", "gpt-6-sol"],
		["gpt-7-astra", "gpt-6-sol"],
		["gpt-6.2-sol", "gpt-6-sol"],
		["GPT-6-Astra", "gpt-6-astra"],
		["codex-mini-latest", "gpt-5.4-mini"],
		["chatgpt-4o-latest", "gpt-6-sol"],
		["o3-mini", "gpt-5.4-mini"],
		["o3-2025-04-16", "gpt-6-sol"],
		["anthropic/claude-sonnet-4.5", "claude-sonnet-5-5"],
		["openai/gpt-4o-2024-11-20", "gpt-6-sol"],
		["gemini/gemini-2.5-pro", "gemini-3.1-pro-preview"],
		["models/gemini-2.5-flash-preview-05-20", "gemini-3.8-flash"],
		["vertex_ai/gemini-2.0-flash-lite-001", "gemini-2.5-flash-lite"],
		["gemini-3-flash-lite", "gemini-3.5-flash-lite"],
		["mistral-large-latest", "mistral-medium-3-5"],
		["mistralai/mistral-small-2503", "mistral-small-2603"],
		["x-ai/grok-4-0709", "grok-4.3"],
		["grok-5", "grok-4.7"],
		["deepseek-chat", "deepseek-flash"],
		["command-r-plus-08-2024", "command-a-plus-05-2026"],
		["qwen/qwen3.6-plus", "qwen3.7-plus"],
		["z-ai/glm-4.6", "glm-5.2"],
		["glm-4.5-air", "glm-5.2"],
		["moonshotai/kimi-k2.5", "kimi-k2.6"],
		["kimi-k2-0905-preview", "kimi-k2.6"],
		["kimi-k2-thinking-turbo", "kimi-k2.6"],
		["kimi-latest", "kimi-k2.6"],
		["deepseek-v3.2-exp", "deepseek-flash"],
		["deepseek/deepseek-r1-0528", "deepseek-flash"],
		["deepseek-v4-flash", "deepseek-flash"],
		["grok-4-1-fast-non-reasoning", "grok-4.3"],
		["grok-code-fast-1", "grok-4.3"],
		["grok-3-mini-fast-beta", "grok-4.3"],
		["gemini-2.0-flash-thinking-exp-01-21", "gemini-3.8-flash"],
	])("has its stand-in: %s", (id, model) => {
		expect(found(id)).toBe(model);
	});

	it("never has a hyper-frontier model for one", () => {
		for (const { brand, families } of aliasesFile.brands)
			for (const { id } of families.flatMap(({ models }) => models))
				expect(CATALOG.findModel(id)?.hyper_frontier, `${brand}: ${id}`).toBe(false);
	});

	it("is the model's own in any spelling, and behind its provider", () => {
		for (const { id, provider, upstream_model } of CATALOG.models)
			for (const spelling of [
				id.toUpperCase(),
				id.replaceAll(/(?<=\d)-(?=\d)/g, "."),
				`${provider}/${id}`,
				upstream_model,
			])
				expect(findExactModel(spelling, CATALOG)?.id, spelling).toBe(id);
		for (const [id, model] of [
			["anthropic/claude-opus-5.5", "claude-opus-5-5"],
			["openai/gpt-6-astra", "gpt-6-astra"],
			["groq/openai/gpt-oss-120b", "gpt-oss-120b"],
			["meta-llama/llama-3.2-3b-instruct", "llama-3.2-3b-instruct"],
			["moonshotai/kimi-k3", "kimi-k3"],
		] as const)
			expect(findExactModel(id, CATALOG)?.id).toBe(model);
		expect(findExactModel("gpt-4o", CATALOG)).toBeNull();
	});

	it("is itself where the catalog has it", () => {
		for (const { id } of CATALOG.models) {
			expect(found(id)).toBe(id);
			expect(found(`${id}[1m]`)).toBe(id);
		}
	});

	it.each([
		"nope",
		"",
		"auto",
		"claude",
		"claude-2.1",
		"gpt-image-1",
		"gpt-4o-audio-preview",
		"gpt-4o-mini-transcribe",
		"gpt-oss-20b",
		"gpt-1-2-3",
		"o3-deep-research",
		"openai/claude-opus-5-5",
		"openai/",
		"/gpt-6-sol",
		"constructor/gpt-6-sol",
		"openai/openai/gpt-6-sol",
		"gemini-2.5-flash-preview-tts",
		"mistral-nemo",
		"codex-auto-review",
		"text-embedding-3-small",
		"__proto__",
		"gpt-".repeat(1_000),
	])("has none where no family is its own: %s", (id) => {
		expect(found(id)).toBeNull();
	});
});
