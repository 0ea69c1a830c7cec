// The input hash of a receipt, made by hand from docs/proofs.md.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { toResponsesPurpose } from "../../../src/responses/purpose.ts";

const sha256 = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const hashOf = (body: unknown) => toResponsesPurpose(body, { config: null }).inputHash;

describe("the input hash of a Responses request", () => {
	it("is over instructions, input and previous_response_id as received", () => {
		const body = { model: "auto", previous_response_id: "resp_1", input: [{ role: "user", content: "hi", x: 1 }] };
		expect(hashOf(body)).toBe(
			sha256(
				'{"body":{"input":[{"content":"hi","role":"user","x":1}],"previous_response_id":"resp_1"},"entrance":"responses","type":"svc.input.v2"}',
			),
		);
	});

	it("leaves absent members out, and keeps a null that was sent", () => {
		expect(hashOf({ input: "hi" })).toBe(
			sha256('{"body":{"input":"hi"},"entrance":"responses","type":"svc.input.v2"}'),
		);
		expect(hashOf({ input: "hi", instructions: null })).toBe(
			sha256('{"body":{"input":"hi","instructions":null},"entrance":"responses","type":"svc.input.v2"}'),
		);
	});
});
