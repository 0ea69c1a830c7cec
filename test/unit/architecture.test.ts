// The walls: layers that use only what stands below them, no circles, pure cores, the sandbox out of the Worker.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { findHomonyms, readDefinitions } from "../support/definitions.ts";

const SRC = resolve(import.meta.dirname, "../../src");
const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter((name) => /(?<!\.d)\.tsx?$/.test(name));

/** Top to bottom: a folder, or a file at the root, uses only what stands below it. */
const LAYERS = [
	["index.ts"],
	["app.ts"],
	["console"],
	["site"],
	["endpoints.ts"],
	["mcp"],
	["pages"],
	["health.edge.ts"],
	["catalog-endpoints.edge.ts"],
	["metrics-endpoint.edge.ts"],
	["backup"],
	["skills"],
	["encoders"],
	["chat"],
	["responses"],
	["messages"],
	["agents"],
	["code-mode"],
	["orchestration"],
	["inference"],
	["answers"],
	["keys"],
	["routing-config"],
	["routing"],
	["providers"],
	["sessions"],
	["hooks"],
	["workspace"],
	["ledger"],
	["policy"],
	["load-policy-engine.ts"],
	["compliance"],
	["load-detector.ts"],
	["audit"],
	["usage"],
	["account"],
	["meter"],
	["telemetry"],
	["load-settings.edge.ts"],
	["operator-document.edge.ts"],
	["settings.ts"],
	["operator-catalog"],
	["catalog"],
	["webhooks"],
	["durable"],
	["proof"],
	["db"],
	["http"],
	["faults.ts"],
	["suggest.ts"],
	["json.ts"],
	["clip.ts"],
	["text"],
	["turns"],
	["bounded-map.ts"],
	["lazy.ts"],
	["ids.ts"],
	["former-version.ts"],
	["failure.ts"],
	["in-time.edge.ts"],
] as const;

const BESIDE_FOLDERS = ["cli", "client", "deploy", "sandbox", "verifier"];

/**
 * Whether a file stands beside the Worker: what npm scripts run, the upstream of tests and of a first start, checks for readers,
 * scripts of pages.
 */
function isBeside(file: string): boolean {
	return BESIDE_FOLDERS.includes(folderOf(file)) || /^(?:console|site)\/browser\//.test(file);
}

/** Files that touch the platform, by their suffix; and what only puts them together. */
function isEdge(file: string): boolean {
	return /\.(?:store|object|edge)\.ts$/.test(file) || ["index.ts", "app.ts", "endpoints.ts"].includes(file);
}

interface Import {
	/** A file of src, or a package. */
	target: string;
	/** Vanishes before anything runs. */
	isType: boolean;
}

function importsOf(file: string): Import[] {
	const text = readFileSync(join(SRC, file), "utf8");
	const found = text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"|\bimport\("([^"]+)"\)/gm);
	return [...found].map(([, type, from, dynamic]) => {
		const target = from ?? dynamic ?? "";
		const isRelative = target.startsWith(".");
		return {
			target: isRelative ? relative(SRC, resolve(SRC, dirname(file), target)) : target,
			isType: type !== undefined,
		};
	});
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));

function folderOf(file: string): string {
	return file.split("/")[0] ?? file;
}

/** Pages are rendered by Hono's JSX and by text for it as it is, which are functions from elements to text. */
function isRendering(file: string, target: string): boolean {
	return folderOf(file) === "console" && ["hono/jsx", "hono/html"].includes(target);
}

function layerOf(file: string): number {
	return LAYERS.findIndex((layer) => (layer as readonly string[]).includes(folderOf(file)));
}

const PLATFORM = /^(?:hono(?:\/|$)|@hono\/|cloudflare:|node:|drizzle-orm|miniflare|wrangler)/;
const worker = files.filter((file) => !isBeside(file));

describe("the layers", () => {
	it("hold every file of the Worker", () => {
		expect(worker.filter((file) => layerOf(file) < 0)).toEqual([]);
	});

	it("have no arrow upwards, types included", () => {
		const upwards = worker.flatMap((file) =>
			(imports.get(file) ?? [])
				.filter(({ target }) => imports.has(target) && !isBeside(target))
				.filter(({ target }) => folderOf(target) !== folderOf(file) && layerOf(target) <= layerOf(file))
				.map(({ target }) => `${file} -> ${target}`),
		);
		expect(upwards).toEqual([]);
	});

	it("have no circle of files", () => {
		const done = new Set<string>();
		const circles: string[] = [];
		const visit = (file: string, path: readonly string[]): void => {
			if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
			if (done.has(file) || path.includes(file)) return;
			for (const { target } of imports.get(file) ?? []) if (imports.has(target)) visit(target, [...path, file]);
			done.add(file);
		};
		for (const file of files) visit(file, []);
		expect(circles).toEqual([]);
	});

	it("keep the sandbox, the command line and the verifier out of the Worker", () => {
		const outside = worker.flatMap((file) =>
			(imports.get(file) ?? []).filter(({ target }) => isBeside(target)).map(() => file),
		);
		expect(outside).toEqual([]);
	});
});

/** Rules and words without imports but of each other, which pages of the console need beforehand: a second copy of them costs nothing. */
const LENT_RULES = [
	"policy/weakening.ts",
	"policy/tool-rules.ts",
	"audit/event.ts",
	"hooks/agents.ts",
	"usage/time-zones.ts",
	"text/hidden-characters.ts",
	"text/look-alikes.ts",
];

/** Libraries that the console alone uses: they stand in its module and in no other. */
const CONSOLE_LIBRARIES = ["jsonc-parser", "marked"];

describe("the console", () => {
	const pages = files.filter((file) => folderOf(file) === "console" && !isEdge(file) && !isBeside(file));

	it("imports no value of the service: its module beside the bundle would hold a second copy", () => {
		const borrowed = pages.flatMap((file) =>
			(imports.get(file) ?? [])
				.filter(({ target, isType }) => !isType && folderOf(target) !== "console" && !isRendering(file, target))
				.filter(({ target }) => !LENT_RULES.includes(target) && !CONSOLE_LIBRARIES.includes(target))
				.map(({ target }) => `${file} -> ${target}`),
		);
		expect(pages.length).toBeGreaterThan(10);
		expect(borrowed).toEqual([]);
	});

	it("alone uses its libraries", () => {
		const elsewhere = worker.filter((file) => folderOf(file) !== "console");
		for (const name of CONSOLE_LIBRARIES) {
			expect(elsewhere.filter((file) => imports.get(file)?.some(({ target }) => target === name))).toEqual([]);
			expect(pages.some((file) => imports.get(file)?.some(({ target }) => target === name))).toBe(true);
		}
	});

	it("alone has .tsx files, and they are imported by nothing outside their module", () => {
		expect(files.filter((file) => file.endsWith(".tsx") && folderOf(file) !== "console")).toEqual([]);
		const borrowers = files.filter((file) =>
			(imports.get(file) ?? []).some(({ target }) => target.endsWith(".tsx") && !pages.includes(file)),
		);
		expect(borrowers).toEqual([]);
	});
});

/** The files that run when this one is loaded, itself included. */
function loadedWith(entry: string, loaded = new Set([entry])): ReadonlySet<string> {
	for (const { target, isType } of imports.get(entry) ?? [])
		if (!isType && imports.has(target) && !loaded.has(target)) loadedWith(target, loaded.add(target));
	return loaded;
}

describe("the policy engine", () => {
	const isEngine = (file: string) => file.startsWith("policy/commands/") || file === "policy/decide.ts";

	it("is a module beside the bundle, which holds nothing of it", () => {
		const bundled = loadedWith("index.ts");
		expect(bundled.size).toBeGreaterThan(300);
		expect([...bundled].filter(isEngine)).toEqual([]);
	});

	it("needs no package, so that none stands in both", () => {
		const engine = [...loadedWith("policy/engine.ts")];
		expect(engine.filter(isEngine).length).toBeGreaterThan(70);
		const packages = engine.flatMap((file) =>
			(imports.get(file) ?? []).filter(({ target, isType }) => !isType && !/\.(?:ts|json)$/.test(target)),
		);
		expect(packages).toEqual([]);
	});
});

describe("telemetry", () => {
	it("is a module beside the bundle, of which the bundle holds only what loads it", () => {
		const telemetry = files.filter((file) => folderOf(file) === "telemetry" && !isEdge(file));
		const built = [...loadedWith("telemetry/module.ts")].filter((file) => folderOf(file) === "telemetry");
		expect(built.length).toBeGreaterThan(10);
		const bundled = loadedWith("index.ts");
		expect(telemetry.filter((file) => bundled.has(file) && built.includes(file))).toEqual([]);
	});
});

describe("the cores", () => {
	/** What the verifier's page does to its document is all that is not pure in it. */
	const verifier = files.filter((file) => folderOf(file) === "verifier" && file !== "verifier/page/main.ts");
	const cores = [...worker.filter((file) => !isEdge(file)), ...verifier];

	it("are most of the files", () => {
		expect(cores.length).toBeGreaterThan(files.length / 2);
	});

	it.each(cores)("%s imports no platform, no store, no object, no edge", (file) => {
		const values = (imports.get(file) ?? []).filter(({ isType }) => !isType).map(({ target }) => target);
		const isTable = folderOf(file) === "db";
		const touched = values.filter(
			(target) =>
				(PLATFORM.test(target) && !(isTable && target.startsWith("drizzle-orm")) && !isRendering(file, target)) ||
				(imports.has(target) && isEdge(target)),
		);
		expect(touched).toEqual([]);
	});

	it.each(cores)("%s reads no clock, no randomness, no environment and fetches nothing", (file) => {
		const text = readFileSync(join(SRC, file), "utf8").replace(/\/\/.*|\/\*[\s\S]*?\*\//g, "");
		expect(
			text.match(
				/\bDate\.now\(|new Date\(\)|Math\.random\(|\bfetch\(|process\.env|crypto\.randomUUID|getRandomValues/g,
			) ?? [],
		).toEqual([]);
	});
});

describe("the names", () => {
	const definitions = readDefinitions();

	it("are exported by one file each", () => {
		expect(definitions.length).toBeGreaterThan(1_000);
		expect(Object.fromEntries(findHomonyms(definitions.filter(({ isExported }) => isExported)))).toEqual({});
	});

	it("mean one thing within a folder of src", () => {
		const rooms = Map.groupBy(definitions, ({ file }) => file.split("/")[0] ?? "");
		const homonyms = [...rooms].flatMap(([room, own]) =>
			[...findHomonyms(own)].map(([name, files]) => `${room}: ${name} (${files.join(", ")})`),
		);
		expect(homonyms).toEqual([]);
	});
});
