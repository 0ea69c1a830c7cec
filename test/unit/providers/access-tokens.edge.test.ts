// Tokens: what is asked for them, how often, and what becomes of endpoints that are slow, refuse or answer loosely.
import { createVerify } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseCredentialKeys } from "../../../src/catalog/provider-keys.ts";
import { AccessTokens, type TokenCredentials } from "../../../src/providers/access-tokens.edge.ts";
import { ACCOUNT_PUBLIC_KEY, serviceAccount } from "../../support/service-account.ts";

const WAIT_MS = 30_000;

/** A key that takes tokens. */
function keyOf(written: unknown, form: "google" | "entra") {
	const { keys, faults } = parseCredentialKeys(written, form);
	if (!keys) throw new Error(faults?.join());
	const [key] = keys;
	return { key, credentials: key.credentials as TokenCredentials };
}
const GOOGLE = keyOf(serviceAccount(), "google");
const ENTRA = keyOf({ tenant_id: "acme.example", client_id: "app-1", client_secret: "s3cr3t~" }, "entra");

/** What the endpoint is asked, and how it answers. */
const asked: { url: string; form: URLSearchParams }[] = [];
let answer: () => Promise<Response>;
let tokens: AccessTokens;
const find = ({ key, credentials } = GOOGLE, waitMs = WAIT_MS) => tokens.find(key, credentials, "vertex", waitMs);
const tokenAnswer = (token: string, more: object = { expires_in: 3_600 }) =>
	Response.json({ access_token: token, token_type: "Bearer", ...more });

beforeEach(() => {
	vi.useFakeTimers({ now: Date.parse("2026-11-28T12:00:00Z") });
	asked.length = 0;
	tokens = new AccessTokens();
	let count = 0;
	answer = async () => tokenAnswer(`t${++count}`);
	vi.stubGlobal("fetch", (url: string, init: RequestInit) => {
		asked.push({ url, form: new URLSearchParams(String(init.body)) });
		return answer();
	});
	vi.spyOn(console, "warn").mockImplementation(() => undefined);
});
afterEach(() => {
	vi.unstubAllGlobals();
	vi.restoreAllMocks();
	vi.useRealTimers();
});

describe("a token", () => {
	it("is asked for with an assertion that the account's key signed, and that other code verifies", async () => {
		expect(await find()).toEqual({ token: "t1", isKept: false });
		const [call] = asked;
		expect(call?.url).toBe("https://oauth2.googleapis.com/token");
		expect(call?.form.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
		const [header = "", claims = "", signature = ""] = call?.form.get("assertion")?.split(".") ?? [];
		const verify = createVerify("RSA-SHA256").update(`${header}.${claims}`);
		expect(verify.verify(ACCOUNT_PUBLIC_KEY, signature, "base64url")).toBe(true);
		const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
		expect(read(header)).toEqual({ alg: "RS256", typ: "JWT", kid: "k1" });
		expect(read(claims)).toEqual({
			iss: "svc@acme-prod.iam.gserviceaccount.com",
			scope: "https://www.googleapis.com/auth/cloud-platform",
			aud: "https://oauth2.googleapis.com/token",
			iat: 1_795_867_200,
			exp: 1_795_867_200 + 3_600,
		});
	});

	it("of an application is asked for with its secret at its tenant", async () => {
		await find(ENTRA);
		expect(asked[0]?.url).toBe("https://login.microsoftonline.com/acme.example/oauth2/v2.0/token");
		expect(Object.fromEntries(asked[0]?.form ?? [])).toEqual({
			grant_type: "client_credentials",
			client_id: "app-1",
			client_secret: "s3cr3t~",
			scope: "https://cognitiveservices.azure.com/.default",
		});
	});

	it("is fetched once for a hundred calls at once, and kept until a minute before its end", async () => {
		const found = await Promise.all(Array.from({ length: 100 }, () => find()));
		expect(new Set(found.map((each) => "token" in each && each.token))).toEqual(new Set(["t1"]));
		vi.advanceTimersByTime(3_539_000);
		expect(await find()).toEqual({ token: "t1", isKept: true });
		vi.advanceTimersByTime(2_000);
		expect(await find()).toEqual({ token: "t2", isKept: false });
		expect(asked).toHaveLength(2);
	});

	it("is each key's own", async () => {
		await find();
		await find(ENTRA);
		expect(await find(ENTRA)).toEqual({ token: "t2", isKept: true });
	});

	it("is dropped when it was refused, but not the one that took its place", async () => {
		const first = await find();
		if (!("token" in first)) throw new Error("no token");
		tokens.drop(GOOGLE.key, first);
		expect(await find()).toEqual({ token: "t2", isKept: false });
		tokens.drop(GOOGLE.key, first);
		expect(await find()).toEqual({ token: "t2", isKept: true });
	});

	it("is fetched anew when the clock went back to before it was fetched", async () => {
		await find();
		vi.setSystemTime(Date.now() - 7_200_000);
		expect(await find()).toMatchObject({ token: "t2" });
	});
});

describe("a token endpoint's answer", () => {
	it.each([
		["the life as a text", { expires_in: "120" }, 61, 59],
		["no life", {}, 241, 239],
		["a life that is none", { expires_in: "soon" }, 241, 239],
		["a life shorter than the margin", { expires_in: 20 }, 11, 9],
	])("with %s is read, and never trusted for longer", async (_, more, overS, keptS) => {
		answer = async () => tokenAnswer("t", more);
		await find();
		vi.advanceTimersByTime(keptS * 1_000);
		expect(await find()).toMatchObject({ isKept: true });
		vi.advanceTimersByTime((overS - keptS) * 1_000);
		expect(await find()).toMatchObject({ isKept: false });
	});

	it.each([
		["HTML", () => new Response("<html>", { status: 200 }), "unusable"],
		["another type of token", () => tokenAnswer("t", { token_type: "mac" }), "unusable"],
		["a token that no header holds", () => tokenAnswer("t\r\nx: y"), "unusable"],
		["an empty body", () => new Response(null, { status: 200 }), "unusable"],
		["a body without end", () => new Response("x".repeat(70_000)), "unusable"],
		["a redirect", () => new Response(null, { status: 302, headers: { location: "https://evil.test" } }), "unusable"],
		["a refusal", () => Response.json({ error: "invalid_grant" }, { status: 400 }), "refused"],
		["status 500", () => new Response("no", { status: 500 }), "failed"],
	])("that is %s gives no token, and the next call asks again", async (_, respond, why) => {
		answer = async () => respond();
		expect(await find()).toMatchObject({ kind: "no_token", why });
		answer = async () => tokenAnswer("later");
		expect(await find()).toMatchObject({ token: "later" });
	});

	it("names a wait, which the failure keeps", async () => {
		answer = async () => new Response("", { status: 429, headers: { "retry-after": "7" } });
		expect(await find()).toEqual({ kind: "no_token", why: "failed", status: 429, retryAfterMs: 7_000 });
	});

	it("is logged by its codes alone: no secret, no description", async () => {
		answer = async () =>
			Response.json(
				{ error: "invalid_client", error_description: "AADSTS7000215: s3cr3t~ is wrong", error_codes: [7_000_215] },
				{ status: 401 },
			);
		await find(ENTRA);
		const logged = String(vi.mocked(console.warn).mock.calls.flat().join());
		expect(JSON.parse(logged)).toEqual({
			level: "warning",
			event: "token_refused",
			provider: "vertex",
			status: 401,
			error: "invalid_client",
			codes: [7_000_215],
		});
	});
});

describe("a token endpoint that", () => {
	it("cannot be reached gives no token", async () => {
		answer = () => Promise.reject(new TypeError("fetch failed"));
		expect(await find()).toMatchObject({ kind: "no_token", why: "unreachable", status: null });
	});

	it("is slow keeps a caller no longer than it may wait, and serves those who wait longer", async () => {
		answer = () => new Promise((resolve) => setTimeout(() => resolve(tokenAnswer("slow")), 8_000));
		const [hurried, patient] = [find(ENTRA, 2_000), find(ENTRA)];
		await vi.advanceTimersByTimeAsync(2_000);
		expect(await hurried).toMatchObject({ why: "late" });
		await vi.advanceTimersByTimeAsync(6_000);
		expect(await patient).toMatchObject({ token: "slow" });
		expect(asked).toHaveLength(1);
	});

	it("was asked by a request that is over is asked again by the next", async () => {
		answer = () => new Promise(() => undefined);
		void find(ENTRA);
		await vi.advanceTimersByTimeAsync(0);
		// Its timers are gone with the request.
		vi.setSystemTime(Date.now() + 11_000);
		answer = async () => tokenAnswer("next");
		expect(await find(ENTRA)).toMatchObject({ token: "next" });
		expect(asked).toHaveLength(2);
	});

	it("never answers is given up after ten seconds", async () => {
		answer = () => new Promise(() => undefined);
		const found = find();
		await vi.advanceTimersByTimeAsync(10_000);
		expect(await found).toMatchObject({ kind: "no_token", why: "late" });
	});
});
