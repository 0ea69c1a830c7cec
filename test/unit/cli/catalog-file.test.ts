// An operator's catalog as a file: what is read, every mistake with its line, and what may be a slip.
import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { stringify } from "smol-toml";
import { describe, expect, inject, it } from "vitest";
import { stringify as stringifyYaml } from "yaml";
import { CATALOG } from "../../../src/catalog/shipped.ts";
import { checkCatalog } from "../../../src/cli/catalog-file.ts";

const COMMAND = join(import.meta.dirname, "../../../src/cli/catalog.ts");
const LOCAL = { isLocal: true, hosts: new Set<string>() };
const check = (text: string | Uint8Array, rules = LOCAL) =>
	checkCatalog(typeof text === "string" ? new TextEncoder().encode(text) : text, "my.yaml", rules);

const DOCUMENT = {
	providers: [{ id: "ollama" }, { id: "my-vllm", template: "vllm", base_url: "https://models.example.com/v1" }],
	models: ["ollama", "my-vllm"].map((provider) => ({
		id: `${provider}-small`,
		provider,
		tier: "budget",
		prices: { input: 0, output: 0 },
		limits: { context_window: 8_192, max_output_tokens: 2_048 },
	})),
};

/** A catalog of one model, with other members. */
function withModel(members: object): string {
	return JSON.stringify({ providers: [{ id: "ollama" }], models: [{ ...DOCUMENT.models[0], ...members }] });
}

describe("a catalog's file", () => {
	it.each([
		["JSON", JSON.stringify(DOCUMENT, null, "\t")],
		["JSON in one line, after a byte order mark", `\ufeff${JSON.stringify(DOCUMENT)}`],
		["TOML", stringify(DOCUMENT)],
		["YAML that begins with a comment like TOML", `# CATALOG_FILE=x\n${JSON.stringify(DOCUMENT)}`],
		["TOML that begins with a comment", `# mine\r\n\r\n${stringify(DOCUMENT)}`],
		[
			"YAML",
			`# mine
providers:
  - id: ollama
  - {id: my-vllm, template: vllm, base_url: "https://models.example.com/v1"}
models:
  - &small
    id: ollama-small
    provider: ollama
    tier: budget
    prices: &none {input: 0, output: 0}
    limits: &limits {context_window: 8192, max_output_tokens: 2048}
  - id: my-vllm-small
    provider: my-vllm
    tier: budget
    prices: *none
    limits: *limits
`,
		],
	])("is the same document as %s", (_, text) => {
		expect(check(text)).toMatchObject({ document: DOCUMENT, errors: [] });
		expect(check(text).catalog.version).toBe(check(JSON.stringify(DOCUMENT)).catalog.version);
	});

	it("that is empty adds nothing, and says so", () => {
		for (const text of ["", "# nothing yet\n", "{}", "models: []"]) {
			const { catalog, errors, warnings } = check(text);
			expect([catalog, errors, warnings]).toEqual([
				CATALOG,
				[],
				["my.yaml: warning: adds nothing and changes nothing"],
			]);
		}
	});
});

describe("a mistake", () => {
	it.each([
		[
			"YAML",
			"providers:\n  - id: olama\nmodels:\n  - id: a\n    tier: bugdet\n    prices: {input: 0}\n",
			[
				"line 2, column 5: providers.0: needs base_url",
				'line 5, column 11: models.0.tier: must be one of budget, mid, premium, frontier, not "bugdet"; did you mean budget?',
				"line 6, column 13: models.0.prices: output must be a number: USD per million tokens, and 0 where it costs nothing",
			],
		],
		[
			"TOML",
			'[[providers]]\nid = "ollama"\nauht = "none"\n\n[[models]]\nid = "a"\ntier = 1\n',
			[
				"line 3, column 1: providers.0.auht: unknown key; did you mean auth?",
				"line 7, column 8: models.0.tier: must be one of budget, mid, premium, frontier",
			],
		],
		[
			"JSON",
			'{\n\t"providers": [{"id": "ollama"}],\n\t"models": [\n\t\t{"replaces": "none"}]}',
			['line 4, column 16: models.0.replaces: no shipped model is "none"'],
		],
		["another file", "just words", ["line 1, column 1: must be a mapping of providers and models"]],
		["YAML with a repeated key", "models: []\nmodels: []\n", ['line 2, column 1: "models" stands here twice']],
		["broken TOML", "[[providers]]\nid = \n", ["line 2, column 6: invalid value"]],
	])("in %s is named with its line", (_, text, errors) => {
		const checked = check(text);
		expect(checked.errors).toEqual(errors.map((error) => `my.yaml: ${error}`));
		expect(checked.catalog).toBe(CATALOG);
	});

	it("of bytes is named with its line", () => {
		const text = new TextEncoder().encode("models:\n  - id: é\n    name: x\n");
		const bytes = Uint8Array.from(text, (byte) => (byte === "x".charCodeAt(0) ? 0xff : byte));
		expect(check(bytes).errors).toEqual(["my.yaml: line 3: holds a byte that is not UTF-8"]);
		const utf16 = Buffer.from("\ufeffmodels: []\n", "utf16le");
		expect(check(utf16).errors).toEqual(["my.yaml: line 1: holds a byte that is not UTF-8"]);
	});

	it("of size is named before anything else", () => {
		const { errors } = check(
			JSON.stringify({ models: Array.from({ length: 500 }, () => ({ aliases: ["x".repeat(2_200)] })) }),
		);
		expect(errors).toEqual(["my.yaml: is 1108512 bytes of JSON; the service takes 1048576"]);
		expect(check(`models: [${"a,".repeat(100_001)}]`).errors).toEqual([
			expect.stringContaining("more than 100000 values"),
		]);
	});

	it("is one of 10 000 that are shown, and the others are counted", () => {
		const { errors } = check(
			JSON.stringify(Object.fromEntries(Array.from({ length: 10_005 }, (_, index) => [`key${index}`, 1]))),
		);
		expect(errors).toHaveLength(10_001);
		expect(errors.at(-1)).toBe("and 5 more");
	});
});

describe("any file", () => {
	const member = fc.oneof(
		fc.constantFrom(
			"id",
			"provider",
			"template",
			"base_url",
			"auth",
			"prices",
			"limits",
			"tier",
			"replaces",
			"aliases",
		),
		fc.string({ maxLength: 5 }),
	);
	const value = fc.oneof(
		fc.constantFrom("ollama", "my-vllm", "budget", "none", "https://x.example/v1", CATALOG.models[0]?.id ?? ""),
		fc.jsonValue({ maxDepth: 2 }),
		fc.double(),
	);
	const rows = fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.array(fc.oneof(value, fc.dictionary(member, value))));
	const documents = fc.record({ providers: rows, models: rows }, { requiredKeys: [] });

	it("is a catalog without a mistake, or one whose mistakes all have a line", () => {
		const forms = [
			(document: object) => JSON.stringify(document, null, " "),
			(document: object) => stringifyYaml(document),
		];
		fc.assert(
			fc.property(documents, fc.constantFrom(...forms), (document, write) => {
				const { errors, warnings, localOnly, catalog } = check(write(document));
				for (const line of errors) expect(line).toMatch(/^my\.yaml: line \d+, column \d+: /);
				if (errors.length > 0) expect([catalog, warnings, localOnly]).toEqual([CATALOG, [], []]);
			}),
			{ numRuns: 500, seed: inject("seed") },
		);
	});

	it("of any bytes is read to its end, or named with a line", () => {
		const valid = [...new TextEncoder().encode(`${JSON.stringify(DOCUMENT)}\n${stringify(DOCUMENT)}`)];
		const bytes = fc.oneof(
			fc.uint8Array({ maxLength: 60 }),
			fc.shuffledSubarray(valid).map((some) => Uint8Array.from(some)),
		);
		fc.assert(
			fc.property(bytes, (text) => {
				for (const line of check(text).errors) expect(line).toMatch(/^my\.yaml: line \d+[,:]/);
			}),
			{ numRuns: 500, seed: inject("seed") },
		);
		for (const open of ["[", "{a: ", "a = [", "- "])
			expect(check(open.repeat(50_000)).errors.length, open).toBeGreaterThan(0);
		expect(check(`a = ${"[".repeat(50_000)}`).errors).toHaveLength(1);
	});
});

describe("a warning", () => {
	it("says what a deployed service would refuse", () => {
		const { errors, warnings, localOnly } = check(JSON.stringify(DOCUMENT));
		expect([errors, warnings]).toEqual([[], []]);
		expect(localOnly).toEqual([
			expect.stringMatching(
				/^my\.yaml: warning: line 1, column 15: providers\.0: works in a local service only: is of this machine/,
			),
		]);
		const hosts = new Set(["127.0.0.1:11434", "localhost:11434"]);
		expect(check(JSON.stringify(DOCUMENT), { isLocal: true, hosts }).localOnly).toEqual([]);
		expect(check(JSON.stringify(DOCUMENT), { ...LOCAL, isLocal: false }).errors).toHaveLength(1);
	});

	it("names a provider that no model is of", () => {
		const text = JSON.stringify({
			providers: [
				{ id: "spare", base_url: "https://models.example.com" },
				{ id: "openai", timeout_ms: 5 },
			],
		});
		expect(check(text).warnings).toEqual([
			expect.stringContaining("providers.0.id: no model is of spare, so that it is never called"),
		]);
	});

	it.each([
		["input", { input: 1_000, output: 1 }, "models.0.prices.input: 1000 is far above the"],
		["output", { input: 1, output: 0.000_1 }, "models.0.prices.output: 0.0001 is far below the"],
		[
			"input",
			[
				{ input: 1, output: 1 },
				{ input: 9_000, output: 1, effective_from: "2030-01-01T00:00:00Z" },
			],
			"models.0.prices.1.input: 9000 is far above",
		],
	])("names an %s price that is far from its tier's", (_, prices, warning) => {
		const { errors, warnings } = check(withModel({ prices }));
		expect(errors).toEqual([]);
		expect(warnings).toEqual([expect.stringContaining(warning)]);
	});

	it("is given for no price of nothing, and for none that ships", () => {
		const shipped = CATALOG.models.map(({ id, tier, prices }) => {
			const [price] = prices;
			return { replaces: id, tier, prices: { input: price?.input, output: price?.output } };
		});
		expect(check(JSON.stringify({ models: shipped }))).toMatchObject({ errors: [], warnings: [] });
		expect(check(withModel({})).warnings).toEqual([]);
	});
});

describe("npm run catalog -- check", () => {
	/** Runs the command in a folder of its own, so that no `.dev.vars` is read. */
	const run = (args: string[], input = "") => {
		const cwd = mkdtempSync(join(tmpdir(), "catalog-"));
		writeFileSync(join(cwd, "good.yaml"), JSON.stringify(DOCUMENT));
		const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { cwd, input });
		return { status, stdout: stdout.toString(), stderr: stderr.toString() };
	};

	it("ends with 0 for a valid catalog, and says what it does", () => {
		const { status, stdout } = run(["check", "good.yaml"]);
		expect([status, stdout]).toEqual([
			0,
			expect.stringMatching(
				/^good\.yaml: warning: .*\nvalid: 2 providers \(ollama, my-vllm\), 2 models \(ollama-small, my-vllm-small\); catalog_version [\d-]+\+[0-9a-f]{12}\n$/,
			),
		]);
	});

	it("ends with 1 for mistakes, and with 2 when nothing was read", () => {
		expect(run(["check", "-"], "modles: []")).toMatchObject({
			status: 1,
			stdout: "standard input: line 1, column 1: modles: unknown key; did you mean models?\n",
		});
		expect(run(["check", "missing.yaml"])).toMatchObject({
			status: 2,
			stderr: expect.stringContaining("missing.yaml"),
		});
		expect(run(["chekc", "good.yaml"])).toMatchObject({ status: 2, stderr: expect.stringContaining("usage:") });
		expect(run([])).toMatchObject({ status: 2 });
	});
});
