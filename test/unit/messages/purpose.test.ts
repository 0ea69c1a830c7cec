// The input hash of a Messages request is over what the client sent.
import { describe, expect, it } from "vitest";
import { toMessagesPurpose } from "../../../src/messages/purpose.ts";
import { hashObject } from "../../../src/proof/hash.ts";

describe("the input hash of a Messages request", () => {
	const messages = [{ role: "user", content: "Hi", extra: null }];

	it("covers system and messages as received, without absent members", () => {
		expect(toMessagesPurpose({ messages, max_tokens: 9 }, { config: null })).toMatchObject({
			inputHash: hashObject({ type: "svc.input.v2", entrance: "messages", body: { messages } }),
			configDigest: null,
			skillId: null,
		});
		expect(toMessagesPurpose({ messages, system: null }, { config: null }).inputHash).toBe(
			hashObject({ type: "svc.input.v2", entrance: "messages", body: { messages, system: null } }),
		);
	});
});
