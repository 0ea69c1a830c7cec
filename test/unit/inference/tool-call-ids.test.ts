// Ids of tool calls: short, in letters that everybody takes, naming their model, and in each provider's own form on the way back.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { markedCallId, modelsByMark, readCallId } from "../../../src/inference/tool-call-ids.ts";
import { ANTHROPIC_IDS, callIdFor, MISTRAL_IDS, OPENAI_IDS } from "../../../src/providers/call-ids.ts";

const anyId = fc.string({ minLength: 1, maxLength: 300, unit: "binary" });
const anyModel = fc.constantFrom(...CATALOG.models.map(({ id }) => id));

describe("a tool call's id", () => {
	it("is at most 40 letters, digits, - and _, and says which model called, whatever the provider named it", () => {
		fc.assert(
			fc.property(anyId, anyModel, (id, model) => {
				const marked = markedCallId(id, model);
				expect(marked).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
				expect(readCallId(marked, CATALOG).modelId).toBe(model);
			}),
		);
	});

	it("keeps the provider's own id where it is short enough", () => {
		const own = "call_abc-DEF_123";
		const marked = markedCallId(own, CATALOG.models[0]?.id ?? "");
		expect(readCallId(marked, CATALOG).id).toBe(own);
	});

	it("of other origin is left alone", () => {
		for (const id of ["call_1", "toolu_01AbC", "x-m", "call_1-mzzzz", "functions.f:0"]) {
			expect(readCallId(id, CATALOG)).toEqual({ id, modelId: null });
		}
	});

	it("has a mark of its own for every model of the catalog", () => {
		expect(modelsByMark(CATALOG).size).toBe(CATALOG.models.length);
	});
});

describe("an id on its way to a provider", () => {
	it.each([
		["OpenAI", OPENAI_IDS, /^[A-Za-z0-9_-]{1,40}$/],
		["Mistral", MISTRAL_IDS, /^[A-Za-z0-9]{9}$/],
		["Anthropic", ANTHROPIC_IDS, /^[A-Za-z0-9_-]{1,64}$/],
	] as const)("follows %s's rule, alike in call and result, and keeps apart what was apart", (_, rule, pattern) => {
		fc.assert(
			fc.property(anyId, anyId, (a, b) => {
				expect(callIdFor(a, rule)).toMatch(pattern);
				expect(callIdFor(a, rule)).toBe(callIdFor(a, rule));
				if (a !== b) expect(callIdFor(a, rule)).not.toBe(callIdFor(b, rule));
			}),
		);
	});
});
