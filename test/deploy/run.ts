// `npm run test:deploy [-- FILES]`: the deployment to Cloudflare, by the real wrangler, against a double of the platform's API. Apart from
// `npm test`, because each of its dozens of runs starts wrangler several times.
import { startVitest } from "vitest/node";

/** A killed run and the one that finishes take half a minute, and twice that on a busy machine. */
const DEPLOY_TEST_TIMEOUT_MS = 400_000;

const vitest = await startVitest("test", process.argv.slice(2), {
	config: false,
	watch: false,
	environment: "node",
	include: ["test/deploy/**/*.test.ts"],
	testTimeout: DEPLOY_TEST_TIMEOUT_MS,
	hookTimeout: DEPLOY_TEST_TIMEOUT_MS,
});
await vitest.close();
