import { availableParallelism } from "node:os";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig, type Plugin, type TestProjectInlineConfiguration } from "vitest/config";
import { buildModules } from "./src/cli/modules.ts";
import { COMPILE_CACHE } from "./test/support/compile-cache.ts";
import { useMemoryFolder } from "./test/support/memory-folder.ts";
import { summaryReporter } from "./test/support/summary-reporter.ts";
import { TEST_VARIABLES } from "./test/support/variables.ts";

declare module "vitest" {
	interface ProvidedContext {
		/** Chooses the cases of generated input. */
		seed: number;
		/** How many of them there are. */
		cases: number;
		/** Whether a data set of ../shared/data that is not there fails the run, instead of skipping its tests. */
		needsSharedData: boolean;
	}
}

/** A hang still fails; a busy machine does not, which takes a dozen seconds for the longest of them. */
const TEST_TIMEOUT_MS = 120_000;
/** For those that start the service, some of them several times: half a minute each on a busy machine. */
const CLIENT_TEST_TIMEOUT_MS = 240_000;

/** Whether a variable says yes. */
function isOn(name: string): boolean {
	return !["", "0", "false"].includes(process.env[name] ?? "");
}

/** What every test file can ask for. */
const PROVIDED = {
	seed: Number(process.env["SEED"] ?? 20_260_722),
	cases: Number(process.env["CASES"] ?? 2_500),
	needsSharedData: isOn("CI") && !isOn("ALLOW_MISSING_DATA"),
};

// For workers, and for the processes that tests start.
Object.assign(process.env, COMPILE_CACHE);
useMemoryFolder();

// The Worker imports them.
await buildModules();

/** Libraries that test files in workerd import as one module each: module by module, a file takes half as long again to begin. */
const BUNDLED_FOR_WORKERS = [
	"@hono/zod-validator",
	"@modelcontextprotocol/server",
	"@noble/ed25519",
	"@noble/hashes/hmac.js",
	"@noble/hashes/sha2.js",
	"@noble/hashes/utils.js",
	"drizzle-orm",
	"drizzle-orm/d1",
	"drizzle-orm/sqlite-core",
	"eventsource-parser",
	"eventsource-parser/stream",
	"fast-check",
	"hono",
	"hono/cors",
	"hono/etag",
	"re2js",
	"smol-toml",
	"ulid",
	"yaml",
	"zod",
];

/** Whether this run watches, or is of files that it names: whoever started it works on them. */
const isOfNamedFiles = !process.argv.includes("run") || process.argv.some((argument) => argument.includes("test/"));

/**
 * Sends modules to workerd without their source maps, two thirds of what each test file is sent anew. Maps of libraries serve
 * nobody. Those of our own show the line in `src/` that an error came from, which who works on it needs; a run of all files
 * names the test.
 */
const withoutSourceMaps: Plugin = {
	name: "without-source-maps",
	enforce: "post",
	transform(code, id) {
		const isNeeded = !id.includes("/node_modules/") && (id.includes("/test/") || (isOfNamedFiles && !isOn("CI")));
		return isNeeded ? null : { code, map: { mappings: "" } };
	},
};

/** The test files that run in workerd. They share a few runtimes, each file with a storage of its own: a start takes two to three seconds. */
const WORKERS: TestProjectInlineConfiguration = {
	plugins: [
		withoutSourceMaps,
		cloudflareTest(async () => ({
			wrangler: { configPath: "./wrangler.toml" },
			miniflare: {
				bindings: { ...TEST_VARIABLES, TEST_MIGRATIONS: await readD1Migrations("./migrations") },
			},
		})),
	],
	test: {
		name: "workers",
		testTimeout: TEST_TIMEOUT_MS,
		hookTimeout: TEST_TIMEOUT_MS,
		deps: { optimizer: { ssr: { enabled: true, include: BUNDLED_FOR_WORKERS } } },
		provide: PROVIDED,
		include: ["test/workers/**/*.test.ts", "test/contract/**/*.test.ts"],
		isolate: false,
		setupFiles: ["quick-objects", "no-upstream", "empty-storage", "migrate"].map((name) => `./test/support/${name}.ts`),
		sequence: { setupFiles: "list" },
	},
};

export default defineConfig({
	test: {
		reporters: ["default", summaryReporter],
		// Vitest leaves one core to itself, which is half of a small machine; and many of these tests wait more than they compute: on two
		// cores, four take a tenth less time than three.
		maxWorkers: Math.max(4, availableParallelism() - 1),
		// The service logs a line per request: of interest where a test fails.
		silent: "passed-only",
		projects: [
			{
				test: {
					name: "unit",
					environment: "node",
					provide: PROVIDED,
					include: ["test/unit/**/*.test.ts", "test/bench/**/*.test.ts"],
					setupFiles: ["./test/support/seed.ts"],
					// What they test is pure: a process of its own for each file only imports everything once more.
					isolate: false,
					testTimeout: TEST_TIMEOUT_MS,
					hookTimeout: TEST_TIMEOUT_MS,
				},
			},
			WORKERS,
			{
				test: {
					name: "clients",
					environment: "node",
					provide: PROVIDED,
					include: ["test/clients/**/*.test.ts"],
					globalSetup: ["./test/clients/setup.ts"],
					// Each file has a service of its own; the libraries of clients and of wrangler are loaded once.
					isolate: false,
					testTimeout: CLIENT_TEST_TIMEOUT_MS,
					hookTimeout: CLIENT_TEST_TIMEOUT_MS,
				},
			},
		],
	},
});
