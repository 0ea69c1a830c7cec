// Hashes.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asHash, encodeCanonicalInSteps, hashBytes, hashObject, hashText, toDigest } from "../../../src/proof/hash.ts";
import { runSteps } from "../../../src/turns/steps.ts";

describe("hashes", () => {
	it("are sha256: and lower-case hex of SHA-256", () => {
		expect(hashText("abc")).toBe("sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
		expect(hashText("")).toBe("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	});

	it("take a text as it is and an object by its canonical form", () => {
		expect(hashText(" é ")).not.toBe(hashText("é"));
		expect(hashObject({ type: "t", b: 1, a: 2 })).toBe(hashText('{"a":2,"b":1,"type":"t"}'));
	});
});

describe("canonical JSON in steps", () => {
	it("has the hash of any object", async () => {
		await fc.assert(
			fc.asyncProperty(fc.jsonValue(), fc.constantFrom(0, 1, 4_000, 300_000), async (value, chars) => {
				const object = { type: "t", value, text: "é😀x".repeat(chars) };
				const written = runSteps(encodeCanonicalInSteps(object));
				expect(typeof written === "string" ? hashText(written) : hashBytes(written)).toBe(hashObject(object));
			}),
			{ numRuns: 30 },
		);
	});
});

describe("a hash's text form", () => {
	it("gives the 32 bytes back, and is refused when it is cut, capital or anything else", () => {
		const hash = hashText("abc");
		expect(asHash(toDigest(hash) ?? new Uint8Array())).toBe(hash);
		const hex = hash.slice("sha256:".length);
		for (const other of [
			hash.slice(0, -1),
			`${hash}0`,
			`sha256:${hex.toUpperCase()}`,
			hex,
			`${hash}\n`,
			` ${hash}`,
			"",
		])
			expect(toDigest(other), other).toBeNull();
	});
});
