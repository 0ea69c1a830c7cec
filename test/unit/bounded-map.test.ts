import { describe, expect, it } from "vitest";
import { BoundedMap } from "../../src/bounded-map.ts";

describe("a bounded map", () => {
	it("drops the oldest entry when it is full", () => {
		const map = new BoundedMap<string, number>(2).set("a", 1).set("b", 2).set("c", 3);
		expect([...map]).toEqual([
			["b", 2],
			["c", 3],
		]);
	});

	it("keeps what was set again, as the newest", () => {
		const map = new BoundedMap<string, number>(2).set("a", 1).set("b", 2).set("a", 3).set("c", 4);
		expect([...map.keys()]).toEqual(["a", "c"]);
	});

	it("drops nothing when a key of a full map is set again", () => {
		const map = new BoundedMap<string, number>(2).set("a", 1).set("b", 2).set("b", 3);
		expect([...map.keys()]).toEqual(["a", "b"]);
	});
});
