// The sizes of what is deployed: the bundle within its budget, bundle and modules beside it together within the platform's limit.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, inject, it } from "vitest";
import { findBuiltModules, TEXT_MODULE } from "../../src/cli/local-service.ts";

/** What is read before the first request is answered. Modules beside the bundle are read on first use. */
const CODE_BUDGET_BYTES = 1_048_576;
/** Workers Free allows 3 MB after compression, Workers Paid 10 MB: developers.cloudflare.com/workers/platform/limits */
const FREE_PLAN_BYTES = 3_000_000;
const PAID_PLAN_BYTES = 10_000_000;

function gzipBytes(bundleDir: string, names: readonly string[]): number {
	return names.reduce((sum, name) => sum + gzipSync(readFileSync(join(bundleDir, name))).byteLength, 0);
}

it("the bundle stays within its budget, and everything deployed within the limit of both plans", ({ task }) => {
	const bundleDir = inject("bundleDir");
	const codeBytes = gzipBytes(bundleDir, ["index.js"]);
	const texts = readdirSync(bundleDir).filter((name) => TEXT_MODULE.test(name));
	const built = findBuiltModules(bundleDir);
	const besideBytes = gzipBytes(bundleDir, [...texts, ...built]);
	const kib = (bytes: number) => Math.round(bytes / 1_024);
	task.meta.figures = `deployed, gzip: bundle ${kib(codeBytes)} of ${kib(CODE_BUDGET_BYTES)} KiB; ${built.map((name) => `${name} ${kib(gzipBytes(bundleDir, [name]))}`).join(", ")}; with ${texts.length} texts ${kib(codeBytes + besideBytes)} of ${kib(FREE_PLAN_BYTES)} KiB (free plan), ${kib(PAID_PLAN_BYTES)} KiB (paid)`;
	expect(texts.length).toBeGreaterThan(20);
	expect(built).toEqual(
		expect.arrayContaining([
			"compliance/built/detector.js",
			"console/built/console.js",
			"policy/built/engine.js",
			"telemetry/built/telemetry.js",
		]),
	);
	expect(codeBytes).toBeLessThanOrEqual(CODE_BUDGET_BYTES);
	expect(codeBytes + besideBytes).toBeLessThanOrEqual(FREE_PLAN_BYTES);
});
