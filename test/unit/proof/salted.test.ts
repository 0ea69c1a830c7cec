// Salted hashes and salts, against node:crypto as docs/proofs.md words them.
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../src/proof/canonical.ts";
import { hashText } from "../../../src/proof/hash.ts";
import { hashSalted, hashSaltedLong, receiptSalt, SALT_FORM, textHash } from "../../../src/proof/salted.ts";

const SALT = "000102030405060708090a0b0c0d0e0f";

function secondHash(salt: string, text: string): string {
	const parts = [Buffer.from("svc.salted.v2\0"), Buffer.from(salt, "hex"), Buffer.from(text, "utf8")];
	return `sha256:${createHash("sha256").update(Buffer.concat(parts)).digest("hex")}`;
}

describe("a salted hash", () => {
	it("is that of a second implementation, for any salt and text, long or short", async () => {
		const salts = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString("hex"));
		const texts = fc.tuple(fc.string({ unit: "grapheme" }), fc.constantFrom(1, 3_000));
		await fc.assert(
			fc.asyncProperty(salts, texts, async (salt, [piece, times]) => {
				const text = piece.toWellFormed().repeat(times);
				const expected = secondHash(salt, text);
				expect(hashSalted(salt, text)).toBe(expected);
				expect(await hashSaltedLong(salt, text)).toBe(expected);
				expect(await hashSaltedLong(salt, new TextEncoder().encode(text))).toBe(expected);
			}),
			{ numRuns: 60 },
		);
	});

	it("is what docs/proofs.md gives to test an implementation with, and so is a salt", () => {
		const input = canonicalJson({ type: "svc.input.v1", messages: [{ role: "user", content: "Say hello" }] });
		const page = readFileSync(join(import.meta.dirname, "../../../src/docs/proofs.md"), "utf8");
		const salt = receiptSalt(new Uint8Array(32).fill(7), "svc-01ARZ3NDEKTSV4RRFFQ69G5FAV");
		for (const shown of [hashSalted(SALT, "yes"), hashSalted(SALT, input), salt])
			expect(page).toContain(`  = ${shown}`);
	});

	it("differs by salt and from the bare hash; without a salt, it is the bare hash", () => {
		expect(hashSalted(SALT, "yes")).not.toBe(hashText("yes"));
		expect(hashSalted(SALT, "yes")).not.toBe(hashSalted(SALT.replace("0", "1"), "yes"));
		expect(textHash(undefined)("yes")).toBe(hashText("yes"));
		expect(textHash(SALT)("yes")).toBe(hashSalted(SALT, "yes"));
	});
});

describe("a salt", () => {
	it("is the first 16 bytes of an HMAC of the data key over the request's id", () => {
		const key = new Uint8Array(32).fill(7);
		const mac = createHmac("sha256", key).update(Buffer.from("svc.receipt-salt.v1\0svc-1")).digest("hex");
		expect(receiptSalt(key, "svc-1")).toBe(mac.slice(0, 32));
		expect(receiptSalt(key, "svc-1")).toMatch(SALT_FORM);
		expect(receiptSalt(key, "svc-2")).not.toBe(receiptSalt(key, "svc-1"));
	});
});
