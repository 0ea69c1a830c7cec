// Ids that clients of the providers ask for, and the catalog's model that stands for each.
import { describe, expect, it } from "vitest";
import aliasesFile from "../../../src/catalog/aliases.json" with { type: "json" };
import { findModelOrAlias } from "../../../src/catalog/aliases.ts";
import { aliasesFileSchema } from "../../../src/catalog/schema.ts";
import { CATALOG } from "../../../src/catalog/shipped.ts";

const found = (id: string) => findModelOrAlias(id, CATALOG)?.id ?? null;

describe("the table of families", () => {
	it("is valid, names models of the catalog alone, and each family once", () => {
		const { brands } = aliasesFileSchema.parse(aliasesFile);
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
		["claude-fable-5-20260609", "claude-fable-5"],
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
		["gpt-5-pro-2025-10-06", "gpt-6-astra"],
		["gpt-6.2-sol", "gpt-6-sol"],
		["GPT-6-Astra", "gpt-6-astra"],
		["codex-mini-latest", "gpt-5.4-mini"],
		["chatgpt-4o-latest", "gpt-6-sol"],
		["o3-mini", "gpt-5.4-mini"],
		["o3-2025-04-16", "gpt-6-sol"],
	])("has its stand-in: %s", (id, model) => {
		expect(found(id)).toBe(model);
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
		"codex-auto-review",
		"text-embedding-3-small",
		"__proto__",
		"gpt-".repeat(1_000),
	])("has none where no family is its own: %s", (id) => {
		expect(found(id)).toBeNull();
	});
});
