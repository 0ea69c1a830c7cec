// Every row of the corpus is decided as it says.
import { describe, expect, it } from "vitest";
import { checkRow, readPolicyCorpus } from "../../support/policy-corpus.ts";

const corpus = readPolicyCorpus();

describe("the corpus of policy decisions", () => {
	it.each([...corpus])("%s is decided as its rows say", (_, rows) => {
		const misses = rows.map(checkRow).filter((miss) => miss !== null);
		expect(misses.length, `${misses.length} of ${rows.length} rows:\n\n${misses.join("\n\n")}\n`).toBe(0);
	});

	it("says each thing once", () => {
		const places = new Map<string, string>();
		const doubles = [...corpus.values()].flat().flatMap((row) => {
			const key = JSON.stringify([row.commands, row.manifest]);
			const earlier = places.get(key);
			places.set(key, row.place);
			return earlier === undefined ? [] : [`${row.place} is ${earlier}`];
		});
		expect(doubles).toEqual([]);
	});
});
