// The order in which a conversation's calls take a provider's keys.
import { describe, expect, it } from "vitest";
import { type ProviderKey, parseProviderKeys } from "../../../src/catalog/provider-keys.ts";
import { modelKeys, rankKeys } from "../../../src/providers/model-keys.ts";

const CONVERSATIONS = Array.from({ length: 4_000 }, (_, index) => `conversation ${index}`);

function keysOf(...entries: Record<string, unknown>[]): readonly ProviderKey[] {
	return parseProviderKeys(JSON.stringify(entries)).keys ?? [];
}

const A = { name: "a", key: "secret-a", weight: 1 };
const B = { name: "b", key: "secret-b", weight: 5 };
const C = { name: "c", key: "secret-c", weight: 4 };

/** The names of the keys in the order in which each conversation takes them. */
function ordersOf(keys: readonly ProviderKey[], model = "m"): string[][] {
	return CONVERSATIONS.map((name) => rankKeys(keys, () => name, model).map((key) => key.name));
}

const firstOf = (orders: string[][]) => orders.map(([first]) => first);

function shareOf(name: string, firsts: (string | undefined)[]): number {
	return firsts.filter((first) => first === name).length / firsts.length;
}

describe("the keys of a model", () => {
	it("are first for shares of the conversations by their weights", () => {
		const firsts = firstOf(ordersOf(keysOf(A, B, C)));
		for (const { name, weight } of [A, B, C]) expect(shareOf(name, firsts)).toBeCloseTo(weight / 10, 1);
	});

	it("take over the conversations of one that is left alone by their own weights", () => {
		const orders = ordersOf(keysOf(A, B, C));
		const seconds = orders.filter(([first]) => first === "b").map(([, second]) => second);
		expect(shareOf("a", seconds)).toBeCloseTo(1 / 5, 1);
		expect(shareOf("c", seconds)).toBeCloseTo(4 / 5, 1);
	});

	it("keep the conversations that another one neither gains nor had", () => {
		const three = firstOf(ordersOf(keysOf(A, B, C)));
		const two = firstOf(ordersOf(keysOf(A, C)));
		expect(two).toEqual(ordersOf(keysOf(A, B, C)).map((order) => order.find((name) => name !== "b")));
		expect(three.filter((first, index) => first !== "b" && first !== two[index])).toEqual([]);
	});

	it("stay the same in another order of the list, and for a key that was replaced under its name", () => {
		const orders = ordersOf(keysOf(A, B, C));
		expect(ordersOf(keysOf(C, A, B))).toEqual(orders);
		expect(ordersOf(keysOf(A, { ...B, key: "secret-new" }, C))).toEqual(orders);
	});

	it("are drawn for each model anew", () => {
		const keys = keysOf(A, B, C);
		expect(ordersOf(keys, "m")).not.toEqual(ordersOf(keys, "n"));
	});

	it("are those whose globs have it, and the sole one", () => {
		const keys = keysOf({ ...A, models: ["gpt-*"] }, { ...B, models: ["gpt-5", "o3"] }, C);
		const namesFor = (id: string) => modelKeys({ keys: keys as [ProviderKey] }, { id }).map(({ name }) => name);
		expect(namesFor("gpt-5")).toEqual(["a", "b", "c"]);
		expect(namesFor("gpt-6")).toEqual(["a", "c"]);
		expect(namesFor("o3")).toEqual(["b", "c"]);
	});

	it("ask for no conversation where there is no choice", () => {
		const refuse = () => {
			throw new Error("asked");
		};
		expect(rankKeys(keysOf(A), refuse, "m")).toHaveLength(1);
	});
});
