// Turns: so many at a time, in order, and a failure gives its turn on.
import { describe, expect, it } from "vitest";
import { Turns } from "../../../src/inference/turns.ts";

describe("turns", () => {
	it("let so many work at once, the others in the order they came", async () => {
		const turns = new Turns(2);
		const begun: number[] = [];
		const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
		const works = gates.map((gate, index) =>
			turns.take(async () => {
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
		const turns = new Turns(1);
		const failing = turns.take(async () => {
			throw new Error("broken");
		});
		const next = turns.take(async () => "worked");
		await expect(failing).rejects.toThrow("broken");
		expect(await next).toBe("worked");
		expect(await turns.take(async () => "again")).toBe("again");
	});
});
