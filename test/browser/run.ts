// `npm run test:browser [-- FILES]`: the service's pages in Chromium, against the running service with its sandbox.
//
//   --if-available   where no Chromium is installed, the tests are named as not run, without failing
//   --shots          writes a picture of each page into src/docs/pictures, and tests nothing
//
// CHROMIUM names the browser; SCREENSHOTS a folder for a picture of each page that is looked at.
import { parseArgs } from "node:util";
import { startVitest } from "vitest/node";
import { findChromium } from "./chromium.ts";

/** Each test opens pages of a service that computes on the same machine. */
const BROWSER_TEST_TIMEOUT_MS = 240_000;

const TESTS = "test/browser/**/*.test.ts";
const SHOTS = "test/browser/shots.ts";

async function runTests(files: string[], include: string): Promise<void> {
	const vitest = await startVitest("test", files, {
		config: false,
		watch: false,
		environment: "node",
		include: [include],
		globalSetup: ["./test/clients/setup.ts"],
		// Each file has a service and a browser of its own, which wait for each other half of the time.
		maxWorkers: 2,
		isolate: false,
		testTimeout: BROWSER_TEST_TIMEOUT_MS,
		hookTimeout: BROWSER_TEST_TIMEOUT_MS,
	});
	await vitest.close();
}

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({
		options: { "if-available": { type: "boolean", default: false }, shots: { type: "boolean", default: false } },
		allowPositionals: true,
	});
	if (findChromium() !== null) return runTests(positionals, values.shots ? SHOTS : TESTS);
	console.log("not run: pages in the browser: no Chromium on the PATH (Debian: apt-get install chromium)");
	process.exitCode = values["if-available"] ? 0 : 1;
}

await main();
