import { describe, expect, it } from "vitest";
import { soleKey } from "../../../src/catalog/provider-keys.ts";
import type { Provider } from "../../../src/catalog/schema.ts";
import { withKey } from "../../../src/providers/auth-headers.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";

const REQUEST = {
	url: "https://u.test/v1",
	headers: { accept: "application/json" },
	body: "{}",
	maxInputTokens: 1,
	maxOutputTokens: 1,
	warnings: [],
};

function headersFor(row: Partial<Provider>): Record<string, string> {
	const [provider] = TEST_CATALOG.providers;
	if (!provider) throw new Error("the catalog has providers");
	const { auth: _, ...rest } = provider;
	return withKey(REQUEST, { ...rest, ...row }, soleKey("k")).headers;
}

describe("a request under a key", () => {
	it.each([
		["openai", { authorization: "Bearer k" }],
		["anthropic", { "x-api-key": "k" }],
		["google", { "x-goog-api-key": "k" }],
		["bedrock", { authorization: "Bearer k" }],
	] as const)("carries it as the %s wire does", (wire, headers) => {
		expect(headersFor({ wire })).toEqual({ ...REQUEST.headers, ...headers });
	});

	it("carries it as the provider's row says, whatever the wire", () => {
		expect(headersFor({ wire: "anthropic", auth: "bearer" })).toEqual({
			...REQUEST.headers,
			authorization: "Bearer k",
		});
		expect(headersFor({ wire: "openai", auth: { header: "Api-Key" } })).toEqual({ ...REQUEST.headers, "api-key": "k" });
		expect(headersFor({ wire: "openai", auth: "none" })).toEqual(REQUEST.headers);
	});
});
