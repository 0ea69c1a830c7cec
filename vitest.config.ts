import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { TEST_VARIABLES } from "./test/support/variables.ts";

export default defineConfig({
	test: {
		projects: [
			{ test: { name: "unit", environment: "node", include: ["test/unit/**/*.test.ts"] } },
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
					include: ["test/workers/**/*.test.ts", "test/contract/**/*.test.ts"],
					setupFiles: ["./test/support/migrate.ts"],
				},
			},
			{
				test: {
					name: "clients",
					environment: "node",
					include: ["test/clients/**/*.test.ts"],
					testTimeout: 60_000,
					hookTimeout: 60_000,
				},
			},
		],
	},
});
