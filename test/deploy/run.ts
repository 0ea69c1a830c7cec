// `npm run test:deploy [-- FILES]`: the deployment to Cloudflare, by the real wrangler, against a double of the platform's API. Apart from
// `npm test`, because each of its dozens of runs starts wrangler several times.
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { startVitest } from "vitest/node";

// Of this run alone: each test has a copy of the sources, which nobody runs again.
const compileCache = mkdtempSync(join(tmpdir(), "svc-compile-cache-"));
process.env["NODE_COMPILE_CACHE"] = compileCache;

/** A killed run and the one that finishes take half a minute, three of them at once a minute, and several on a busy machine. */
const DEPLOY_TEST_TIMEOUT_MS = 600_000;

const vitest = await startVitest("test", process.argv.slice(2), {
	config: false,
	watch: false,
	environment: "node",
	include: ["test/deploy/**/*.test.ts"],
	// Each test deploys from a checkout of its own to a platform of its own, and waits for wrangler most of the time.
	maxConcurrency: availableParallelism() + 1,
	testTimeout: DEPLOY_TEST_TIMEOUT_MS,
	hookTimeout: DEPLOY_TEST_TIMEOUT_MS,
});
await vitest.close();
rmSync(compileCache, { recursive: true });
