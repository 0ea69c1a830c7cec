// The proof primitives against the vectors printed in their RFCs.
import { createPublicKey, verify } from "node:crypto";
import * as noble from "@noble/ed25519";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, NotCanonicalError } from "../../src/proof/canonical.ts";
import { hashObject, hashText } from "../../src/proof/hash.ts";
import { nanoUsd, usd } from "../../src/proof/money.ts";
import { sealReceipt, verifyReceipt } from "../../src/proof/receipt.ts";
import { createSigner, describePublicKey, verifySignature } from "../../src/proof/signing.ts";
import { hasSharedData, readSharedData } from "../support/shared-data.ts";
import rfc8032 from "../vectors/rfc8032.json" with { type: "json" };
import rfc8785 from "../vectors/rfc8785.json" with { type: "json" };

function doubleFromHex(hex: string): number {
	return Buffer.from(hex.padStart(16, "0"), "hex").readDoubleBE();
}

describe("canonical JSON", () => {
	it.each(rfc8785.objects)("writes RFC 8785's example %#", ({ input, output }) => {
		expect(canonicalJson(JSON.parse(input))).toBe(output);
	});

	it.each(rfc8785.numbers)("writes the double %s as %s", (hex, text) => {
		expect(canonicalJson(doubleFromHex(hex))).toBe(text);
	});

	it("refuses what JCS cannot represent instead of changing it", () => {
		for (const value of [Number.NaN, Number.POSITIVE_INFINITY, [undefined], "\ud800", { "\udc00": 1 }, 1n, () => 1]) {
			expect(() => canonicalJson(value)).toThrow(NotCanonicalError);
		}
	});

	it("is the same whatever the order of keys, and reads back as the same value", () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				const text = canonicalJson(value);
				const reversed = JSON.parse(JSON.stringify(value), (_, member) =>
					member !== null && typeof member === "object" && !Array.isArray(member)
						? Object.fromEntries(Object.entries(member).reverse())
						: member,
				);
				expect(canonicalJson(reversed)).toBe(text);
				expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
			}),
		);
	});

	it.runIf(hasSharedData("vectors/rfc8785"))("writes the published files and 11,000 numbers", () => {
		for (const name of ["arrays", "french", "structures", "unicode", "values", "weird"]) {
			const input = readSharedData(`vectors/rfc8785/testdata/input/${name}.json`);
			expect(canonicalJson(JSON.parse(input))).toBe(readSharedData(`vectors/rfc8785/testdata/output/${name}.json`));
		}
		const lines = ["1000", "10000"].flatMap((size) =>
			readSharedData(`vectors/rfc8785/es6-numbers-${size}.txt`).trim().split("\n"),
		);
		const wrong = lines.filter((line) => {
			const [hex = "", text] = line.split(",");
			return canonicalJson(doubleFromHex(hex)) !== text;
		});
		expect(lines.length).toBe(11_000);
		expect(wrong).toEqual([]);
	});
});

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

describe("Ed25519", () => {
	it.each(rfc8032.vectors)("signs and verifies RFC 8032's message %#", async ({ priv, pub, msg, sig }) => {
		// The messages of these vectors are bytes; the service signs texts, so the primitive itself is asked here.
		const seed = Uint8Array.from(Buffer.from(priv, "hex"));
		const signer = createSigner(seed);
		expect(Buffer.from(signer.publicKey).toString("hex")).toBe(pub);
		expect(Buffer.from(noble.sign(Buffer.from(msg, "hex"), seed)).toString("hex")).toBe(sig);
	});

	it("signs texts with the bytes noble and Node agree on", async () => {
		const seed = Uint8Array.from({ length: 32 }, (_, i) => i);
		const signer = createSigner(seed);
		const signature = await signer.sign("sha256:ü");
		expect(signature).toBe(Buffer.from(noble.sign(new TextEncoder().encode("sha256:ü"), seed)).toString("base64"));
		const { pem, jwk, public_key, key_id } = describePublicKey(signer.publicKey, "current");
		expect(verify(null, Buffer.from("sha256:ü"), createPublicKey(pem), Buffer.from(signature, "base64"))).toBe(true);
		expect(
			verify(
				null,
				Buffer.from("sha256:ü"),
				createPublicKey({ key: jwk, format: "jwk" }),
				Buffer.from(signature, "base64"),
			),
		).toBe(true);
		expect(Buffer.from(public_key, "base64").length).toBe(32);
		expect(key_id).toBe(signer.keyId);
	});

	it("says false to another text, another key, and what is no signature", async () => {
		const signer = createSigner(new Uint8Array(32).fill(7));
		const other = createSigner(new Uint8Array(32).fill(8));
		const signature = await signer.sign("a");
		expect(await verifySignature(signer.publicKey, "a", signature)).toBe(true);
		expect(await verifySignature(signer.publicKey, "b", signature)).toBe(false);
		expect(await verifySignature(other.publicKey, "a", signature)).toBe(false);
		for (const text of ["", "x", "AAAA", "é", `${signature}AAAA`]) {
			expect(await verifySignature(signer.publicKey, "a", text)).toBe(false);
		}
	});
});

describe("a receipt", () => {
	const receipt = {
		type: "svc.receipt.v1",
		kind: "chat",
		request_id: "svc-1",
		timestamp: "2026-11-21T00:00:00.000Z",
		outcome: "complete",
		estimated: false,
		cost_usd: 0.000001,
		bound_usd: 0.00001,
		input_hash: hashText("in"),
		output_hash: hashText("out"),
		compliance: null,
		catalog_version: "1",
		config_digest: null,
		model: "m",
		provider: "p",
		upstream_host: "h",
		mode: "direct",
		reason: "r",
		prompt_tokens: 1,
		completion_tokens: 2,
		fallback_from: null,
		skill_id: null,
	} as const;
	const signer = createSigner(new Uint8Array(32).fill(9));
	const keys = [describePublicKey(signer.publicKey, "current")];

	it("verifies as sealed, signed or not", async () => {
		expect((await verifyReceipt(await sealReceipt(receipt, signer), keys)).valid).toBe(true);
		expect((await verifyReceipt(await sealReceipt(receipt, null), keys)).valid).toBe(true);
	});

	it("is caught when any member, the hash or the signature is changed, or the key is unknown", async () => {
		const sealed = await sealReceipt(receipt, signer);
		for (const member of Object.keys(receipt)) {
			if (member === "type") continue;
			const changed = { ...sealed, receipt: canonicalJson({ ...receipt, [member]: "changed" }) };
			expect((await verifyReceipt(changed, keys)).valid, member).toBe(false);
		}
		expect((await verifyReceipt({ ...sealed, proof_hash: hashText("x") }, keys)).valid).toBe(false);
		expect((await verifyReceipt({ ...sealed, signature: await signer.sign("x") }, keys)).valid).toBe(false);
		expect((await verifyReceipt(sealed, [])).valid).toBe(false);
	});
});

describe("money", () => {
	it("never makes more of a client's amount than it was", () => {
		fc.assert(
			fc.property(fc.double({ min: 0, max: 1e6, noNaN: true }), (amount) => {
				const nano = nanoUsd(amount);
				expect(Number.isSafeInteger(nano)).toBe(true);
				expect(usd(nano)).toBeLessThanOrEqual(amount);
				expect(amount - usd(nano)).toBeLessThanOrEqual(1.01e-9 + amount * 1e-15);
			}),
		);
	});

	it("keeps every whole nano-dollar", () => {
		fc.assert(fc.property(fc.nat(), (nano) => nanoUsd(usd(nano)) === nano));
	});
});
