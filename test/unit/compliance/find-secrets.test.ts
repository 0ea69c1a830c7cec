// Secrets in JSON values: where they are and of what kind, never what they are.
import { describe, expect, it } from "vitest";
import { secretSpans } from "../../../src/compliance/detect.ts";
import { findSecrets } from "../../../src/compliance/find-secrets.ts";

const PASSWORD = "Zu8kQ0p!x92Lw";
const KEY = `sk-ant-api03-${"Zu8kQ0px92Lw".repeat(4)}`;

const find = (value: unknown) => findSecrets(value, secretSpans);

describe("the secrets of a value", () => {
	it.each<[string, unknown, (string | number)[], number]>([
		["in a text", { a: { b: [`log in, password: ${PASSWORD}`] } }, ["a", "b", 0], 18],
		["behind its name", { password: PASSWORD }, ["password"], 0],
		["in a list behind its name", { DB_PASSWORD: ["x", PASSWORD] }, ["DB_PASSWORD", 1], 0],
		["beside its name", [{ name: "DB_PASSWORD", value: PASSWORD }], [0, "value"], 0],
	])("are found %s", (_, value, path, start) => {
		expect(find(value)).toContainEqual({ path, start, kind: expect.any(String) });
	});

	it("are not shown, not even by a path through a name that is one", () => {
		const found = find({ [KEY]: { token: KEY, other: [KEY] } });
		expect(found.map(({ path }) => path.length)).toEqual([1, 2, 3]);
		expect(JSON.stringify(found)).not.toContain(KEY.slice(8, 40));
	});

	it("are none in ordinary values", () => {
		expect(find({ model: "auto", max_cost: 0.5, blocked: ["openai"], password_policy: null, on: true })).toEqual([]);
	});
});
