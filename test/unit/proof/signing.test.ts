// Ed25519 against the vectors printed in RFC 8032.
import { createPublicKey, verify } from "node:crypto";
import * as noble from "@noble/ed25519";
import { describe, expect, it } from "vitest";
import { createSigner, toPublicKeyEntry, verifySignature } from "../../../src/proof/signing.ts";
import rfc8032 from "../../vectors/rfc8032.json" with { type: "json" };

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
		const { pem, jwk, public_key, key_id } = toPublicKeyEntry(signer.publicKey, "current");
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
