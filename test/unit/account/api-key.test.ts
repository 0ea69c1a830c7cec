// API keys: their form, their checksum, how they are stored.
import { createHmac, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { apiKeyDigest, generateApiKey, isWellFormedApiKey } from "../../../src/account/api-key.ts";

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
