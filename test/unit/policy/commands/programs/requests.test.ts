import { describe, expect, it } from "vitest";
import { findMethodEffects } from "../../../../../src/policy/commands/programs/requests.ts";

const isForbidden = (method: string, ...words: string[]) => findMethodEffects(method, words).length > 0;

describe("a request that deletes", () => {
	it.each([
		["https://api.example.com/items/1"],
		["api.example.com/items/1"],
		["http://localhost.example.com/x"],
		["http://localhost@example.com/x"],
		["http://127.0.0.1.example.com/"],
		["http://localhost:3000/", "https://example.com/"],
		["$URL"],
		["http://localhost:9200/orders"],
		["localhost:15672/api/queues/q"],
		[":8500/v1/kv/a"],
	])("is forbidden: %s %s", (...words) => {
		expect(isForbidden("DELETE", ...words.filter((word) => word !== undefined))).toBe(true);
	});

	it.each(["http://localhost:8080/items/1", "localhost:3000/i", "http://127.0.0.1/x", "http://[::1]:80/", ":3000/x"])(
		"may reach this machine: %s",
		(word) => {
			expect(isForbidden("delete", word)).toBe(false);
		},
	);

	it("is not confused with one of another method", () => {
		expect(isForbidden("GET", "https://api.example.com/items/1")).toBe(false);
	});
});
