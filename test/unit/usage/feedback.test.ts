// How long feedback can be changed.
import { expect, it } from "vitest";
import { changeableUntil, latestClosedAt, saysTheSame } from "../../../src/usage/feedback.ts";

it("is open until a day after it was first given, and closed from then on", () => {
	const createdAt = "2026-11-22T10:00:00.000Z";
	const until = changeableUntil({ created_at: createdAt });
	expect(until).toBe("2026-11-23T10:00:00.000Z");
	expect(createdAt > latestClosedAt(Date.parse(until) - 1)).toBe(true);
	expect(createdAt > latestClosedAt(Date.parse(until))).toBe(false);
});

it("says the same with the same score and reason only", () => {
	const bad = { score: -1, reason: "wrong" };
	expect(saysTheSame(bad, { ...bad })).toBe(true);
	expect(saysTheSame(bad, { score: 1, reason: "wrong" })).toBe(false);
	expect(saysTheSame(bad, { score: -1, reason: null })).toBe(false);
});
