// The cookie of a session: written, read, over.
import { describe, expect, it } from "vitest";
import {
	findSessionCookie,
	readSession,
	renderEndedCookie,
	renderSession,
	renderSessionCookie,
	type Session,
} from "../../../src/console/session.ts";

const SESSION: Session = {
	id: "0123456789abcdef0123456789abcdef",
	key: "svc_sk_x",
	userId: "usr_1",
	keyId: "key_1",
	keyVersion: 3,
	role: "agent",
	issuedAtMs: 1_000,
};
const TWELVE_HOURS_MS = 43_200_000;

describe("a session", () => {
	it("is read as it was written", () => {
		expect(readSession(renderSession(SESSION), 1_000)).toEqual(SESSION);
	});

	it("is over after 12 hours", () => {
		expect(readSession(renderSession(SESSION), 1_000 + TWELVE_HOURS_MS - 1)).toEqual(SESSION);
		expect(readSession(renderSession(SESSION), 1_000 + TWELVE_HOURS_MS)).toBeNull();
	});
});

describe("a session from before sessions had ids", () => {
	it("is over, because nothing could end it", () => {
		const { id: _, ...before } = SESSION;
		expect(readSession(JSON.stringify(before), 1_000)).toBeNull();
	});
});

describe("the cookie", () => {
	it.each([true, false])("is found among others (secure: %s)", (isSecure) => {
		const [pair = ""] = renderSessionCookie("sealed", isSecure).split(";");
		expect(findSessionCookie(`a=1; ${pair}; b=2`, isSecure)).toBe("sealed");
		expect(findSessionCookie(`x${pair}`, isSecure)).toBeNull();
		expect(findSessionCookie(pair, !isSecure)).toBeNull();
	});

	it("is not found where there is none, or an ended one", () => {
		expect(findSessionCookie(null, true)).toBeNull();
		expect(findSessionCookie(renderEndedCookie(true).split(";")[0] ?? "", true)).toBeNull();
	});
});
