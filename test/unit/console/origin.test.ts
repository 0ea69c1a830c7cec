// Where forms come from and where sign-ins lead.
import { describe, expect, it } from "vitest";
import { isFromOwnPage, toOwnPath } from "../../../src/console/origin.ts";

const OWN = "https://svc.test";

describe("a form", () => {
	it.each([
		[{ origin: OWN }, true],
		[{ origin: "https://svc.test.evil.test" }, false],
		[{ origin: "http://svc.test" }, false],
		[{ origin: "null" }, false],
		[{ "sec-fetch-site": "same-origin" }, true],
		[{ "sec-fetch-site": "same-site" }, false],
		[{ origin: "https://evil.test", "sec-fetch-site": "same-origin" }, false],
		[{}, false],
	])("with %j comes from an own page: %s", (headers, expected) => {
		expect(isFromOwnPage(new Headers(Object.entries(headers)), OWN)).toBe(expected);
	});
});

describe("a sign-in", () => {
	it.each(["/console", "/console/runs/agt_1?x=%2F", "/console?cursor=a"])("leads on to %s", (next) => {
		expect(toOwnPath(next)).toBe(next);
	});

	it.each([
		null,
		"",
		"/",
		"//evil.test",
		"https://evil.test",
		"/console\\..",
		"/consoles",
		"/console/\u202e",
		"/console/a b",
		"/console/../v1/usage",
		"/console/./../../v1",
		"/console/%2e%2e/v1",
		"/console/.%2E/v1",
		"/console/..%2f..%2fv1",
		"/console/%5c%5cevil.test",
		"/console//evil.test",
		"/\\evil.test",
		"/console/\t/evil.test",
		"/console\r\nset-cookie: a=b",
		"/console/runs#/../../x",
		"\t/console",
	])("leads to the overview instead of %j", (next) => {
		expect(toOwnPath(next)).toBe("/console");
	});
});
