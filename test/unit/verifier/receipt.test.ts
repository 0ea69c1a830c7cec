// What checking a saved receipt says. The files are the second implementation's.
import { describe, expect, it } from "vitest";
import { toRunEnd } from "../../../src/agents/run/run-end.ts";
import { draftSettlement } from "../../../src/agents/run/settlement.ts";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { plainConversation } from "../../../src/compliance/conversation.ts";
import { detect } from "../../../src/compliance/detect.ts";
import type { Detection } from "../../../src/compliance/findings.ts";
import { shippedGate } from "../../../src/compliance/gate.ts";
import type { PolicyLevels } from "../../../src/compliance/policy-levels.ts";
import { sealReceipt } from "../../../src/proof/receipt.ts";
import { createSigner } from "../../../src/proof/signing.ts";
import { allHold, renderFinding } from "../../../src/verifier/findings.ts";
import { checkReceipt } from "../../../src/verifier/receipt.ts";
import { runSpec, runWith } from "../../support/run-spec.ts";
import { signingKey } from "../../support/second-ed25519.ts";
import { canonical, textHash } from "../../support/second-ledger.ts";

const key = signingKey(Buffer.alloc(32, 7));
const retired = signingKey(Buffer.alloc(32, 8));

const members = { type: "svc.attestation.v1", matrix_version: "x", policy: {}, models: ["a"], detected_classes: [] };
const compliance = { ...members, hash: textHash(canonical(members)) };
const receipt = { type: "svc.receipt.v1", kind: "chat", request_id: "svc-1", cost_usd: 0.000_1, compliance };

function sealed(of: Record<string, unknown>, by = key) {
	const proof_hash = textHash(canonical(of));
	return { request_id: "svc-1", proof_hash, signature: by.sign(proof_hash), key_id: by.keyId, receipt: of };
}

async function check(document: unknown, keys: readonly Uint8Array[] = [key.publicKey]) {
	const findings = await checkReceipt(document, keys);
	return { holds: allHold(findings), lines: findings.map(renderFinding) };
}

describe("a receipt", () => {
	it("holds with its hash, its signature, its request and its attestation", async () => {
		const proof = sealed(receipt);
		expect(await check(proof)).toEqual({
			holds: true,
			lines: [
				`ok    receipt: has its hash ${proof.proof_hash}`,
				`ok    signature: holds under key ${key.keyId}`,
				"ok    receipt: is of chat svc-1",
				`ok    attestation: has its hash ${compliance.hash}`,
			],
		});
	});

	it("holds with an attestation of a policy that refused nothing, which is no proof of compliance", async () => {
		const violations = [{ level: "operator", member: "jurisdiction", models: ["a"] }];
		const monitored = { ...members, mode: "monitor", violations };
		const { holds, lines } = await check(
			sealed({ ...receipt, compliance: { ...monitored, hash: textHash(canonical(monitored)) } }),
		);
		expect([holds, lines.at(-1)]).toEqual([
			true,
			"note  attestation: monitored, not enforced: the operator's policy refused nothing, so it is no proof of compliance",
		]);
	});

	it("holds as the service seals it, with masks, a floor, what is inferred and what was only monitored", async () => {
		const goal = "Mail ida@fjord-post.no about her visit.";
		const levels: PolicyLevels = {
			operator: { provider_denylist: ["zai"], mode: "monitor" },
			key: { mask_data_classes: ["PII"] },
			request: { detect: "inferred" },
		};
		const inferred: Detection = { classes: ["PHI"], kinds: { PHI: ["health_statement"] }, findings: [] };
		const settings = { catalog: CATALOG, attestations: new Map() };
		const conversation = plainConversation(goal);
		const gate = shippedGate(levels, conversation, detect(conversation), settings, inferred);
		const readers = CATALOG.models.filter(({ provider }) => provider === "zai").map(({ id }) => id);
		const { state, steps } = runWith(["Done."], { subtasksDone: 1, readers });
		const spec = runSpec({ goal });
		const end = toRunEnd(spec, state, steps, []);
		const { receipt: draft } = draftSettlement({ spec, state, steps, charges: [], end, gate, catalog: CATALOG }, 0);
		const signer = createSigner(new Uint8Array(32).fill(7));
		const { receipt: text, ...sealedReceipt } = await sealReceipt(draft, signer);
		const read: unknown = JSON.parse(text);
		expect(read).toMatchObject({
			compliance: {
				masked: { email: 1 },
				mode: "monitor",
				floor: [{ level: "operator" }, { level: "key" }],
				detected_classes: ["PII"],
				inferred_classes: ["PHI"],
				violations: [{ level: "operator", member: "provider_denylist" }],
			},
		});
		const document = { object: "proof", ...sealedReceipt, receipt: read, valid: true, signed: true };
		const { holds, lines } = await check(document, [signer.publicKey]);
		expect([holds, lines]).toEqual([true, expect.arrayContaining([expect.stringContaining("not enforced")])]);
		for (const masked of [{ email: 2 }, undefined]) {
			const receipt = JSON.parse(JSON.stringify({ ...draft, compliance: { ...draft.compliance, masked } }));
			const { lines } = await check({ ...document, receipt }, [signer.publicKey]);
			expect(lines).toContainEqual(expect.stringContaining("attestation: has hash"));
		}
	});

	it("holds as it was sealed when receipts had `masked` beside the attestation", async () => {
		const old = sealed({ ...receipt, masked: { email: 1 } });
		expect(await check(old)).toMatchObject({ holds: true });
		expect((await check({ ...old, receipt: { ...old.receipt, masked: { email: 2 } } })).holds).toBe(false);
	});

	it("holds under any of several keys, as under a retired one", async () => {
		expect((await check(sealed(receipt, retired), [key.publicKey, retired.publicKey])).holds).toBe(true);
	});

	it("does not hold whatever the service said of it", async () => {
		const faults: [object, string][] = [
			[{ ...sealed(receipt), receipt: { ...receipt, cost_usd: 0 }, valid: true }, "signature: does not hold"],
			[{ ...sealed(receipt), receipt: { ...receipt, cost_usd: 0 }, valid: true }, "receipt: has hash"],
			[{ ...sealed(receipt), request_id: "svc-2" }, "receipt: is of svc-1, not of svc-2"],
			[{ ...sealed(receipt), signature: null }, "signature: the receipt is not signed"],
			[{ ...sealed(receipt), signature: retired.sign(sealed(receipt).proof_hash) }, "signature: does not hold"],
			[sealed({ ...receipt, compliance: { ...compliance, models: ["b"] } }), "attestation: has hash"],
			[sealed({ ...receipt, compliance: {} }), "attestation: is none"],
			[sealed(receipt, retired), `signature: is said to be of key ${retired.keyId}, which is not given`],
			[{}, "receipt: is not what GET /v1/proof/{request_id} answers"],
			[{ ...sealed(receipt), kind: "agent", signed: false }, "receipt: the answer around it: shows kind, signed that"],
			[{ ...sealed(receipt), valid: false, object: "x" }, "receipt: the answer around it: shows object, valid that"],
			[{ ...sealed(receipt), recomputed_hash: "sha256:" }, "receipt: the answer around it: shows recomputed_hash that"],
		];
		for (const [document, said] of faults) {
			const { holds, lines } = await check(document);
			expect([holds, lines.filter((line) => line.startsWith(`FAIL  ${said}`)).length], said).toEqual([false, 1]);
		}
	});

	it("does not hold without a key", async () => {
		const { holds, lines } = await check(sealed(receipt), []);
		expect([holds, lines[1]]).toEqual([
			false,
			`FAIL  signature: not checked, for want of a public key (key ${key.keyId})`,
		]);
	});

	it("says what stands beside it that nothing proves", async () => {
		const proof = { ...sealed(receipt), object: "proof", kind: "chat", valid: true, signed: true };
		const { holds, lines } = await check({ ...proof, recomputed_hash: proof.proof_hash, approved_by: "the auditor" });
		expect([holds, lines.filter((line) => !line.startsWith("ok"))]).toEqual([
			true,
			["note  receipt: nothing proves approved_by"],
		]);
	});

	it("cannot write lines of its own, turn them around or fill the screen", async () => {
		const { lines } = await check(sealed({ ...receipt, kind: `chat\nok    all of it\u202e${"x".repeat(10_000)}` }));
		expect(/[\n\u202e]/.test(lines.join(""))).toBe(false);
		expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(700);
	});
});
