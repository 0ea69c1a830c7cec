// The input hash of a receipt, made by hand from docs/proofs.md.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { toResponsesPurpose } from "../../../src/responses/purpose.edge.ts";

const SALT = "000102030405060708090a0b0c0d0e0f";
const salted = (text: string) =>
	`sha256:${createHash("sha256").update("svc.salted.v2\0").update(Buffer.from(SALT, "hex")).update(text).digest("hex")}`;
const requestOf = (rawBody: unknown) => ({ rawBody, address: "unknown", signal: new AbortController().signal });
const hashOf = async (body: unknown) =>
	(await toResponsesPurpose(requestOf(body), { config: null }, new Map())).input.hash(SALT);

describe("the input hash of a Responses request", () => {
	it("is over instructions, input and previous_response_id as received", async () => {
		const body = { model: "auto", previous_response_id: "resp_1", input: [{ role: "user", content: "hi", x: 1 }] };
		expect(await hashOf(body)).toBe(
			salted(
				'{"body":{"input":[{"content":"hi","role":"user","x":1}],"previous_response_id":"resp_1"},"entrance":"responses","type":"svc.input.v2"}',
			),
		);
	});

	it("of a long body is that of a short one, made by the platform", async () => {
		const input = "ä".repeat(100_000);
		expect(await hashOf({ input })).toBe(
			salted(`{"body":{"input":"${input}"},"entrance":"responses","type":"svc.input.v2"}`),
		);
	});

	it("leaves absent members out, and keeps a null that was sent", async () => {
		expect(await hashOf({ input: "hi" })).toBe(
			salted('{"body":{"input":"hi"},"entrance":"responses","type":"svc.input.v2"}'),
		);
		expect(await hashOf({ input: "hi", instructions: null })).toBe(
			salted('{"body":{"input":"hi","instructions":null},"entrance":"responses","type":"svc.input.v2"}'),
		);
	});
});

describe("a tool call in a receipt", async () => {
	const tools = new Map([
		["crm__find", { kind: "function" as const, name: "find", namespace: "crm" }],
		["exec", { kind: "custom" as const, name: "exec" }],
	]);
	const { deliverCall } = await toResponsesPurpose(requestOf({}), { config: null }, tools);
	const call = (name: string, args: string) => deliverCall({ type: "tool_call", id: "call_1", name, arguments: args });

	it("has the client's name of a namespace's tool, and the arguments as the model wrote them", () => {
		expect(call("crm__find", '{ "id": 7 }')).toMatchObject({ name: "find", arguments: '{ "id": 7 }' });
	});

	it("has the text that the client gets of a custom tool, as canonical JSON", () => {
		expect(call("exec", '{"input" : "ls \\u002dl"}')).toMatchObject({ name: "exec", arguments: '{"input":"ls -l"}' });
		expect(call("exec", "ls -l").arguments).toBe('{"input":"ls -l"}');
	});

	it("of a tool that the request does not have is as the model wrote it", () => {
		expect(call("other", "{}")).toMatchObject({ name: "other", arguments: "{}" });
	});
});
