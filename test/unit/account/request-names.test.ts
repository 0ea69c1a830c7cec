// Names of a request: what clients send as session, end user and metadata, and what is kept of it.
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import {
	hasNames,
	isSessionId,
	metadataField,
	readRequestNames,
	sessionWarnings,
	userMetadataField,
} from "../../../src/account/request-names.ts";
import { UNNAMED } from "../../../src/meter/request-facts.ts";
import { hasSharedData, readSharedData } from "../../support/shared-data.ts";

const SESSION = "6bb937ae-d0d4-4e53-b9ed-36ff7baa490d";

function read(headers: Record<string, string>, body?: unknown) {
	return readRequestNames(new Headers(headers), body).names;
}

describe("the session", () => {
	it("is that of the service's own header, then of Claude Code's, then of Codex's, then of the body", () => {
		const body = { client_metadata: { session_id: "body" } };
		const codex = { "session-id": "codex" };
		const claude = { ...codex, "x-claude-code-session-id": "claude" };
		expect(read({ ...claude, "x-session-id": "own" }, body).sessionId).toBe("own");
		expect(read(claude, body).sessionId).toBe("claude");
		expect(read(codex, body).sessionId).toBe("codex");
		expect(read({}, body).sessionId).toBe("body");
		expect(read({}, {}).sessionId).toBeNull();
		expect(read({ "x-session-id": "own" }).sessionId).toBe("own");
	});

	it.each([
		["too long", "x".repeat(129)],
		["a control character", "a\tb"],
		["beyond ASCII", "sesión"],
		["a dot segment of an address", ".."],
	])("that is none (%s) is left out for the next one, and a warning names it", (_, odd) => {
		const sent = { headers: new Headers({ "session-id": "codex" }), rawBody: { client_metadata: { session_id: odd } } };
		expect(readRequestNames(sent.headers, sent.rawBody).names.sessionId).toBe("codex");
		expect(sessionWarnings(sent)).toMatchObject([{ code: "parameter_dropped", param: "client_metadata.session_id" }]);
		const alone = { headers: new Headers(), rawBody: sent.rawBody };
		expect(readRequestNames(alone.headers, alone.rawBody).names.sessionId).toBeNull();
		expect(sessionWarnings(alone)).toHaveLength(1);
	});

	it("of 128 characters is kept whole, and without one there is no warning", () => {
		expect(read({ "x-session-id": "x".repeat(128) }).sessionId).toHaveLength(128);
		expect(sessionWarnings({ headers: new Headers(), rawBody: { client_metadata: null } })).toEqual([]);
	});

	it("and the other names are read once of a request, and again where its body is another", () => {
		const headers = new Headers({ "x-session-id": "own" });
		const looks = vi.spyOn(headers, "get");
		const body = { user: "ada" };
		const first = readRequestNames(headers, body);
		const { length } = looks.mock.calls;
		expect(readRequestNames(headers, body)).toBe(first);
		expect(sessionWarnings({ headers, rawBody: body })).toEqual([]);
		expect(looks.mock.calls).toHaveLength(length);
		expect(readRequestNames(headers, { user: "grace" }).names.endUser).toBe("grace");
	});

	it("is one that an address can end with", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme-ascii", maxLength: 20 }), (text) => {
				if (!isSessionId(text)) return;
				const { pathname } = new URL(`https://svc.test/v1/sessions/${encodeURIComponent(text)}`);
				expect(decodeURIComponent(pathname.slice("/v1/sessions/".length))).toBe(text);
			}),
		);
	});
});

describe("the end user", () => {
	it("is `user`, then `safety_identifier`, then `metadata.user_id`, which is not repeated among the pairs", () => {
		const metadata = { user_id: "third", team: "blue" };
		expect(read({}, { user: "first", safety_identifier: "second", metadata })).toEqual({
			sessionId: null,
			endUser: "first",
			metadata,
		});
		expect(read({}, { safety_identifier: "second" }).endUser).toBe("second");
		expect(read({}, { metadata })).toEqual({ sessionId: null, endUser: "third", metadata: { team: "blue" } });
		expect(read({}, { user: "" }).endUser).toBeNull();
	});

	it("of Claude Code is its account, or its device: a session is no user", () => {
		const device = "d".repeat(64);
		const account = "0f1e2d3c-0000-4000-8000-000000000000";
		const asJson = (account_uuid: string) => JSON.stringify({ device_id: device, account_uuid, session_id: SESSION });
		const asText = (id: string) => `user_${device}_account_${id}_session_${SESSION}`;
		for (const form of [asJson, asText]) {
			expect(read({}, { metadata: { user_id: form(account) } }).endUser).toBe(account);
			expect(read({}, { metadata: { user_id: form("") } }).endUser).toBe(device);
		}
	});

	it.each(["{", "{}", '{"session_id":1}', '{"session_id":"s"}', "user_a_account", "plain"])(
		"in another form (%s) stays as it was sent",
		(userId) => expect(read({}, { metadata: { user_id: userId } }).endUser).toBe(userId),
	);
});

describe("metadata", () => {
	const bodySchema = z.object({ metadata: metadataField() });
	const issues = (schema: z.ZodType, metadata: unknown) =>
		schema.safeParse({ metadata }).error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
	const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`name${i}`, "value"]));

	it.each([
		["a number", { a: 1 }, "metadata.a: must be a string"],
		["a null", { a: null }, "metadata.a: must be a string"],
		["a long value", { a: "x".repeat(513) }, "metadata.a: must have at most 512 characters"],
		["a long name", { ["x".repeat(65)]: "v" }, "metadata: a name must have at most 64 characters"],
		["too many pairs", pairs(17), "metadata: must have at most 16 pairs"],
	])("with %s is refused in words, in OpenAI's form and in Anthropic's", (_, metadata, message) => {
		expect(issues(bodySchema, metadata)).toEqual([message]);
		expect(issues(z.object({ metadata: userMetadataField() }), metadata)).toEqual([message]);
	});

	it("of 16 pairs at their longest is kept whole", () => {
		const metadata = Object.fromEntries(
			Array.from({ length: 16 }, (_, i) => [String(i).padStart(64, "n"), "v".repeat(512)]),
		);
		expect(issues(bodySchema, metadata)).toBeUndefined();
		expect(read({}, { metadata }).metadata).toEqual(metadata);
	});

	it("of a refused body is kept as far as it is within the bounds", () => {
		const metadata = { ...pairs(20), number: 1, long: "x".repeat(513) };
		expect(read({}, { metadata }).metadata).toEqual(pairs(16));
		expect(read({}, { metadata: [] })).toEqual(UNNAMED);
		expect(read({}, "no object")).toEqual(UNNAMED);
	});

	it("keeps a pair with the name of a member of all objects", () => {
		const metadata = JSON.parse('{"__proto__": "a", "constructor": "b"}');
		expect(Object.entries(read({}, { metadata }).metadata)).toEqual([
			["__proto__", "a"],
			["constructor", "b"],
		]);
	});
});

describe.skipIf(!hasSharedData("clients"))("what coding agents send", () => {
	it.each(["claude-code-2.1.330-1.json", "codex-0.169-auto-1.json"])("names the session: %s", (file) => {
		const { headers, body } = JSON.parse(readSharedData(`clients/${file}`));
		const { names, ignoredSession } = readRequestNames(new Headers(headers), body);
		expect(ignoredSession).toBeNull();
		expect(names.sessionId).toMatch(/^[0-9a-f-]{36}$/);
		expect(hasNames(names)).toBe(true);
	});
});
