// Rows of Amazon Bedrock: what follows from a region, and where models across regions may be served.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { findFacts, MATRIX } from "../../../src/compliance/matrix.ts";
import { extendCatalog } from "../../../src/operator-catalog/extend.ts";
import { parseSettings, SettingsError } from "../../../src/settings.ts";

const RULES = { isLocal: false, hosts: new Set<string>() };
const FRANKFURT = { template: "bedrock", region: "eu-central-1" };

function modelRow(upstream: string, index = 0) {
	return {
		id: `bedrock-${index}`,
		provider: "bedrock-eu-central-1",
		upstream,
		tier: "premium",
		prices: { input: 3, output: 15 },
		limits: { context_window: 200_000, max_output_tokens: 64_000 },
		reasoning: { control: "anthropic_effort", efforts: ["none", "low", "high"] },
	};
}

function extend(row: object, upstreams: string[] = []) {
	const { catalog, faults } = extendCatalog(CATALOG, { providers: [row], models: upstreams.map(modelRow) }, RULES);
	return { catalog, faults: faults.map(({ path, message }) => `${path.join(".")} ${message}`) };
}

function regionsWith(upstreams: string[], row: object = FRANKFURT): readonly string[] | null {
	const { catalog, faults } = extend(row, upstreams);
	expect(faults).toEqual([]);
	return findFacts("bedrock-eu-central-1", { matrix: MATRIX, catalog, attestations: new Map() }).values.regions;
}

describe("a region of Bedrock", () => {
	it("has the id, the address, the wire and the facts that follow from it", () => {
		const { catalog, faults } = extend(FRANKFURT);
		expect(faults).toEqual([]);
		expect(catalog.findProvider("bedrock-eu-central-1")).toMatchObject({
			name: "Amazon Bedrock (bedrock-eu-central-1)",
			wire: "bedrock",
			auth: "aws",
			base_url: "https://bedrock-runtime.eu-central-1.amazonaws.com",
			env_prefix: "BEDROCK_EU_CENTRAL_1",
			published: { regions: ["DE"], trains_on_inputs: "no", zero_retention: "on_request" },
		});
	});

	it("must be known, or have an address of its own, and is never absent", () => {
		expect(extend({ template: "bedrock", region: "eu-central-9" }).faults).toEqual([
			expect.stringMatching(/^providers\.0\.region "eu-central-9" is no region that is known here; did you mean/),
		]);
		const vpc = {
			id: "own",
			template: "bedrock",
			base_url: "https://vpce-1.bedrock-runtime.eu-central-9.vpce.amazonaws.com",
		};
		expect(extend(vpc).faults).toEqual(["providers.0 needs region"]);
		expect(extend({ ...vpc, region: "eu-central-9" }).faults).toEqual([]);
	});

	it("may have models that reason in Claude's words or in OpenAI's", () => {
		const { faults } = extendCatalog(
			CATALOG,
			{
				providers: [FRANKFURT],
				models: [
					modelRow("anthropic.claude-sonnet-4-6", 0),
					{
						...modelRow("openai.gpt-oss-120b-1:0", 1),
						reasoning: { control: "reasoning_effort", efforts: ["low", "high"] },
					},
					{ ...modelRow("x", 2), reasoning: { control: "google_thinking_level", efforts: ["low"] } },
				],
			},
			RULES,
		);
		expect(faults.map(({ message }) => message)).toEqual([
			"is of the google wire, and bedrock-eu-central-1 speaks bedrock",
		]);
	});
});

describe("where prompts may be processed", () => {
	it.each([
		["anthropic.claude-sonnet-4-6", ["DE"]],
		["meta.llama3-1-70b-instruct-v1:0", ["DE"]],
		["zai.glm-4.7", ["DE"]],
		["arn:aws:bedrock:eu-central-1:123456789012:provisioned-model/abc", ["DE"]],
		["eu.anthropic.claude-sonnet-4-6", ["DE", "EU"]],
		["arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-6", ["DE", "EU"]],
		["us.anthropic.claude-sonnet-4-6", ["DE", "US"]],
		["jp.anthropic.claude-sonnet-4-6", ["DE", "JP"]],
		["global.anthropic.claude-sonnet-4-6", ["*"]],
		["mx.anthropic.claude-sonnet-4-6", ["*"]],
		["emea.anthropic.claude-sonnet-4-6", ["*"]],
		["deepseek.v3.2", ["DE"]],
		["arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/abc", ["*"]],
		["arn:aws:bedrock:eu-central-1:123456789012:default-prompt-router/anthropic.claude:1", ["*"]],
	])("is the region alone unless the model is served across regions: %s", (upstream, places) => {
		expect(regionsWith([upstream])).toEqual(places);
	});

	it("is the union over the models of a row, and what the operator says goes before it", () => {
		expect(regionsWith(["anthropic.claude-sonnet-4-6", "eu.anthropic.claude-sonnet-4-6"])).toEqual(["DE", "EU"]);
		expect(regionsWith(["global.anthropic.claude-sonnet-4-6"], { ...FRANKFURT, facts: { regions: ["DE"] } })).toEqual([
			"DE",
		]);
	});
});

describe("the keys of a region", () => {
	const { catalog } = extend(FRANKFURT, ["eu.anthropic.claude-sonnet-4-6"]);
	const keysWith = (variables: Record<string, string>) =>
		parseSettings({ KEY_PEPPER: "test-pepper-0123456789", ...variables }, catalog).providers.get("bedrock-eu-central-1")
			?.keys;
	const AWS = { AWS_ACCESS_KEY_ID: "AKIA1", AWS_SECRET_ACCESS_KEY: "s3cret" };

	it("are AWS's own variables, with a session token where there is one", () => {
		const aws = { form: "aws", accessKeyId: "AKIA1", secretAccessKey: "s3cret" };
		expect(keysWith(AWS)).toMatchObject([{ secret: "", credentials: { ...aws, sessionToken: null } }]);
		expect(keysWith({ ...AWS, AWS_SESSION_TOKEN: "t" })).toMatchObject([
			{ credentials: { ...aws, sessionToken: "t" } },
		]);
		expect(keysWith({})).toBeUndefined();
	});

	it("are an API key before those, the provider's own first, and its own credentials before all", () => {
		const plain = (secret: string) => [{ secret, credentials: undefined }];
		const key = { AWS_BEARER_TOKEN_BEDROCK: "shared" };
		const read = (variables: Record<string, string>) =>
			keysWith(variables)?.map(({ secret, credentials }) => ({ secret, credentials }));
		expect(read({ ...AWS, ...key })).toEqual(plain("shared"));
		expect(read({ ...AWS, ...key, BEDROCK_EU_CENTRAL_1_API_KEY: "own" })).toEqual(plain("own"));
		const own = JSON.stringify({ access_key_id: "AKIA2", secret_access_key: "x" });
		expect(read({ ...AWS, ...key, BEDROCK_EU_CENTRAL_1_CREDENTIALS: own })).toMatchObject([
			{ secret: "", credentials: { accessKeyId: "AKIA2" } },
		]);
	});

	it("are checked at the start, and never repeated", () => {
		expect(() => keysWith({ AWS_ACCESS_KEY_ID: "AKIA1" })).toThrow(
			new SettingsError("AWS_SECRET_ACCESS_KEY is required, and a text"),
		);
		expect(() => keysWith({ ...AWS, AWS_SESSION_TOKEN: "with space" })).toThrow(/^AWS_SESSION_TOKEN must be ASCII/);
	});
});
