// From the form of a key to the request that it stands for.
import { describe, expect, it } from "vitest";
import { toChangedKeyBody, toKeyBody, toLocalTime } from "../../../src/console/key-form.ts";

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
			default_max_tokens: null,
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

	it("says whether texts are kept where it asks", () => {
		expect(bodyOf({ log_texts: "yes" })["log_texts"]).toBe(true);
		expect(bodyOf({ log_texts: "no" })["log_texts"]).toBe(false);
		const changed = toChangedKeyBody(new URLSearchParams({ log_texts: "yes", name: "ci" }), {
			log_texts: "no",
			name: "ci",
		});
		expect(changed).toEqual({ log_texts: true });
	});

	it("forgets the period of a budget that is removed", () => {
		expect(bodyOf({ budget_period: "day" })["budget_period"]).toBeNull();
	});

	it("shows a time as its field wants it", () => {
		expect(toLocalTime("2027-01-02T03:04:00.000Z")).toBe("2027-01-02T03:04");
		expect(toLocalTime(null)).toBe("");
	});
});

describe("a changed key", () => {
	const shown = {
		name: "ci",
		rpm: "10",
		budget_usd: "2",
		budget_period: "day",
		expires_at: "2027-01-02T03:04",
		tags: "a b",
	};
	const change = (fields: Record<string, string>) =>
		toChangedKeyBody(new URLSearchParams({ ...shown, ...fields }), shown);

	it("keeps what the form shows unchanged, to the second of its end", () => {
		expect(change({})).toEqual({});
		expect(change({ name: "nightly" })).toEqual({ name: "nightly" });
	});

	it("names a budget with its period, and removes both together", () => {
		expect(change({ budget_period: "week" })).toEqual({ budget_usd: 2, budget_period: "week" });
		expect(change({ budget_usd: "" })).toEqual({ budget_usd: null, budget_period: null });
	});

	it("clears what was emptied", () => {
		expect(change({ rpm: "", tags: "" })).toEqual({ rpm: null, tags: null });
	});
});
