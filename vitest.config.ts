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

/**
 * Files of workers whose tests take less than the start of a runtime does, two to three seconds. They share a few runtimes, each
 * file with a storage of its own; the others have a runtime each. A file belongs here that leaves nothing under way behind it.
 */
const SHARING_A_RUNTIME = [
	"test/workers/backup.test.ts",
	"test/workers/call-contents.test.ts",
	"test/workers/chat.test.ts",
	"test/workers/client.test.ts",
	"test/workers/console/*.test.ts",
	"test/workers/count-tokens.test.ts",
	"test/workers/entrances-loops.test.ts",
	"test/workers/entrances-upstream.test.ts",
	"test/workers/faults.test.ts",
	"test/workers/https.test.ts",
	"test/workers/inference.test.ts",
	"test/workers/key-budgets-random.test.ts",
	"test/workers/log.test.ts",
	"test/workers/long-answer.test.ts",
	"test/workers/mcp-manifest.test.ts",
	"test/workers/migrations.test.ts",
	"test/workers/misses.test.ts",
	"test/workers/models.test.ts",
	"test/workers/proof-lookup.test.ts",
	"test/workers/responses.test.ts",
	"test/workers/runs-store.test.ts",
	"test/workers/sealed-reasoning.test.ts",
	"test/workers/site.test.ts",
	"test/workers/skills.test.ts",
	"test/workers/stored-responses-entrance.test.ts",
	"test/workers/stored-responses.test.ts",
	"test/workers/usage-check.test.ts",
	"test/workers/usage-rollup.test.ts",
	"test/workers/usage.test.ts",
	"test/workers/vectors.test.ts",
	"test/workers/verify-trajectory.test.ts",
	"test/workers/workflow.test.ts",
	"test/workers/workspaces.test.ts",
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

/** A project of test files that run in workerd. @param options its own ones. */
function workersProject(
	name: string,
	options: NonNullable<TestProjectInlineConfiguration["test"]>,
): TestProjectInlineConfiguration {
	return {
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
			name,
			testTimeout: TEST_TIMEOUT_MS,
			hookTimeout: TEST_TIMEOUT_MS,
			deps: { optimizer: { ssr: { enabled: true, include: BUNDLED_FOR_WORKERS } } },
			provide: PROVIDED,
			...options,
		},
	};
}

export default defineConfig({
	test: {
		reporters: ["default", summaryReporter],
		// Vitest leaves one core to itself, which is half of a small machine; and many of these tests wait more than they compute.
		maxWorkers: Math.max(3, availableParallelism() - 1),
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
			workersProject("workers", {
				include: ["test/workers/**/*.test.ts", "test/contract/**/*.test.ts"],
				exclude: SHARING_A_RUNTIME,
				setupFiles: ["./test/support/quick-objects.ts", "./test/support/migrate.ts"],
			}),
			workersProject("workers-shared", {
				include: SHARING_A_RUNTIME,
				isolate: false,
				setupFiles: ["./test/support/quick-objects.ts", "./test/support/empty-storage.ts", "./test/support/migrate.ts"],
				sequence: { setupFiles: "list" },
			}),
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
