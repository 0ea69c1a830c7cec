// The sandbox is told the stage of a call, and no other upstream is.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import {
	parseStage,
	SANDBOX_AWS_KEY,
	SANDBOX_KEY,
	STAGE_HEADER,
	withStage,
} from "../../../src/providers/sandbox-stage.ts";
import type { UpstreamRequest } from "../../../src/providers/wire.ts";
import { parseSettings } from "../../../src/settings.ts";
import { BEDROCK_CATALOG } from "../../support/bedrock-rows.ts";

const REQUEST: UpstreamRequest = {
	url: "https://u.test",
	headers: { "content-type": "application/json" },
	body: "{}",
	maxInputTokens: 1,
	maxOutputTokens: 1,
	warnings: [],
};
const STAGE = { stage: "round:1", role: "debater", asksFor: "final_answer" };

/** The request that a provider is sent under a key, at another address if one is given. */
function sentTo(apiKey: string, baseUrl?: string, stage: typeof STAGE | undefined = STAGE): UpstreamRequest {
	const [provider] = CATALOG.providers;
	if (!provider) throw new Error("the catalog has providers");
	const { env_prefix, id } = provider;
	const variables = {
		KEY_PEPPER: "0123456789abcdef",
		[`${env_prefix}_API_KEY`]: apiKey,
		[`${env_prefix}_BASE_URL`]: baseUrl,
	};
	const access = parseSettings(variables).providers.get(id);
	if (!access) throw new Error("the provider has a key");
	return withStage(REQUEST, access, stage);
}

describe("the stage of a call", () => {
	it("goes to the sandbox in a header, beside the others", () => {
		const { headers, ...rest } = sentTo(SANDBOX_KEY, "http://127.0.0.1:1/x");
		expect(headers).toEqual({ ...REQUEST.headers, [STAGE_HEADER]: "round:1 debater final_answer" });
		expect({ ...rest, headers: REQUEST.headers }).toEqual(REQUEST);
	});

	it("goes to nobody else: neither under a provider's key nor to a provider's own address", () => {
		expect(sentTo("sk-real", "http://127.0.0.1:1/x")).toBe(REQUEST);
		expect(sentTo("sk-real")).toBe(REQUEST);
		expect(sentTo(SANDBOX_KEY)).toBe(REQUEST);
	});

	it("goes to the sandbox under credentials of AWS's, too, and not under others", () => {
		const sentUnder = (key: typeof SANDBOX_AWS_KEY) => {
			const variables = {
				KEY_PEPPER: "0123456789abcdef",
				BEDROCK_EU_CENTRAL_1_CREDENTIALS: JSON.stringify(key),
				BEDROCK_EU_CENTRAL_1_BASE_URL: "http://127.0.0.1:1/x",
			};
			const access = parseSettings(variables, BEDROCK_CATALOG).providers.get("bedrock-eu-central-1");
			if (!access) throw new Error("the provider has a key");
			return withStage(REQUEST, access, STAGE).headers[STAGE_HEADER];
		};
		expect(sentUnder(SANDBOX_AWS_KEY)).toBe("round:1 debater final_answer");
		expect(sentUnder({ ...SANDBOX_AWS_KEY, secret_access_key: "real" })).toBeUndefined();
	});

	it("is read as it was written", () => {
		expect(parseStage("round:1 debater final_answer")).toEqual(STAGE);
		expect(parseStage("generate:0 coder Visual Basic")).toMatchObject({ role: "coder", asksFor: "Visual Basic" });
		expect(parseStage("propose proposer")).toEqual({ stage: "propose", role: "proposer" });
		for (const header of [undefined, "", "alone"]) expect(parseStage(header)).toBeNull();
	});
});
