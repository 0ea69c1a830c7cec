// Receipts: what is signed, and what a change does to it.
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../src/proof/canonical.ts";
import { hashText } from "../../../src/proof/hash.ts";
import { sealReceipt, verifyReceipt } from "../../../src/proof/receipt.ts";
import { createSigner, toPublicKeyEntry } from "../../../src/proof/signing.ts";

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
	const keys = [toPublicKeyEntry(signer.publicKey, "current")];

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
