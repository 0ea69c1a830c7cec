// Redaction of secrets in audit events: a keyed hash if the operator wants it, also of a secret that only its name reveals.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { redactPayloadSecrets, redactSecrets } from "../../../src/compliance/audit-secrets.ts";
import { parseSettings } from "../../../src/settings.ts";
import { variablesFor } from "../../support/variables.ts";

const PASSWORD = "Zu8kQ0p!x92Lw";
const HASHED = /^\[generic_secret hmac-sha256:[0-9a-f]{32}\]$/;

const settings = (values: Record<string, string>) => parseSettings({ ...variablesFor(CATALOG), ...values });
const HASH = settings({ AUDIT_SECRETS: "hash" });

async function kept(payload: unknown): Promise<Record<string, unknown>> {
	return JSON.parse(await redactPayloadSecrets(JSON.stringify(payload), HASH)) as Record<string, unknown>;
}

describe("a payload under AUDIT_SECRETS=hash", () => {
	it.each<[string, unknown]>([
		["in a text", { action: `log in, password: ${PASSWORD}` }],
		["behind its name", { context: { password: PASSWORD } }],
		["in a list behind its name", { context: { env: { DB_PASSWORD: [PASSWORD] } } }],
		["as a value beside its name", { context: { env: [{ name: "DB_PASSWORD", value: PASSWORD }] } }],
	])("keeps no secret that stands %s", async (_, payload) => {
		expect(JSON.stringify(await kept(payload))).not.toContain(PASSWORD);
	});

	it("has the same hash for the same value wherever it stands, and another under another key", async () => {
		const { password, told } = await kept({ password: PASSWORD, told: `password: ${PASSWORD}` });
		expect(password).toMatch(HASHED);
		expect(told).toBe(`password: ${password}`);
		const other = settings({ AUDIT_SECRETS: "hash", KEY_PEPPER: "another pepper of length" });
		expect(await redactSecrets(`password: ${PASSWORD}`, other)).not.toBe(told);
	});

	it("keeps everything else as it is, numbers and names included", async () => {
		const payload = { action: "deploy", commands: ["ls -l"], context: { tokens: 5, password_policy: null, on: true } };
		expect(await kept(payload)).toEqual(payload);
	});
});

describe("a payload without it", () => {
	it("is kept as it was sent", async () => {
		const payload = JSON.stringify({ context: { password: PASSWORD } });
		expect(await redactPayloadSecrets(payload, settings({}))).toBe(payload);
	});
});
