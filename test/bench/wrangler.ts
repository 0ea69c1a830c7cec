// Runs wrangler for the benchmark, quietly.
import { spawnSync } from "node:child_process";

const TIMEOUT_MS = 60_000;

/** @throws Error with wrangler's output, if it fails or takes longer than a minute. */
export function runWrangler(args: readonly string[]): void {
	const result = spawnSync(process.execPath, ["node_modules/wrangler/bin/wrangler.js", ...args], {
		env: { ...process.env, CI: "true", WRANGLER_SEND_METRICS: "false", WRANGLER_LOG: "error" },
		encoding: "utf8",
		timeout: TIMEOUT_MS,
	});
	if (result.status !== 0) throw new Error(`wrangler ${args.join(" ")} failed:\n${result.stdout}${result.stderr}`);
}
