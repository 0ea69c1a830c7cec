// The input hash of a Messages request is over what the client sent.
import { describe, expect, it } from "vitest";
import { toMessagesPurpose } from "../../../src/messages/create-message.edge.ts";
import { hashObject } from "../../../src/proof/hash.ts";

describe("the input hash of a Messages request", () => {
	const messages = [{ role: "user", content: "Hi", extra: null }];

	const purposeOf = (rawBody: unknown) =>
		toMessagesPurpose({ rawBody, address: "unknown", signal: new AbortController().signal }, { config: null });

	it("covers system and messages as received, without absent members", async () => {
		expect(await purposeOf({ messages, max_tokens: 9 })).toMatchObject({
			inputHash: hashObject({ type: "svc.input.v2", entrance: "messages", body: { messages } }),
			configDigest: null,
			skillId: null,
		});
		expect((await purposeOf({ messages, system: null })).inputHash).toBe(
			hashObject({ type: "svc.input.v2", entrance: "messages", body: { messages, system: null } }),
		);
	});
});
