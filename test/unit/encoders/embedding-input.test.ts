// How many vectors a request may ask for: as many as its answer can hold.
import { expect, it } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { findEmbeddingFaults, maxNumbers } from "../../../src/encoders/embedding-input.ts";

const MODEL = requireEncoder("text-embedding-3-small");

function requireEncoder(id: string) {
	const model = CATALOG.findEncoder(id);
	if (!model) throw new Error(`the catalog has no ${id}`);
	return model;
}

function faults(inputs: number, format: "float" | "base64", model = MODEL): string[] {
	const asked = { inputs: Array.from({ length: inputs }, () => "a"), isList: true };
	return findEmbeddingFaults(asked, { dimensions: null, format }, model).map(({ message }) => message);
}

it("an answer holds 16 MiB of numbers in the form that is asked for, and no vector more", () => {
	const most = Math.floor(maxNumbers("float") / 1_536);
	expect(faults(most, "float")).toEqual([]);
	expect(faults(most + 1, "float")).toEqual([expect.stringMatching(/456 vectors of 1536 numbers .*ask for base64/)]);
	expect(faults(2_048, "base64")).toEqual([]);
});

it("a model whose row names no length is taken to make long vectors, and the refusal says so", () => {
	const { dimensions: _, ...unknown } = MODEL;
	const most = Math.floor(maxNumbers("base64") / 4_096);
	expect(faults(most, "base64", unknown)).toEqual([]);
	expect(faults(most + 1, "base64", unknown)).toEqual([expect.stringMatching(/up to 4096 .*the catalog does not say/)]);
});
