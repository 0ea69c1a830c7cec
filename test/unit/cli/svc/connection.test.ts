import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { chooseConnection } from "../../../../src/cli/svc/connection.ts";
import { loginPath, readLogin, removeLogin, writeLogin } from "../../../../src/cli/svc/login-file.ts";

const NONE = { url: undefined, key: undefined };
const LOGIN = { url: "https://svc.example.com", key: "svc_sk_login" };

describe("the connection", () => {
	it("comes from flags before variables before the login", () => {
		const variables = { SVC_BASE_URL: "https://b.example.com/v1", SVC_API_KEY: "svc_sk_b" };
		const flags = { url: "https://a.example.com", key: "svc_sk_a" };
		expect(chooseConnection(flags, variables, LOGIN)).toEqual({
			origin: "https://a.example.com",
			apiKey: "svc_sk_a",
			keyFrom: "--key",
		});
		expect(chooseConnection(NONE, variables, LOGIN)).toMatchObject({
			origin: "https://b.example.com",
			apiKey: "svc_sk_b",
		});
		expect(chooseConnection(NONE, {}, LOGIN)).toMatchObject({ origin: LOGIN.url, apiKey: LOGIN.key });
		expect(chooseConnection(NONE, {}, null)).toMatchObject({ origin: "http://127.0.0.1:8787", apiKey: null });
	});

	it("sends the key of a login to no other service", () => {
		for (const url of ["https://evil.example.com", "http://svc.example.com", "https://svc.example.com:8443"])
			expect(chooseConnection({ url, key: undefined }, {}, LOGIN).apiKey).toBeNull();
		expect(chooseConnection(NONE, { SVC_BASE_URL: "https://evil.example.com" }, LOGIN).apiKey).toBeNull();
		expect(chooseConnection({ url: `${LOGIN.url}/v1`, key: undefined }, {}, LOGIN).apiKey).toBe(LOGIN.key);
	});

	it("never sends OpenAI's own key", () => {
		expect(chooseConnection(NONE, { OPENAI_API_KEY: "sk-proj-abc" }, LOGIN).apiKey).toBe(LOGIN.key);
		expect(chooseConnection(NONE, { OPENAI_API_KEY: "svc_sk_o" }, null).keyFrom).toBe("OPENAI_API_KEY");
	});

	it("refuses an address that is none", () => {
		expect(() => chooseConnection({ url: "svc.example.com", key: undefined }, {}, null)).toThrow("no http address");
	});
});

describe("the login file", () => {
	const dir = mkdtempSync(join(tmpdir(), "svc-login-"));
	const path = loginPath({ XDG_CONFIG_HOME: dir });
	afterEach(() => rmSync(join(dir, "svc"), { recursive: true, force: true }));

	it("is readable by its owner only, also when it replaces one that was not", () => {
		writeLogin(path, LOGIN);
		rmSync(path);
		writeFileSync(path, "{}", { mode: 0o644 });
		writeLogin(path, LOGIN);
		expect(statSync(path).mode & 0o777).toBe(0o600);
		expect(statSync(join(dir, "svc")).mode & 0o777).toBe(0o700);
		expect(readLogin(path)).toEqual(LOGIN);
	});

	it("that holds something else is named, and one that is missing is none", () => {
		expect(readLogin(path)).toBeNull();
		expect(removeLogin(path)).toBe(false);
		writeLogin(path, LOGIN);
		writeFileSync(path, '{"url": 1}');
		expect(() => readLogin(path)).toThrow(`${path} holds no login`);
		expect(removeLogin(path)).toBe(true);
	});

	it("lies under an absolute XDG_CONFIG_HOME only", () => {
		expect(path).toBe(join(dir, "svc/login.json"));
		expect(loginPath({ XDG_CONFIG_HOME: "relative" })).toMatch(/\/\.config\/svc\/login\.json$/);
	});
});
