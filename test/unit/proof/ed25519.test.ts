// The Ed25519 verdict: encodings decided by their bytes, one signature per text, and a synchronous signer that agrees.
import * as noble from "@noble/ed25519";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSoundPoint, isSoundScalar } from "../../../src/proof/ed25519-encoding.ts";
import { createSigner, createVerifier, fromBase64, verifySignature } from "../../../src/proof/signing.ts";
import * as second from "../../support/second-ed25519.ts";

const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const P = 2n ** 255n - 19n;

const littleEndian = (value: bigint) =>
	Uint8Array.from(Buffer.from(value.toString(16).padStart(64, "0"), "hex")).reverse();
const numberOf = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);

const signer = createSigner(new Uint8Array(32).fill(7));

describe("encodings of points", () => {
	it("are refused for all eight points of small order, however they are written, and for what is not reduced", () => {
		const { Point } = noble;
		const ofOrderEight = Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
		const points = Array.from({ length: 8 }, (_, k) =>
			k === 0 ? Point.ZERO : ofOrderEight.multiply(BigInt(k), false),
		);
		const encodings = points.flatMap((point) => {
			const { x, y } = point.toAffine();
			const ys = y + P < 2n ** 255n ? [y, y + P] : [y];
			const signs = x === 0n ? [0n, 1n] : [x & 1n];
			return ys.flatMap((written) => signs.map((sign) => littleEndian(written + (sign << 255n))));
		});
		const texts = new Set(encodings.map((bytes) => Buffer.from(bytes).toString("hex")));
		expect(texts.size).toBe(14);
		for (const encoding of encodings) {
			expect(noble.Point.fromBytes(encoding, true).isSmallOrder()).toBe(true);
			expect(isSoundPoint(encoding)).toBe(false);
		}
		for (let y = P; y < 2n ** 255n; y++) expect(isSoundPoint(littleEndian(y))).toBe(false);
	});

	it("are taken for every key that a seed makes", () => {
		fc.assert(
			fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (seed) => {
				expect(isSoundPoint(noble.getPublicKey(seed))).toBe(true);
			}),
			{ numRuns: 30 },
		);
	});

	it("are 32 bytes", () => {
		expect(isSoundPoint(signer.publicKey)).toBe(true);
		expect(isSoundPoint(signer.publicKey.subarray(1))).toBe(false);
		expect(isSoundPoint(new Uint8Array([...signer.publicKey, 0]))).toBe(false);
	});
});

describe("a signature", () => {
	const text = "sha256:ü";
	const signature = signer.signSync(text);
	const bytes = Buffer.from(signature, "base64");

	it("made at once is the one made by the platform and by the second implementation", async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.uint8Array({ minLength: 32, maxLength: 32 }),
				fc.string({ unit: "grapheme" }),
				async (seed, message) => {
					const made = createSigner(seed);
					const expected = second.signingKey(Buffer.from(seed)).sign(message);
					expect(made.signSync(message)).toBe(expected);
					expect(await made.sign(message)).toBe(expected);
					expect(await createVerifier(made.publicKey).verify(message, expected)).toBe(true);
				},
			),
			{ numRuns: 30 },
		);
	});

	it("has one form: S + L, and other ways to write its base64, are refused", async () => {
		expect(isSoundScalar(littleEndian(L - 1n))).toBe(true);
		expect(isSoundScalar(littleEndian(L))).toBe(false);
		expect(isSoundScalar(littleEndian(2n ** 256n - 1n))).toBe(false);
		const raised = Buffer.concat([bytes.subarray(0, 32), littleEndian(numberOf(bytes.subarray(32)) + L)]);
		expect(await verifySignature(signer.publicKey, text, signature)).toBe(true);
		const others = [
			raised.toString("base64"),
			signature.replaceAll("=", ""),
			` ${signature}`,
			`${signature.slice(0, 10)}\n${signature.slice(10)}`,
			bytes.toString("base64url"),
			// The last character before the padding carries four bits that decode to nothing.
			`${signature.slice(0, -3)}${String.fromCharCode(signature.charCodeAt(85) + 1)}==`,
		];
		expect(signature).toMatch(/[AQgw]==$/);
		for (const other of others) {
			expect(other).not.toBe(signature);
			expect(await verifySignature(signer.publicKey, text, other), other).toBe(false);
		}
	});

	it("is false, not an error, under what is no key", async () => {
		const offCurve = Uint8Array.of(2, ...new Uint8Array(31));
		expect(() => noble.Point.fromBytes(offCurve)).toThrow();
		for (const key of [offCurve, new Uint8Array(32), new Uint8Array(31), new Uint8Array()]) {
			expect(await verifySignature(key, text, signature)).toBe(false);
		}
	});

	it("under a key of small order is refused though the equation holds for every text", async () => {
		const neutral = Uint8Array.of(1, ...new Uint8Array(31));
		const forged = new Uint8Array([...noble.Point.BASE.multiply(5n).toBytes(), ...littleEndian(5n)]);
		const message = new TextEncoder().encode("anything");
		expect(noble.verify(forged, message, neutral)).toBe(true);
		expect(await createVerifier(neutral).verifyBytes(message, forged)).toBe(false);
		expect(second.verifyBytes(Buffer.from(neutral), Buffer.from(message), Buffer.from(forged))).toBe(false);
	});

	it("is judged alike by a key imported once, byte by byte changed, and by the second implementation", async () => {
		const verifier = createVerifier(signer.publicKey);
		const message = Buffer.from(text, "utf8");
		const key = Buffer.from(signer.publicKey);
		for (let at = 0; at < 64; at++) {
			const changed = Buffer.from(bytes);
			changed[at] = (changed[at] ?? 0) ^ 1;
			expect(await verifier.verifyBytes(message, changed), `${at}`).toBe(false);
			expect(second.verifyBytes(key, message, changed), `${at}`).toBe(false);
		}
		expect(await verifier.verifyBytes(message, bytes)).toBe(true);
		expect(second.verifyBytes(key, message, bytes)).toBe(true);
		expect(await verifier.verifyBytes(message, bytes.subarray(0, 63))).toBe(false);
	});

	it("of mixed order is judged by the equation without the cofactor, by both implementations", async () => {
		// "Taming the many EdDSAs", section 5: a key with a part of order eight; R moved by the same part holds only with it.
		const torsion = noble.Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
		const moved = Buffer.concat([
			noble.Point.fromBytes(bytes.subarray(0, 32)).add(torsion).toBytes(),
			bytes.subarray(32),
		]);
		const message = Buffer.from(text, "utf8");
		expect(isSoundPoint(moved.subarray(0, 32))).toBe(true);
		expect(await createVerifier(signer.publicKey).verifyBytes(message, moved)).toBe(false);
		expect(second.verifyBytes(Buffer.from(signer.publicKey), message, moved)).toBe(false);
	});
});

describe("base64", () => {
	it("reads back exactly what is standard base64 with padding", () => {
		fc.assert(
			fc.property(fc.uint8Array(), (bytes) => {
				expect(fromBase64(Buffer.from(bytes).toString("base64"))).toEqual(Uint8Array.from(bytes));
			}),
		);
		for (const text of ["A", "AA", "AA=", "AB==", "A A=", "AA==\n", "-_==", "AA==AA=="]) {
			expect(fromBase64(text), text).toBeNull();
		}
	});
});
