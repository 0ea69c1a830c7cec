import { availableParallelism } from "node:os";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { TEST_VARIABLES } from "./test/support/variables.ts";

declare module "vitest" {
	interface ProvidedContext {
		/** Chooses the cases of generated input. */
		seed: number;
		/** How many of them there are. */
		cases: number;
	}
}

/** A hang still fails; a busy machine does not. */
const TEST_TIMEOUT_MS = 30_000;

export default defineConfig({
	test: {
		// Vitest leaves one core to itself, which is half of a small machine; and many of these tests wait more than they compute.
		maxWorkers: Math.max(3, availableParallelism() - 1),
		// The service logs a line per request: of interest where a test fails.
		silent: "passed-only",
		projects: [
			{
				test: {
					name: "unit",
					environment: "node",
					include: ["test/unit/**/*.test.ts"],
					testTimeout: TEST_TIMEOUT_MS,
				},
			},
			{
				plugins: [
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
					include: ["test/workers/**/*.test.ts", "test/contract/**/*.test.ts"],
					setupFiles: ["./test/support/migrate.ts"],
					provide: { seed: Number(process.env["SEED"] ?? 20_260_722), cases: Number(process.env["CASES"] ?? 2_500) },
				},
			},
			{
				test: {
					name: "clients",
					environment: "node",
					include: ["test/clients/**/*.test.ts"],
					globalSetup: ["./test/clients/setup.ts"],
					testTimeout: 60_000,
					hookTimeout: 60_000,
				},
			},
		],
	},
});
