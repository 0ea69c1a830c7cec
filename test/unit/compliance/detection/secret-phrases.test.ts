import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../../src/compliance/conversation.ts";
import { detect } from "../../../../src/compliance/detect.ts";

/** Put together here, so that scanners of repositories do not take it for a real one. */
const PASSWORD = ["Fjord", "7!lamp", "Q2"].join("");
const KEY = ["9fK2", "xT7mQ4vL", "8sB1nR6c", "Zw3H5dY0"].join("");

describe("a secret in a setting or a sentence", () => {
	it.each([
		`<add key="SmtpPassword" value="${PASSWORD}" />`,
		`<property name="db.password" value="${PASSWORD}"/>`,
		`api key ${KEY}`,
		`secret key base: ${KEY}`,
		`rzp_live_${KEY.slice(0, 14)}`,
		`LTAI${KEY.slice(0, 20)}`,
	])("is found in form %#", (text) => {
		expect(detect(plainConversation(text)).classes).toEqual(["SECRETS"]);
	});

	it.each([
		'<add key="SmtpPassword" value="%SMTP_PASSWORD%" />',
		'<add key="Theme" value="Fjord7lampQ2" />',
		"api key rotation-without-downtime",
		"the primary key a1b2 is composite",
	])("is none in %j", (text) => {
		expect(detect(plainConversation(text)).classes).toEqual([]);
	});
});
