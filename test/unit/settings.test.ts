// Settings: what is required, what is refused, and that no value is shown.
import { describe, expect, it } from "vitest";
import { parseSettings, SettingsError } from "../../src/settings.ts";

describe("settings", () => {
	const faulty = (env: Record<string, string>) => {
		try {
			parseSettings(env);
		} catch (error) {
			if (error instanceof SettingsError) return error.message;
			throw error;
		}
		return null;
	};
	const good = { KEY_PEPPER: "0123456789abcdef" };

	it("name the variable that is missing or wrong, and never show its value", () => {
		expect(faulty({})).toContain("KEY_PEPPER");
		expect(faulty({ ...good, SIGNING_KEY: "secretsecret" })).toMatch(/^SIGNING_KEY must be 64 hex digits/);
		expect(faulty({ ...good, SIGNING_KEY: "secretsecret" })).not.toContain("secretsecret");
		expect(faulty({ ...good, ADMIN_TOKEN: "short" })).toContain("ADMIN_TOKEN");
		expect(faulty({ ...good, MAX_BODY_BYTES: "-1" })).toContain("MAX_BODY_BYTES");
		expect(faulty({ ...good, OPENAI_API_KEY: "k", OPENAI_BASE_URL: "localhost" })).toContain("OPENAI_BASE_URL");
		expect(faulty({ ...good, RETIRED_PUBLIC_KEYS: "AAAA" })).toContain("RETIRED_PUBLIC_KEYS");
		expect(faulty(good)).toBeNull();
	});

	it("take a provider's key under its alternative names, and an empty one as absent", () => {
		const { providers } = parseSettings({
			...good,
			GOOGLE_API_KEY: "k",
			OPENAI_API_KEY: " ",
			ZAI_API_KEY: "z",
			ZAI_BASE_URL: "http://127.0.0.1:1/v4/",
		});
		expect([...providers.keys()]).toEqual(["google", "zai"]);
		expect(providers.get("zai")).toMatchObject({ apiKey: "z", baseUrl: "http://127.0.0.1:1/v4", host: "127.0.0.1:1" });
	});

	it("list retired public keys behind the current one", () => {
		const retired = Buffer.alloc(32, 5).toString("base64");
		const { publicKeys } = parseSettings({ ...good, SIGNING_KEY: "00".repeat(32), RETIRED_PUBLIC_KEYS: `${retired},` });
		expect(publicKeys.map(({ status }) => status)).toEqual(["current", "retired"]);
		expect(publicKeys[1]?.public_key).toBe(retired);
	});
});
