// The page that verifies in the browser, as it is built (by vitest.config.ts, before any test).
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { describePage } from "../../../src/pages/page.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../../src/pages/built/verify.html"), "utf8");

const script = /<script>([\s\S]*?)<\/script>/.exec(page)?.[1] ?? "";
const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? "";
const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

describe("the page that verifies", () => {
	it("is one file, with a policy that lets it run itself and reach nobody, in itself and in its headers", () => {
		const own = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(page)?.[1];
		const sent = describePage(page).headers["content-security-policy"];
		const policy = [
			"default-src 'none'",
			`script-src ${hash(script)}`,
			`style-src ${hash(style)}`,
			"connect-src 'none'",
			"base-uri 'none'",
			"form-action 'none'",
		].join("; ");
		expect([own, sent]).toEqual([policy, `${policy}; frame-ancestors 'none'`]);
		expect(script.length).toBeGreaterThan(10_000);
	});

	it("has nothing in it that could send or load anything", () => {
		expect(page).not.toMatch(/<(?:link|img|iframe|object|embed|form[^>]+action)\b/);
		expect(page).not.toMatch(/\s(?:src|href|action)=/);
		expect(script).not.toMatch(
			/\bfetch\s*\(|XMLHttpRequest|sendBeacon|WebSocket|EventSource|\bimport\s*\(|RTCPeerConnection|new Image|importScripts|new Worker|\.submit\(|location\s*=|window\.open/,
		);
		expect(style).not.toMatch(/url\(|@import/);
	});

	it("names its fields for who cannot see them", () => {
		for (const [, id] of page.matchAll(/<(?:textarea|select) id="(\w+)"/g))
			expect(page, id).toContain(`<label for="${id}">`);
	});
});
