// What one key may give to another, and until when a key is an owner's.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	findWiderMember,
	inheritOptions,
	isLiveKey,
	type KeyOptions,
	ownerUntil,
	UNLIMITED,
} from "../../../src/keys/key.ts";

const options: fc.Arbitrary<KeyOptions> = fc.record({
	name: fc.constant(null),
	role: fc.constantFrom<KeyOptions["role"]>("owner", "agent"),
	expiresAt: fc.constantFrom(null, "2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"),
	rpm: fc.constantFrom(null, 1, 10),
	dailyRequests: fc.constantFrom(null, 1, 10),
	tags: fc.constant([]),
});

describe("a key", () => {
	it("may give what it has, and a key without limits anything", () => {
		fc.assert(
			fc.property(options, (some) => {
				expect(findWiderMember(some, some)).toBeNull();
				expect(findWiderMember(some, UNLIMITED)).toBeNull();
			}),
		);
	});

	it("inherits what is not named, so that it is never refused for that", () => {
		fc.assert(
			fc.property(options, (own) => {
				expect(findWiderMember(inheritOptions({ role: own.role }, own), own)).toBeNull();
			}),
		);
	});

	it("gives nothing by which a third key would be wider than itself", () => {
		fc.assert(
			fc.property(options, options, options, (first, second, third) => {
				fc.pre(findWiderMember(second, first) === null && findWiderMember(third, second) === null);
				expect(findWiderMember(third, first)).toBeNull();
			}),
		);
	});

	it("may narrow a wider one, and leave it what it has", () => {
		const own = { ...UNLIMITED, rpm: 5 };
		const before = { ...UNLIMITED, rpm: 50 };
		expect(findWiderMember({ ...before, rpm: 40 }, own, before)).toBeNull();
		expect(findWiderMember({ ...before, name: "x" }, own, before)).toBeNull();
		expect(findWiderMember({ ...before, rpm: 51 }, own, before)).toBe("rpm");
		expect(findWiderMember({ ...before, rpm: null }, own, before)).toBe("rpm");
	});

	it("is an owner's until it ends, and longest without an end", () => {
		const at = "2026-01-01T00:00:00.000Z";
		const life = { role: "owner", expiresAt: null, revokedAt: null } as const;
		expect(ownerUntil(life) > ownerUntil({ ...life, expiresAt: "9998-12-31T23:59:59.999Z" })).toBe(true);
		expect(ownerUntil({ ...life, expiresAt: at })).toBe(at);
		expect(ownerUntil({ ...life, revokedAt: at })).toBe("");
		expect(ownerUntil({ ...life, role: "agent" })).toBe("");
	});

	it("works until its end, which is not part of it", () => {
		const at = "2026-01-01T00:00:00.000Z";
		const life = { role: "agent", expiresAt: at, revokedAt: null } as const;
		expect(isLiveKey(life, "2025-12-31T23:59:59.999Z")).toBe(true);
		expect(isLiveKey(life, at)).toBe(false);
		expect(isLiveKey({ ...life, expiresAt: null, revokedAt: at }, "2025-01-01T00:00:00.000Z")).toBe(false);
	});
});
