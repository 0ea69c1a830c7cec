// The input hash of a Messages request is over what the client sent.
import { describe, expect, it } from "vitest";
import { toMessagesPurpose } from "../../../src/messages/create-message.edge.ts";
import { canonicalJson } from "../../../src/proof/canonical.ts";
import { hashSalted } from "../../../src/proof/salted.ts";

const SALT = "000102030405060708090a0b0c0d0e0f";

describe("the input hash of a Messages request", () => {
	const messages = [{ role: "user", content: "Hi", extra: null }];

	const purposeOf = (rawBody: unknown) =>
		toMessagesPurpose({ rawBody, address: "unknown", signal: new AbortController().signal }, { config: null });

	it("covers system and messages as received, without absent members", async () => {
		const hashOf = (body: unknown) =>
			hashSalted(SALT, canonicalJson({ type: "svc.input.v2", entrance: "messages", body }));
		const purpose = await purposeOf({ messages, max_tokens: 9 });
		expect(purpose).toMatchObject({ configDigest: null, skillId: null });
		expect(await purpose.input.hash(SALT)).toBe(hashOf({ messages }));
		const withSystem = await purposeOf({ messages, system: null });
		expect(await withSystem.input.hash(SALT)).toBe(hashOf({ messages, system: null }));
	});
});
