// Turns: so many at a time, in order, and a failure gives its turn on.
import { describe, expect, it } from "vitest";
import { ConcurrencyLimit } from "../../../src/inference/concurrency-limit.ts";

describe("turns", () => {
	it("let so many work at once, the others in the order they came", async () => {
		const turns = new ConcurrencyLimit(2);
		const begun: number[] = [];
		const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
		const works = gates.map((gate, index) =>
			turns.run(async () => {
				begun.push(index);
				await gate.promise;
			}),
		);
		await Promise.resolve();
		expect(begun).toEqual([0, 1]);
		gates[1]?.resolve();
		await works[1];
		expect(begun).toEqual([0, 1, 2]);
		for (const gate of gates) gate.resolve();
		await Promise.all(works);
		expect(begun).toEqual([0, 1, 2, 3, 4]);
	});

	it("go on after one that throws", async () => {
		const turns = new ConcurrencyLimit(1);
		const failing = turns.run(async () => {
			throw new Error("broken");
		});
		const next = turns.run(async () => "worked");
		await expect(failing).rejects.toThrow("broken");
		expect(await next).toBe("worked");
		expect(await turns.run(async () => "again")).toBe("again");
	});
});
