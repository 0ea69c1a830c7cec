// The digest of an action, against a second implementation and the vector of docs/proofs.md.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { actionDigest, planDigest, type ToolAction } from "../../../../src/agents/tools/action.ts";
import { type Hash, hashText } from "../../../../src/proof/hash.ts";
import { hashSalted } from "../../../../src/proof/salted.ts";

const SALT = "000102030405060708090a0b0c0d0e0f";
const RUN = "agt_01ARZ3NDEKTSV4RRFFQ69G5FAV";

function sha256(...parts: (string | Buffer)[]): Hash {
	const bytes = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
	return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

const CANONICAL = '{"amount":12,"to":"ada@example.org"}';
const ACTION: ToolAction = {
	runId: RUN,
	callId: "call_01ARZ3NDEKTSV4RRFFQ69G5FAV",
	tool: "send_money",
	definition: hashText("definition"),
	argumentsHash: hashSalted(SALT, CANONICAL),
	policy: { manifestDigest: hashText("manifest"), version: "1" },
};

describe("the digest of an action", () => {
	it("is what docs/proofs.md gives to test an implementation with", () => {
		const page = readFileSync(join(import.meta.dirname, "../../../../src/docs/proofs.md"), "utf8");
		for (const shown of [ACTION.argumentsHash, actionDigest(ACTION)]) expect(page).toContain(`  = ${shown}`);
	});

	it("is that of a second implementation, which writes the members by hand", () => {
		const hashed = sha256("svc.salted.v2\0", Buffer.from(SALT, "hex"), CANONICAL);
		expect(ACTION.argumentsHash).toBe(hashed);
		expect(actionDigest(ACTION)).toBe(
			sha256(
				`{"arguments":"${hashed}","call_id":"${ACTION.callId}","definition":"${sha256("definition")}",`,
				`"policy":{"manifest_digest":"${sha256("manifest")}","version":"1"},"run_id":"${RUN}",`,
				`"tool":"send_money","type":"svc.action.v1"}`,
			),
		);
		expect(planDigest(RUN, hashed)).toBe(sha256(`{"plan":"${hashed}","run_id":"${RUN}","type":"svc.plan.v1"}`));
	});

	it("is another one as soon as anything is another that a decision holds for", () => {
		const other = hashText("other");
		const changed: ToolAction[] = [
			{ ...ACTION, runId: "agt_2" },
			{ ...ACTION, callId: "call_2" },
			{ ...ACTION, tool: "send" },
			{ ...ACTION, definition: other },
			{ ...ACTION, argumentsHash: other },
			{ ...ACTION, policy: { ...ACTION.policy, manifestDigest: other } },
			{ ...ACTION, policy: { ...ACTION.policy, version: "2" } },
		];
		expect(new Set([ACTION, ...changed].map(actionDigest)).size).toBe(changed.length + 1);
	});
});
