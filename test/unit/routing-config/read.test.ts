// Routing configs: one normal form whatever the input form, faults with their place, and nothing hostile that is followed.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import type { RoutingConfig } from "../../../src/routing/routing-config.ts";
import { configDigest, mergeConfigs } from "../../../src/routing-config/config.ts";
import { readConfigObject, readConfigText } from "../../../src/routing-config/read.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { rawConfig } from "../../support/generate-config.ts";

const ofText = (text: string) => readConfigText(text, TEST_CATALOG);
const ofObject = (raw: unknown) => readConfigObject(raw, TEST_CATALOG);
const errorsOf = async (text: string) => (await ofText(text)).errors;

const NOTHING: RoutingConfig = { model: "auto", routing_mode: null, max_cost: null, blocked: [], fallback: [] };

describe("the digest", () => {
	it("of a config with its five members is what it was before there were rules", async () => {
		const raw = { max_cost: 0.01, blocked: ["cairn", "*-frontier"], rules: [], compliance: {} };
		const { config } = await ofObject(raw);
		expect(config).toEqual({ ...NOTHING, max_cost: 0.01, blocked: ["cairn", "*-frontier"] });
		// The vector of src/docs/proofs.md.
		expect(configDigest({ ...NOTHING, max_cost: 0.01, blocked: ["openai", "grok-*"] })).toBe(
			"sha256:aada4c8a06f775f3f578aa1f174aaf7c1514205fff4f642749cab7addd3f9999",
		);
	});

	it("counts rules and compliance when they are set", async () => {
		const digests = await Promise.all(
			[
				{},
				{ rules: [{ when: {}, use: {} }] },
				{ compliance: { frameworks: ["GDPR"] } },
				{ default_max_tokens: 500 },
				{ default_max_tokens: 501 },
			].map(async (raw) => configDigest((await ofObject(raw)).config)),
		);
		expect(new Set(digests).size).toBe(5);
	});
});

describe("the normal form", () => {
	it("is its own normal form, and the same for every way of writing a config", async () => {
		await fc.assert(
			fc.asyncProperty(rawConfig, async (raw) => {
				const { config, errors } = await ofObject(raw);
				expect(errors).toEqual([]);
				const yaml = stringify(raw);
				const forms = await Promise.all([
					ofObject(config),
					ofText(yaml),
					ofText(JSON.stringify(raw)),
					ofText(JSON.stringify(config)),
					ofText(`---\n${yaml}---\n# Why\n\ntext: [unclosed\n`),
					ofText(`# Brain\r\n\r\n~~~~ YAML\r\n${yaml.replaceAll("\n", "\r\n")}~~~~\r\nmore`),
					ofText(`---\n${yaml}`),
				]);
				for (const form of forms) {
					expect(form.errors).toEqual([]);
					expect(form.config).toEqual(config);
					expect(configDigest(form.config)).toBe(configDigest(config));
				}
			}),
			{ numRuns: 150 },
		);
	});

	it("takes max_cost_per_request for max_cost, one intent for a list of it, and leaves out what says nothing", async () => {
		const raw = {
			max_cost_per_request: 0.5,
			rules: [{ name: null, when: { intent: "code", contains: null }, use: { tier: "mid" } }],
			compliance: { frameworks: [], require_zero_retention: false },
		};
		expect((await ofObject(raw)).config).toEqual({
			...NOTHING,
			max_cost: 0.5,
			rules: [{ when: { intent: ["code"] }, use: { tier: "mid" } }],
		});
	});

	it("of a text that says nothing is the empty config, with a warning", async () => {
		for (const text of ["", "# only a comment\n", "---\n---\n", "\uFEFF"]) {
			expect(await ofText(text)).toMatchObject({ config: NOTHING, errors: [], warnings: ["the config is empty"] });
		}
	});
});

describe("faults", () => {
	it("say what is meant by a default limit that is none, and by an id of another gateway or version", async () => {
		expect(await errorsOf("default_max_token: 5")).toEqual([
			"line 1, column 1: default_max_token: unknown key; did you mean default_max_tokens?",
		]);
		for (const limit of ["0", "1.5", "-3", "many"])
			expect(await errorsOf(`default_max_tokens: ${limit}`)).toEqual([
				"line 1, column 21: default_max_tokens: must be a whole number of tokens above 0",
			]);
		const ids = ["openai/gpt-6-sol", "gpt-4o"].map((model) => readConfigObject({ model }, CATALOG));
		for (const { errors } of await Promise.all(ids))
			expect(errors).toEqual([expect.stringMatching(/did you mean gpt-6-sol\?$/)]);
	});

	it("say where they stand and what was meant", async () => {
		const text = [
			"modle: auto",
			"model: tide-mdi",
			"max_cost: -1",
			"routing_mode: qualty",
			"blocked: [lumen, ostrum]",
			"rules:",
			"  - name: a",
			"    when: { intent: [code, maths], contain: x }",
			"    use:",
			"      tier: premum",
			"  - when: { matches: '(?=a)' }",
			"    use: {}",
			"  - use: {}",
		].join("\n");
		expect(await errorsOf(text)).toEqual([
			"line 1, column 1: modle: unknown key; did you mean model?",
			'line 2, column 8: model: unknown model "tide-mdi"; did you mean tide-mid?',
			"line 3, column 11: max_cost: must be a number of USD above 0",
			expect.stringMatching(/^line 4, column 15: routing_mode: .*not "qualty"; did you mean quality\?$/),
			'line 5, column 18: blocked.1: "ostrum" is neither a model nor a provider; did you mean ostrom?',
			expect.stringMatching(/^line 8, column 28: rules\.0\.when\.intent\.1: .*did you mean math\?$/),
			"line 8, column 36: rules.0.when.contain: unknown key; did you mean contains?",
			expect.stringMatching(/^line 10, column 13: rules\.0\.use\.tier: .*did you mean premium\?$/),
			expect.stringMatching(/^line 11, column 22: rules\.1\.when\.matches: is no regular expression in RE2 syntax/),
			"line 13, column 5: rules.2: has no when ({} always matches)",
		]);
	});

	it("keep the line of a Markdown file", async () => {
		expect(await errorsOf("# A\n\n```yaml\nmodel: auto\nblokced: []\n```\n")).toEqual([
			"line 5, column 1: blokced: unknown key; did you mean blocked?",
		]);
		expect(await errorsOf("---\r\nmodel: nope\r\n---\r\n")).toEqual(['line 2, column 8: model: unknown model "nope"']);
	});

	it("of an object have a path", async () => {
		expect((await ofObject({ fallback: ["tide-mid", 7], max_cost: 1, max_cost_per_request: 2 })).errors).toEqual([
			"fallback.1: must be the id of a model",
			"max_cost_per_request: means the same as max_cost, and differs from it",
		]);
		expect((await ofObject({ rules: [{ when: { min_tokens: 2, max_tokens: 1 }, use: {} }] })).errors).toEqual([
			"rules.0.when: min_tokens is above max_tokens: it would never match",
		]);
	});

	it("leave the members that are valid, and nothing of the others", async () => {
		const { config } = await ofText("max_cost: 1\nblocked: [nope]\nrules: [{when: {}, use: {tier: x}}]");
		expect(config).toEqual({ ...NOTHING, max_cost: 1 });
	});

	it.each([
		["model: auto\nmodel: auto", 'line 2, column 1: "model" stands here twice'],
		["- model", "line 1, column 1: config: must be a mapping"],
		["just words", "line 1, column 1: config: must be a mapping"],
		["model: !!binary aaaa", "line 1, column 17: has a tag, which is not known here"],
		["model: *x", 'line 1, column 8: there is no anchor "x" before this alias'],
		["a: 1\n---\nb: 2", "line 2, column 1: a second document; only one is read"],
		[
			"```yaml\na: 1\n```\n```yml\nb: 2\n```",
			"line 4, column 1: a second fenced yaml block; one of them is the config",
		],
		["__proto__: 1", "line 1, column 1: __proto__: unknown key"],
		["constructor: 1", "line 1, column 1: constructor: unknown key"],
	])("are found in %j", async (text, error) => {
		expect(await errorsOf(text)).toContain(error);
	});

	it("are of any value alike, never an exception", async () => {
		await fc.assert(
			fc.asyncProperty(fc.anything({ withNullPrototype: true }), async (raw) => {
				expect((await ofObject(raw)).config.model).toBe("auto");
			}),
			{ numRuns: 300 },
		);
		await fc.assert(
			fc.asyncProperty(
				fc.string({ unit: fc.constantFrom(..."a:-[]{}&*!|>'\"%@`#,? \n\t\u0000\u0085é😀\ud800") }),
				async (text) => {
					await ofText(text);
				},
			),
			{ numRuns: 1_000 },
		);
	});
});

describe("a hostile text", () => {
	const many = (unit: string) => unit.repeat(Math.floor(65_536 / unit.length));
	const letters = [..."abcdefghij"];

	it.each([
		[
			"aliases of aliases",
			`a: &a [x,x]\n${letters
				.slice(1)
				.map((name, at) => `${name}: &${name} [${`*${letters[at]},`.repeat(9)}]`)
				.join("\n")}`,
			/more than 64 aliases/,
		],
		["an alias of itself", "a: &a [*a]", /nests deeper than 16 levels/],
		[
			"many values behind few aliases",
			`a: &a [${"x,".repeat(700)}]\nb: [${"*a,".repeat(60)}]`,
			/more than 8192 values/,
		],
		["depth in flow style", many("["), /nests deeper|more than/],
		["depth in block style", many("- "), /nests deeper|more than/],
		["depth of keys", many("? "), /nests deeper|more than/],
		["very many keys", many("a:\n"), /more than 16384 tokens/],
		["very many errors", many("}"), /more than 16384 tokens/],
		["one very long value", `model: "${"\\x".repeat(30_000)}`, /more than 4096 characters/],
		["too many bytes", "é".repeat(32_769), /larger than 65536 bytes/],
	])("with %s is refused", async (_, text, error) => {
		const errors = await errorsOf(text);
		expect(errors.length).toBeLessThanOrEqual(20);
		expect(errors.join("\n")).toMatch(error);
	});

	it("with patterns that would take long is refused", async () => {
		const rules = Array.from({ length: 50 }, () => ({ when: { matches: "(.|s){1,500}z" }, use: {} }));
		const { errors } = await ofObject({ rules });
		expect(errors[0]).toMatch(/rules\.0\.when\.matches: the patterns of a config may take 2000 instructions together/);
		expect(errors[1]).toMatch(/have used up/);
		expect((await ofObject({ rules: [{ when: { matches: "((a{100}){100}){100}" }, use: {} }] })).errors).toEqual([
			expect.stringContaining("is no regular expression in RE2 syntax"),
		]);
	});
});

describe("warnings", () => {
	it("name what is hardly meant", async () => {
		const { errors, warnings } = await ofObject({
			model: "tide-mid",
			max_cost: 0.1,
			blocked: ["cairn", "zz*"],
			rules: [
				{ when: {}, use: { model: "prism-mid", tier: "budget", max_cost: 0.2 } },
				{ name: "late", when: { has_tools: true }, use: { model: "pebble-budget" } },
			],
			compliance: { frameworks: ["GDPR"] },
		});
		expect(errors).toEqual([]);
		expect(warnings).toEqual([
			'blocked: "zz*" matches no model',
			'model: tide-mid is blocked by "cairn"',
			'rules.1 (late): use.model: pebble-budget is blocked by "cairn"',
			"rules.0 always matches: the rules behind it are never tried",
			"rules.0: use.tier has no effect beside use.model",
			"rules.0: use.max_cost has no effect above the config's max_cost; the lower one holds",
		]);
	});
});

describe("a request's config over the server's", () => {
	const joined = async (own: unknown, server: unknown) => {
		const [first, second] = await Promise.all([ofObject(own), ofObject(server)]);
		return mergeConfigs(first, second).config;
	};

	it("wins member by member, unites blocked and keeps the lower max_cost", async () => {
		const server = {
			model: "tide-mid",
			routing_mode: "quality",
			max_cost: 0.01,
			blocked: ["lumen", "cairn"],
			fallback: ["prism-mid"],
			rules: [{ name: "server", when: {}, use: {} }],
		};
		expect(await joined({}, server)).toEqual((await ofObject(server)).config);
		expect(
			await joined(
				{
					model: "apex-frontier",
					max_cost: 5,
					blocked: ["cairn", "ostrom"],
					rules: [{ name: "own", when: {}, use: {} }],
				},
				server,
			),
		).toEqual({
			model: "apex-frontier",
			routing_mode: "quality",
			max_cost: 0.01,
			blocked: ["cairn", "ostrom", "lumen"],
			fallback: ["prism-mid"],
			rules: [{ name: "own", when: {}, use: {} }],
		});
		const limits = [{ default_max_tokens: 500 }, { default_max_tokens: 90 }];
		expect(await joined(limits[0], limits[1])).toEqual({ ...NOTHING, default_max_tokens: 500 });
		expect(await joined({}, limits[1])).toEqual({ ...NOTHING, default_max_tokens: 90 });
	});

	it("is never weaker than the server's", async () => {
		await fc.assert(
			fc.asyncProperty(rawConfig, rawConfig, async (own, server) => {
				const config = await joined(own, server);
				for (const entry of [...(own.blocked ?? []), ...(server.blocked ?? [])])
					expect(config.blocked).toContain(entry);
				const limits = [own.max_cost, server.max_cost].filter((limit) => limit !== undefined);
				expect(config.max_cost).toBe(limits.length > 0 ? Math.min(...limits) : null);
			}),
		);
	});
});
