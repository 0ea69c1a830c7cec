import { describe, expect, it } from "vitest";
import { isKeyFor, parseProviderKeys } from "../../../src/catalog/provider-keys.ts";

const SECRET = "sk-secret-value";

function faultsOf(list: unknown): string[] {
	const { keys, faults = [] } = parseProviderKeys(JSON.stringify(list));
	expect(keys).toBeUndefined();
	return faults;
}

describe("the keys of a provider", () => {
	it("are one where the value is no list", () => {
		const { keys, faults } = parseProviderKeys(SECRET);
		expect(faults).toBeUndefined();
		expect(keys).toMatchObject([{ name: "", secret: SECRET, weight: 1, models: ["*"], account: "" }]);
	});

	it("have names, weights, models and accounts of their own or the usual ones", () => {
		const list = [
			{ key: "a" },
			{ name: "eu", key: "b", weight: 2.5, models: ["apex-*"], account: "main" },
			{ name: "us", key: "c" },
		];
		expect(parseProviderKeys(JSON.stringify(list)).keys).toMatchObject([
			{ name: "key-1", secret: "a", weight: 1, models: ["*"] },
			{ name: "eu", secret: "b", weight: 2.5, models: ["apex-*"], account: "main" },
			{ name: "us", secret: "c", account: "us" },
		]);
	});

	it("without a name keep their account when others before them are taken out", () => {
		const accountsOf = (keys: string[]) => {
			const parsed = parseProviderKeys(JSON.stringify(keys.map((key) => ({ key })))).keys ?? [];
			return new Map(parsed.map(({ secret, account }) => [secret, account]));
		};
		const before = accountsOf(["a", "b"]);
		const after = accountsOf(["b", "c"]);
		expect(after.get("b")).toBe(before.get("b"));
		expect(new Set([...before.values(), ...after.values()]).size).toBe(3);
	});

	it("are for the models that their globs match", () => {
		const apex = { models: ["apex-*", "other"] };
		expect(isKeyFor(apex, { id: "apex-1" })).toBe(true);
		expect(isKeyFor(apex, { id: "other" })).toBe(true);
		expect(isKeyFor(apex, { id: "others" })).toBe(false);
	});

	it.each([
		["no list", "[", [" must be one key, or a JSON list of keys"]],
		["an object", '{"key": "a"}', [" must be one key, or a JSON list of keys"]],
		["an empty one", "[]", [" must have at least one key"]],
	])("are refused as %s", (_, text, faults) => {
		expect(parseProviderKeys(text)).toEqual({ faults });
	});

	it.each([
		[[{ name: "a" }], "[0].key is required, and a text"],
		[[{ key: "a b" }], "[0].key must be ASCII characters without spaces"],
		[[{ key: "" }], "[0].key must be ASCII characters without spaces"],
		[[{ key: "a" }, { key: "b", weight: 0 }], "[1].weight must be a number above 0"],
		[[{ key: "a", weight: "2" }], "[0].weight must be a number above 0"],
		[[{ key: "a", models: [] }], "[0].models must name at least one model"],
		[[{ key: "a", models: "m" }], "[0].models must be a list of ids of models"],
		[[{ key: "a", name: "no spaces" }], "[0].name must be 1 to 32 letters"],
		[["a"], "[0] must be an object of name, key, weight, models and account"],
		[[{ key: "a", secret: "b" }], "[0] has a member other than name, key, weight, models and account"],
		[
			[
				{ key: "a", name: "x" },
				{ key: "b", name: "x" },
			],
			"[1].name is that of another key",
		],
		[
			[
				{ key: "a", name: "x" },
				{ key: "a", name: "y" },
			],
			"[1].key stands in the list already",
		],
	])("name the member that is wrong: %j", (list, fault) => {
		expect(faultsOf(list)).toEqual([expect.stringContaining(fault)]);
	});

	it("never say a value of a wrong list", () => {
		const wrong = [
			[{ key: `${SECRET} ` }],
			[{ name: SECRET, key: SECRET }],
			[{ [SECRET]: 1, key: "a" }],
			[SECRET],
			[{ name: `${SECRET}!`, key: "a" }],
			[{ key: "a", account: SECRET.repeat(9) }],
			[{ key: SECRET }, { key: SECRET }],
		];
		for (const list of wrong) {
			const faults = faultsOf(list);
			expect(faults.length).toBeGreaterThan(0);
			expect(faults.join()).not.toContain(SECRET);
		}
	});
});
