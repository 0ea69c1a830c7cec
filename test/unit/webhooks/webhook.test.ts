// Webhooks: which addresses are refused, what is signed, and when tries are due.
import { createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { createSigner } from "../../../src/proof/signing.ts";
import {
	checkWebhook,
	findWebhookFault,
	MAX_WEBHOOK_TRIES,
	nextTryAtMs,
	webhookHeaders,
} from "../../../src/webhooks/webhook.ts";
import { TEST_SEED } from "../../support/variables.ts";

const signer = createSigner(new Uint8Array(32).fill(7));
const rules = { hosts: new Set(["hooks.example.com"]), signer };

describe("a webhook's address", () => {
	it.each([
		"https://hooks.example.com",
		"https://hooks.example.com:443/path?token=secret",
		"https://HOOKS.example.com/",
		"  https://hooks.example.com/\n",
	])("%j is allowed", (address) => {
		expect(checkWebhook(address, rules)).toEqual({ ok: true, value: address });
	});

	it.each([
		["http://hooks.example.com/", /443/],
		["https://hooks.example.com:8443/", /443/],
		["ftp://hooks.example.com/", /443/],
		["https://user@hooks.example.com/", /user name/],
		["https://:pass@hooks.example.com/", /user name/],
		["https://other.example.com/", /WEBHOOK_HOSTS/],
		["https://x.hooks.example.com/", /WEBHOOK_HOSTS/],
		["https://hooks.example.com.evil.test/", /WEBHOOK_HOSTS/],
		["https://hooks.example.com./", /WEBHOOK_HOSTS/],
		["https://evil.test/hooks.example.com", /WEBHOOK_HOSTS/],
		["https://evil.test\\@hooks.example.com/", /WEBHOOK_HOSTS/],
		["https://127.0.0.1/", /IP address/],
		["https://0x7f.1/", /IP address/],
		["https://2130706433/", /IP address/],
		["https://[::1]/", /IP address/],
		["/path", /not an address/],
		["", /not an address/],
		[`https://hooks.example.com/${"x".repeat(2_048)}`, /not an address/],
	])("%j is refused", (address, why) => {
		const checked = checkWebhook(address, rules);
		expect(checked).toMatchObject({ ok: false, failure: { reason: "webhook_unavailable" } });
		expect(findWebhookFault(address, rules)).toMatch(why);
	});

	it("is refused where no host is allowed, an IP address even where it is listed, and all of them without a signing key", () => {
		const address = "https://hooks.example.com/";
		expect(findWebhookFault(address, { ...rules, hosts: new Set() })).toMatch(/WEBHOOK_HOSTS/);
		expect(findWebhookFault("https://10.0.0.1/", { ...rules, hosts: new Set(["10.0.0.1"]) })).toMatch(/IP address/);
		expect(findWebhookFault(address, { ...rules, signer: null })).toMatch(/signing key/);
	});
});

describe("a try", () => {
	it("is signed over id, timestamp and body, as another library verifies it", async () => {
		const message = { id: "msg_01ARZ3NDEKTSV4RRFFQ69G5FAV", body: '{"type":"agent.run.ended","status":"complété"}' };
		const headers = await webhookHeaders(message, signer, 1_674_087_231_999);
		expect(headers).toMatchObject({ "webhook-id": message.id, "webhook-timestamp": "1674087231" });
		const [version, signature = ""] = (headers["webhook-signature"] ?? "").split(",");
		const x = Buffer.from(signer.publicKey).toString("base64url");
		const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
		const signed = Buffer.from(`${message.id}.1674087231.${message.body}`);
		expect(version).toBe("v1a");
		expect(verify(null, signed, publicKey, Buffer.from(signature, "base64"))).toBe(true);
	});

	it("has the signature that the documents show", async () => {
		const page = readFileSync(resolve(import.meta.dirname, "../../../src/docs/proofs.md"), "utf8");
		const shown = (name: string) => new RegExp(`^${name} +(.+)$`, "m").exec(page.split("test 1:")[1] ?? "")?.[1] ?? "";
		const documented = createSigner(Uint8Array.from(Buffer.from(TEST_SEED, "hex")));
		const message = { id: shown("webhook-id"), body: shown("body") };
		const headers = await webhookHeaders(message, documented, Number(shown("webhook-timestamp")) * 1_000);
		expect(headers["webhook-signature"]).toBe(shown("webhook-signature"));
		expect(Buffer.from(documented.publicKey).toString("base64")).toBe(shown("public_key"));
	});

	it("is made five times within an hour", () => {
		const at = [0];
		for (let tries = 1; tries < MAX_WEBHOOK_TRIES; tries++) at.push(nextTryAtMs(tries, at.at(-1) ?? 0));
		expect(at.map((ms) => ms / 60_000)).toEqual([0, 1, 5, 20, 60]);
		// The last one's outcome, where the object died in it.
		expect(nextTryAtMs(MAX_WEBHOOK_TRIES, 0)).toBe(20_000);
	});
});
