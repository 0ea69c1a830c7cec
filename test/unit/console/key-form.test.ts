// From the form of a key to the request that it stands for.
import { describe, expect, it } from "vitest";
import { toKeyBody, toLocalTime } from "../../../src/console/key-form.ts";

function bodyOf(fields: Record<string, string>) {
	return toKeyBody(new URLSearchParams(fields));
}

describe("the form of a key", () => {
	it("names every option, and clears what is empty", () => {
		expect(bodyOf({})).toEqual({
			name: null,
			alert_webhook: null,
			rpm: null,
			daily_requests: null,
			budget_usd: null,
			budget_period: null,
			expires_at: null,
			models: null,
			tags: null,
			brain_config: null,
		});
	});

	it("reads numbers, lists, times and JSON", () => {
		expect(
			bodyOf({
				rpm: "10",
				budget_usd: "2.5",
				budget_period: "month",
				models: " gpt-*, budget\n mid ",
				tags: "team:a",
				expires_at: "2027-01-02T03:04",
				brain_config: '{"blocked":["x"]}',
				role: "agent",
			}),
		).toMatchObject({
			rpm: 10,
			budget_usd: 2.5,
			budget_period: "month",
			models: ["gpt-*", "budget", "mid"],
			tags: ["team:a"],
			expires_at: "2027-01-02T03:04:00Z",
			brain_config: { blocked: ["x"] },
			role: "agent",
		});
	});

	it("leaves to the API what is no number, no time and no JSON", () => {
		expect(bodyOf({ rpm: "ten", expires_at: "tomorrow", brain_config: "{" })).toMatchObject({
			rpm: "ten",
			expires_at: "tomorrow",
			brain_config: "{",
		});
	});

	it("forgets the period of a budget that is removed", () => {
		expect(bodyOf({ budget_period: "day" })["budget_period"]).toBeNull();
	});

	it("shows a time as its field wants it", () => {
		expect(toLocalTime("2027-01-02T03:04:00.000Z")).toBe("2027-01-02T03:04");
		expect(toLocalTime(null)).toBe("");
	});
});
