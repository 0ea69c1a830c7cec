// Which encoder model a request names, what it may cost, and what of its body is left out.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { droppedWarnings } from "../../../src/encoders/encoder-texts.ts";
import { findEncoder, fitsCost } from "../../../src/encoders/find-encoder.ts";
import type { Failure } from "../../../src/failure.ts";

const named = (asked: string | null, byDefault: { id: string; source: string } | null = null, catalog = CATALOG) =>
	findEncoder({ kind: "embedding", asked, byDefault }, catalog);

describe("the model of a request", () => {
	it("is the named one, and without a name only the default that somebody chose", () => {
		const own = named("mistral-embed");
		expect(own.ok && own.value.named.id).toBe("mistral-embed");
		for (const asked of [null, "auto"]) {
			const byDefault = named(asked, { id: "mistral-embed", source: "X" });
			expect(byDefault.ok && [byDefault.value.named.id, byDefault.value.reason]).toEqual([
				"mistral-embed",
				expect.stringContaining("X"),
			]);
			expect(named(asked)).toMatchObject({
				failure: { issues: [{ path: "model", message: expect.stringMatching(/such as text-embedding-3-small/) }] },
			});
		}
	});

	it("is a mistake of the operator's where the default is of another kind", () => {
		for (const id of ["rerank-v3.5", "gpt-5-nano", "none"])
			expect(() => named(null, { id, source: "X" })).toThrow(/X names no model that is an embedding model/);
	});

	it.each(["rerank-v3.5", "gpt-5-nano", null])(
		"is told what is needed in place of %s, where none is listed, too",
		(asked) => {
			const hidden = CATALOG.encoders.map((model) => ({ ...model, hidden: true as const }));
			const catalog = Object.assign(Object.create(CATALOG), { encoders: hidden });
			for (const [from, such] of [
				[CATALOG, "text-embedding-3-small"],
				[catalog, "one of your catalog"],
			] as const)
				expect(named(asked, null, from)).toMatchObject({
					failure: { issues: [{ message: expect.stringContaining(`such as ${such}`) }] },
				});
		},
	);
});

describe("costs of a request", () => {
	const limit = (nanoUsd: number) => ({
		nanoUsd,
		refuse: () => ({ reason: "not_found", message: String(nanoUsd) }) as unknown as Failure,
	});

	it("fit where they are no more than the least of its limits, which is the one that is told", () => {
		expect(fitsCost(5, [])).toBeNull();
		expect(fitsCost(5, [limit(9), limit(5)])).toBeNull();
		expect(fitsCost(6, [limit(9), limit(5)])).toMatchObject({ message: "5" });
		expect(fitsCost(10, [limit(9), limit(5)])).toMatchObject({ message: "5" });
	});
});

it("members that an endpoint does not know are told, however many there are, in few warnings", () => {
	const body = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`x${index}`, 1]));
	expect(droppedWarnings({ ...body, known: 1, absent: null }, { known: 1 })).toHaveLength(51);
	expect(droppedWarnings({ known: 1, absent: null, x: 1 }, { known: 1 })).toMatchObject([{ param: "x" }]);
});
