// What a failed call means for the next one: the failover table.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { toConsequence } from "../../../src/inference/failover.ts";
import { type CallFailure, type LostReason, NO_PARTIAL_ANSWER } from "../../../src/providers/call-failure.ts";

describe("the failover table", () => {
	const [model] = CATALOG.models;
	if (!model) throw new Error("the catalog is empty");
	const consequenceOf = (failure: CallFailure) => toConsequence(model, failure);
	const status = (code: number, error: string | null = null, retryAfterMs: number | null = null, message = "m") =>
		consequenceOf({
			kind: "status",
			status: code,
			error: error === null ? null : { message, code: error },
			retryAfterMs,
		});
	const lost = (why: LostReason) =>
		consequenceOf({ kind: "lost", why, sent: true, partial: NO_PARTIAL_ANSWER, error: null });
	const NOTHING = { operatorsFault: false, isUnserved: false, isKeys: false, counts: false, retryAfterMs: null };

	it.each([408, 500, 502, 503, 504, 520, 524, 529])("tries once more and then anyone else after status %s", (code) => {
		expect(status(code)).toEqual({ ...NOTHING, next: "anyone", counts: true, retryAfterMs: 200 });
	});

	it("tries a throttled model once more if the wait is at most two seconds, and never holds it against the provider", () => {
		expect(status(429, null, 1_500)).toEqual({ ...NOTHING, next: "anyone", isKeys: true, retryAfterMs: 1_500 });
		expect(status(429, null, 2_001)).toMatchObject({ counts: false, retryAfterMs: null });
		expect(status(429)).toMatchObject({ next: "anyone", counts: false, retryAfterMs: null });
		expect(status(503, null, 60_000).retryAfterMs).toBeNull();
	});

	it.each([525, 526])("does not try the same provider after status %s", (code) => {
		expect(status(code)).toEqual({ ...NOTHING, next: "elsewhere", counts: true });
	});

	it("shuts a provider off for a wrong key and an empty account, whatever the status", () => {
		for (const consequence of [
			status(401),
			status(402),
			status(403, "permission_error"),
			status(429, "insufficient_quota", 1_000),
			status(400, "invalid_api_key"),
		]) {
			expect(consequence).toEqual({
				...NOTHING,
				next: "elsewhere",
				operatorsFault: true,
				isKeys: true,
				counts: true,
			});
		}
		expect(status(404)).toEqual({ ...NOTHING, next: "elsewhere", operatorsFault: true, counts: true });
	});

	it("goes on to anyone, and counts nothing, where the provider does not serve the model", () => {
		for (const consequence of [
			status(404, "model_not_found"),
			status(404, "not_found_error", null, `model: ${model.upstream_model}`),
			status(403, "forbidden", null, `no access to ${model.id}`),
			status(400, "model_decommissioned"),
			status(429, "1311", null, `Your plan does not include access to ${model.id}`),
		]) {
			expect(consequence).toEqual({ ...NOTHING, next: "anyone", isUnserved: true, isKeys: true });
		}
	});

	it.each([400, 403, 409, 413, 415, 422])("ends with status %s, which is the caller's", (code) => {
		expect(status(code)).toMatchObject({ next: "end", counts: false, retryAfterMs: null });
	});

	it("counts what the provider did, and nothing that a prompt can cause", () => {
		const reasons: LostReason[] = [
			"no_head",
			"head_timeout",
			"timeout",
			"out_of_time",
			"cut",
			"reported",
			"empty",
			"unusable",
			"too_large",
		];
		expect(reasons.filter((why) => lost(why).counts)).toEqual(["no_head", "head_timeout"]);
		expect(reasons.every((why) => lost(why).next === "anyone")).toBe(true);
		expect(reasons.filter((why) => lost(why).retryAfterMs !== null)).toEqual(["no_head"]);
	});

	it("ends with a client that left", () => {
		expect(consequenceOf({ kind: "client_closed", sent: true, partial: NO_PARTIAL_ANSWER })).toMatchObject({
			next: "end",
			counts: false,
		});
	});
});
