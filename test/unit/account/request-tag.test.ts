// Ids that lead to a user's meter, and nobody else anywhere.
import { createHmac, randomBytes } from "node:crypto";
import fc from "fast-check";
import { decodeTime, isValid, ulid } from "ulid";
import { describe, expect, it } from "vitest";
import { decodeRequestId, deriveTagKey, encodeRequestId } from "../../../src/account/request-tag.ts";

const key = deriveTagKey("a pepper of sixteen characters");
const anyNumber = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const anyTime = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const fiveBytes = fc.uint8Array({ minLength: 5, maxLength: 5 });

describe("a request id", () => {
	it("is a ULID of its time that says whose it is, to who has the key", () => {
		fc.assert(
			fc.property(anyNumber, anyTime, fiveBytes, (userNumber, atMs, random) => {
				const id = encodeRequestId(key, userNumber, atMs, random);
				expect(id).toMatch(/^svc-[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
				expect(isValid(id.slice(4))).toBe(true);
				expect(decodeTime(id.slice(4))).toBe(atMs);
				expect(decodeRequestId(key, id)).toEqual({ atMs, userNumber });
			}),
		);
	});

	it("of a run leads to its user as one of a request does", () => {
		fc.assert(
			fc.property(anyNumber, anyTime, fiveBytes, (userNumber, atMs, random) => {
				const id = encodeRequestId(key, userNumber, atMs, random, "agt_");
				expect(id).toBe(encodeRequestId(key, userNumber, atMs, random).replace("svc-", "agt_"));
				expect(decodeRequestId(key, id)).toEqual({ atMs, userNumber });
			}),
		);
	});

	it("has the tag that its first lines describe", () => {
		const id = encodeRequestId(key, 7, 1_800_000_000_000, Uint8Array.of(1, 2, 3, 4, 5));
		const tagKey = createHmac("sha256", "a pepper of sixteen characters").update("svc.request-tag.v1").digest();
		const time = Buffer.alloc(6);
		time.writeUIntBE(1_800_000_000_000, 0, 6);
		const pad = createHmac("sha256", tagKey)
			.update(time)
			.update(Buffer.from([1, 2, 3, 4, 5]))
			.digest();
		const tag = Buffer.from([0, 0, 0, 7, 0]).map((byte, i) => byte ^ (pad[i] ?? 0));
		const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
		const spelled = [...id.slice(-8)].reduce((value, digit) => value * 32 + digits.indexOf(digit), 0);
		expect(spelled).toBe(Buffer.from(tag).readUIntBE(0, 5));
	});

	it("looks like chance: no bit of the tags of one user, or of two, stands out", () => {
		const ones = new Array<number>(40).fill(0);
		const count = 4_000;
		const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
		for (let i = 0; i < count; i++) {
			const tag = encodeRequestId(key, 1, 1_800_000_000_000, randomBytes(5)).slice(-8);
			const value = [...tag].reduce((sum, digit) => sum * 32 + digits.indexOf(digit), 0);
			for (let bit = 0; bit < 40; bit++) if (Math.floor(value / 2 ** bit) % 2 === 1) ones[bit] = (ones[bit] ?? 0) + 1;
		}
		// Standard deviation of so many coins: 32.
		for (const heads of ones) expect(Math.abs(heads - count / 2)).toBeLessThan(6 * 32);
	});

	it("without a tag, of another key, or made up, leads nowhere but once in 256", () => {
		const other = deriveTagKey("another pepper, also long enough");
		const ids = Array.from({ length: 2_000 }, (_, n) => [
			`svc-${ulid()}`,
			encodeRequestId(other, n, Date.now(), randomBytes(5)),
		]).flat();
		const led = ids.filter((id) => decodeRequestId(key, id)?.userNumber !== null).length;
		expect(led).toBeLessThan(6 * (4_000 / 256));
	});

	it("of another form is none", () => {
		const id = encodeRequestId(key, 1, 1, Uint8Array.of(1, 2, 3, 4, 5));
		for (const wrong of [
			"",
			"svc-",
			id.slice(4),
			id.toLowerCase(),
			`${id}0`,
			id.slice(0, -1),
			id.replace(/.$/, "U"),
			`svc-8${id.slice(5)}`,
			id.replace("svc-", "ho_"),
			id.replace("svc-", "agt-"),
		])
			expect(decodeRequestId(key, wrong), wrong).toBeNull();
	});
});
