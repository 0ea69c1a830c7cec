import { describe, expect, it } from "vitest";
import { prefersHtml } from "../../../src/site/preference.ts";

describe("a page is preferred", () => {
	it.each([
		"text/html",
		"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
		"application/json;q=0.2, text/html;q=0.9",
		"TEXT/HTML; q=0.5",
		"text/*",
		"*/*, application/json;q=0.1",
		"text/html, application/json;q=never",
	])("by %s", (accept) => {
		expect(prefersHtml(accept)).toBe(true);
	});
});

describe("JSON is answered", () => {
	it.each([
		"",
		"*/*",
		"application/json",
		"text/html, application/json",
		"text/html;q=0, */*",
		"application/json, text/html;q=0.9, */*;q=0.1",
		"application/*, text/html;q=0.3",
		"text/htmlx",
		"text/html;q=abc",
		",;,",
	])("to %s", (accept) => {
		expect(prefersHtml(accept)).toBe(false);
	});
});
