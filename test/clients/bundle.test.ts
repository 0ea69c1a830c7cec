// The sizes of what is deployed: code within its budget, code and text modules together within the platform's limit.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, inject, it } from "vitest";
import { TEXT_MODULE } from "../../src/cli/local-service.ts";

const CODE_BUDGET_BYTES = 1_048_576;
/** Workers Free allows 3 MB after compression, Workers Paid 10 MB: developers.cloudflare.com/workers/platform/limits */
const FREE_PLAN_BYTES = 3_000_000;
const PAID_PLAN_BYTES = 10_000_000;

function gzipBytes(bundleDir: string, names: readonly string[]): number {
	return names.reduce((sum, name) => sum + gzipSync(readFileSync(join(bundleDir, name))).byteLength, 0);
}

it("code stays within its budget, and everything deployed within the limit of both plans", ({ task }) => {
	const bundleDir = inject("bundleDir");
	const codeBytes = gzipBytes(bundleDir, ["index.js"]);
	const texts = readdirSync(bundleDir).filter((name) => TEXT_MODULE.test(name));
	const textBytes = gzipBytes(bundleDir, texts);
	const kib = (bytes: number) => Math.round(bytes / 1_024);
	task.meta.figures = `deployed, gzip: code ${kib(codeBytes)} of ${kib(CODE_BUDGET_BYTES)} KiB; with ${texts.length} texts and pages ${kib(codeBytes + textBytes)} of ${kib(FREE_PLAN_BYTES)} KiB (free plan), ${kib(PAID_PLAN_BYTES)} KiB (paid)`;
	expect(texts.length).toBeGreaterThan(20);
	expect(codeBytes).toBeLessThanOrEqual(CODE_BUDGET_BYTES);
	expect(codeBytes + textBytes).toBeLessThanOrEqual(FREE_PLAN_BYTES);
});
