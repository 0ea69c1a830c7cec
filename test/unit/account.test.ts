// Keys, plans and rolling limits as pure functions.
import { createHmac, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apiKeyDigest, generateApiKey, isWellFormedApiKey } from "../../src/account/api-key.ts";
import { allowlistOf, PLANS } from "../../src/account/plans.ts";
import { DAY_MINUTES, DayWindow, MINUTE_MS, MinuteWindow, minuteOf } from "../../src/account/rolling-window.ts";
import { UsageTotals } from "../../src/account/usage.ts";
import { TEST_CATALOG } from "../support/catalog.ts";

const newKey = () => generateApiKey((count) => randomBytes(count));

describe("an API key", () => {
	it("is svc_sk_, 40 random and 6 checksum characters of base62", () => {
		const keys = Array.from({ length: 200 }, newKey);
		for (const key of keys) expect(key).toMatch(/^svc_sk_[0-9A-Za-z]{46}$/);
		expect(new Set(keys).size).toBe(200);
		expect(keys.every(isWellFormedApiKey)).toBe(true);
	});

	it("carries the CRC-32 that zlib computes", () => {
		const key = newKey();
		const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
		const checksum = [...key.slice(-6)].reduce((sum, char) => sum * 62 + digits.indexOf(char), 0);
		expect(checksum).toBe(crc32(key.slice(7, 47)));
	});

	it("is malformed after any single character is changed, cut or added", () => {
		const key = newKey();
		for (let i = 0; i < key.length; i++) {
			const other = key[i] === "a" ? "b" : "a";
			expect(isWellFormedApiKey(key.slice(0, i) + other + key.slice(i + 1)), `at ${i}`).toBe(false);
			expect(isWellFormedApiKey(key.slice(0, i) + key.slice(i + 1))).toBe(false);
		}
		expect(isWellFormedApiKey(`${key}0`)).toBe(false);
		expect(isWellFormedApiKey(`${key}\n`)).toBe(false);
	});

	it("uses all characters alike", () => {
		const counts = new Map<string, number>();
		for (let i = 0; i < 500; i++)
			for (const char of newKey().slice(7, 47)) counts.set(char, (counts.get(char) ?? 0) + 1);
		// 20,000 draws over 62 characters: mean 323, standard deviation 18.
		for (const count of counts.values()) expect(Math.abs(count - 20_000 / 62)).toBeLessThan(6 * 18);
		expect(counts.size).toBe(62);
	});

	it("is stored as HMAC-SHA-256 under the pepper", () => {
		const key = newKey();
		expect(apiKeyDigest("pepper", key)).toBe(createHmac("sha256", "pepper").update(key).digest("hex"));
	});
});

describe("the plans", () => {
	it("have the limits of the specification", () => {
		const rows = Object.values(PLANS).map(({ id, priceUsdMonth, dailyRequests, rpm }) => [
			id,
			priceUsdMonth,
			dailyRequests,
			rpm,
		]);
		expect(rows).toEqual([
			["free", 0, 1_000, 10],
			["personal", 0, 1_000, 100],
			["pro", 49, 50_000, 300],
			["corporate", 499, null, 1_000],
		]);
	});

	it("let Free call the catalog's free models, and the others all", () => {
		const allowlists = Object.values(PLANS).map((plan) => allowlistOf(plan, TEST_CATALOG));
		expect(allowlists).toEqual([TEST_CATALOG.freeModels, null, null, null]);
	});
});

describe("the minute window", () => {
	it("counts exactly the admissions of the last 60 seconds", () => {
		const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 20_000 }), fc.boolean()), { maxLength: 200 });
		fc.assert(
			fc.property(steps, (moves) => {
				const window = new MinuteWindow();
				const times: number[] = [];
				let now = 1_000_000;
				for (const [step, admit] of moves) {
					now += step;
					if (admit) {
						window.add(now);
						times.push(now);
					}
					const inside = times.filter((time) => time > now - MINUTE_MS);
					expect(window.count(now)).toBe(inside.length);
					expect(window.msUntilSlot(now)).toBe(inside.length === 0 ? 0 : (inside[0] ?? 0) + MINUTE_MS - now);
				}
			}),
		);
	});

	it("has a free slot exactly when it said so", () => {
		const window = new MinuteWindow([1_000, 2_000]);
		const wait = window.msUntilSlot(10_000);
		expect(window.count(10_000 + wait - 1)).toBe(2);
		expect(window.count(10_000 + wait)).toBe(1);
	});
});

describe("the day window", () => {
	it("counts the last 1,440 minute buckets", () => {
		fc.assert(
			fc.property(fc.array(fc.integer({ min: 0, max: 200 * MINUTE_MS }), { maxLength: 100 }), (gaps) => {
				const window = new DayWindow();
				const times: number[] = [];
				let now = 1_800_000_000_000;
				for (const gap of gaps) {
					now += gap;
					window.add(now);
					times.push(now);
					const inside = times.filter((time) => minuteOf(time) > minuteOf(now) - DAY_MINUTES);
					expect(window.count(now)).toBe(inside.length);
				}
			}),
		);
	});

	it("frees its oldest bucket exactly when it said so", () => {
		const now = 1_800_000_012_345;
		const window = new DayWindow([[minuteOf(now) - 100, 7]]);
		const wait = window.msUntilSlot(now);
		expect(window.count(now + wait - 1)).toBe(7);
		expect(window.count(now + wait)).toBe(0);
	});
});

describe("usage totals", () => {
	it("count a request once and each of its model calls", () => {
		const totals = new UsageTotals();
		const call = { model: "m", provider: "p", tokens: 5, input_tokens: 3, cost_nano_usd: 10 };
		const row = {
			request_id: "r",
			user_id: "u",
			created_at: "",
			kind: "chat",
			model: "m",
			provider: "p",
			mode: "direct",
			tokens: 10,
			input_tokens: 6,
			cost_nano_usd: 20,
			estimated: false,
			outcome: "complete",
			latency_ms: 1,
			fallback: false,
			calls: [call, call],
		} as const;
		totals.addRow({ ...row, calls: [...row.calls] });
		expect(totals.total()).toEqual({ requests: 1, tokens: 10, inputTokens: 6, costNanoUsd: 20 });
		expect(totals.by("model")).toEqual({ m: { requests: 2, tokens: 10, cost_usd: 2e-8 } });
		expect(totals.by("mode")).toEqual({ direct: { requests: 1, tokens: 10, cost_usd: 2e-8 } });
	});
});
