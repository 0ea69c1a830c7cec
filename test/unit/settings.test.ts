// Settings: what is required, what is refused, and that no value is shown.
import { describe, expect, it } from "vitest";
import { parseSettings, SETTING_NAMES, SettingsError } from "../../src/settings.ts";

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

	it("take hosts of webhooks as whole names only, and texts as stored unless that is off", () => {
		const { webhookHosts, storesTexts } = parseSettings({ ...good, WEBHOOK_HOSTS: " Hooks.example.com,b.test ," });
		expect([[...webhookHosts], storesTexts]).toEqual([["hooks.example.com", "b.test"], true]);
		for (const host of ["https://a.test", "a.test:443", "*.a.test", "10.0.0.1", "[::1]", "a.test/x"])
			expect(faulty({ ...good, WEBHOOK_HOSTS: host }), host).toMatch(/^WEBHOOK_HOSTS must be host names/);
		expect(parseSettings(good).webhookHosts.size).toBe(0);
		expect(parseSettings({ ...good, DETECTOR_URL: "https://pii.example.com/v1/" }).detectorUrl).toBe(
			"https://pii.example.com/v1",
		);
		expect(parseSettings({ ...good, DETECTOR_URL: "http://127.0.0.1:5002" }).detectorUrl).toBe("http://127.0.0.1:5002");
		expect(parseSettings(good).detectorUrl).toBeNull();
		for (const address of ["http://pii.example.com", "ftp://localhost", "https://u:p@pii.example.com", "pii"])
			expect(faulty({ ...good, DETECTOR_URL: address }), address).toBe(
				"DETECTOR_URL must be an https address, or an http address of this machine",
			);
		expect(parseSettings({ ...good, STORE_RESPONSES: "off" }).storesTexts).toBe(false);
		expect(faulty({ ...good, STORE_RESPONSES: "no" })).toBe("STORE_RESPONSES must be off, or absent");
	});

	it("take one address for traces and metrics, with headers as OpenTelemetry writes them", () => {
		const { telemetry } = parseSettings({
			...good,
			OTLP_ENDPOINT: "https://collector.example.com/otlp/",
			OTLP_HEADERS: " Authorization=Basic%20dTpw%3D%2C, x-scope=a=b ,,",
			OTLP_CONTENT: "on",
			METRICS_LABELS: "key, User,key",
		});
		expect(telemetry).toEqual({
			otlp: {
				tracesUrl: "https://collector.example.com/otlp/v1/traces",
				metricsUrl: "https://collector.example.com/otlp/v1/metrics",
				headers: [
					["authorization", "Basic dTpw=,"],
					["x-scope", "a=b"],
				],
			},
			hasContent: true,
			hasLegacyMetrics: false,
			metricsToken: null,
			metricLabels: ["key", "user"],
		});
		expect(parseSettings({ ...good, OTLP_HEADERS: "a=b" }).telemetry.otlp).toBeNull();
	});

	it("refuse telemetry's settings that mean nothing, without showing a value", () => {
		for (const headers of ["secret", "=secret", "a b=secret", "a=%zz", "a=%0d%0ab", "Content-Length=1", "host=x"])
			expect(faulty({ ...good, OTLP_HEADERS: headers }), headers).toBe(
				"OTLP_HEADERS must be name=value separated by commas, values percent-encoded, none of them a header of the body",
			);
		expect(faulty({ ...good, OTLP_ENDPOINT: "collector" })).toMatch(/^OTLP_ENDPOINT must be an address/);
		expect(faulty({ ...good, OTLP_ENDPOINT: "http://collector.example.com" })).toMatch(/^OTLP_ENDPOINT must be https/);
		const local = { ...good, OTLP_ENDPOINT: "http://10.0.0.5:4318" };
		expect(faulty(local)).toBeNull();
		expect(faulty({ ...local, PLATFORM: "cloudflare" })).toMatch(/^OTLP_ENDPOINT is of this machine/);
		expect(faulty({ ...local, PLATFORM: "cloudflare", UPSTREAM_HOSTS: "10.0.0.5:4318" })).toBeNull();
		expect(faulty({ ...good, OTLP_CONTENT: "yes" })).toBe("OTLP_CONTENT must be on or off");
		expect(faulty({ ...good, OTLP_LEGACY_METRICS: "1" })).toBe("OTLP_LEGACY_METRICS must be on or off");
		expect(faulty({ ...good, METRICS_TOKEN: "secret" })).toBe("METRICS_TOKEN must have at least 16 characters");
		expect(faulty({ ...good, METRICS_LABELS: "user,session" })).toBe(
			"METRICS_LABELS must be of user, key, separated by commas",
		);
	});

	it("name every variable that is wrong, of every provider, at once", () => {
		const wrong = {
			AUDIT_SECRETS: "yes",
			OPENAI_FACTS: "1",
			OPENAI_BASE_URL: "localhost",
			GROQ_ZERO_RETENTION: "true",
		};
		expect(faulty({ ...good, ...wrong })?.split("; ")).toEqual([
			"AUDIT_SECRETS must be keep or hash",
			"OPENAI_BASE_URL must be an address such as https://models.example.com/v1",
			"OPENAI_FACTS must be provider, or absent",
			"GROQ_ZERO_RETENTION must be 1, or absent",
		]);
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
		expect(providers.get("zai")).toMatchObject({
			keys: [{ secret: "z" }],
			baseUrl: "http://127.0.0.1:1/v4",
			host: "127.0.0.1:1",
		});
	});

	it("read the waits of a step's tries as whole milliseconds", () => {
		expect(parseSettings(good).stepRetryWaitsMs).toEqual([250, 1_000, 4_000]);
		expect(parseSettings({ ...good, STEP_RETRY_WAITS_MS: "5, 70" }).stepRetryWaitsMs).toEqual([5, 70]);
		for (const waits of ["1,,2", "0", "1.5", "soon"]) {
			expect(faulty({ ...good, STEP_RETRY_WAITS_MS: waits }), waits).toMatch(/^STEP_RETRY_WAITS_MS must be whole/);
		}
	});

	it("know a replaced address from the provider's own, and who vouches for it", () => {
		const standing = (env: Record<string, string>) => parseSettings({ ...good, ...env }).attestations.get("zai");
		const own = {
			isReplaced: false,
			isMoved: false,
			zeroRetention: false,
			businessAssociate: false,
			businessAssociateSetting: "ZAI_BAA",
		};
		expect(standing({})).toEqual(own);
		expect(standing({ ZAI_BASE_URL: "https://api.z.ai/api/paas/v4/" })).toEqual(own);
		expect(standing({ ZAI_BASE_URL: "http://127.0.0.1:1/v4" })).toEqual({ ...own, isReplaced: true });
		expect(standing({ ZAI_BASE_URL: "http://127.0.0.1:1/v4", ZAI_FACTS: "provider" })).toEqual(own);
		expect(standing({ ZAI_ZERO_RETENTION: "1" })).toEqual({ ...own, zeroRetention: true });
		expect(standing({ ZAI_BAA: "1" })).toEqual({ ...own, businessAssociate: true });
		expect(faulty({ ...good, ZAI_FACTS: "yes" })).toBe("ZAI_FACTS must be provider, or absent");
		expect(faulty({ ...good, ZAI_ZERO_RETENTION: "true" })).toBe("ZAI_ZERO_RETENTION must be 1, or absent");
		expect(faulty({ ...good, AUDIT_SECRETS: "yes" })).toBe("AUDIT_SECRETS must be keep or hash");
		expect(SETTING_NAMES).toEqual(expect.arrayContaining(["ZAI_FACTS", "ZAI_ZERO_RETENTION", "AUDIT_SECRETS"]));
	});

	it.each(["svc.local", "log.example", "Log.Example", "a", "xn--bcher-kva.example", "10.0.0.1", `${"a".repeat(63)}.b`])(
		"take the host name %s for a log's origin",
		(origin) => {
			expect(parseSettings({ ...good, LOG_ORIGIN: origin }).logOrigin).toBe(origin);
		},
	);

	it.each([
		"https://log.example",
		"log.example/",
		"log.example/logs",
		"log.example:443",
		"log example",
		"log+example",
		"log\u2003example",
		"log\nexample",
		"log..example",
		".log",
		"log.example.",
		"-log.example",
		"log-.example",
		"log_example",
		"bücher.example",
		`${"a".repeat(64)}.b`,
		`${"a.".repeat(127)}`,
		"user@log.example",
	])("refuse %j for it, and name LOG_ORIGIN", (origin) => {
		const message = faulty({ ...good, LOG_ORIGIN: origin });
		expect(message).toMatch(/^LOG_ORIGIN must be a host name/);
		expect(message).not.toContain(origin);
	});

	it("are known by their names, of every provider too", () => {
		expect(SETTING_NAMES).toEqual(
			expect.arrayContaining([
				"LOG_ORIGIN",
				"KEY_PEPPER",
				"MAX_BODY_BYTES",
				"OPENAI_API_KEY",
				"GOOGLE_API_KEY",
				"ZAI_BASE_URL",
			]),
		);
		expect(new Set(SETTING_NAMES).size).toBe(SETTING_NAMES.length);
	});

	it("list retired public keys behind the current one", () => {
		const retired = Buffer.alloc(32, 5).toString("base64");
		const { publicKeys } = parseSettings({ ...good, SIGNING_KEY: "00".repeat(32), RETIRED_PUBLIC_KEYS: `${retired},` });
		expect(publicKeys.map(({ status }) => status)).toEqual(["current", "retired"]);
		expect(publicKeys[1]?.public_key).toBe(retired);
	});
});
