// Before the client tests: the bundle and a migrated, empty state, made once; each service of a test starts from copies.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { applyLocalMigrations, buildBundle } from "../../src/cli/local-service.ts";

declare module "vitest" {
	interface ProvidedContext {
		/** A folder made by buildBundle. */
		bundleDir: string;
		/** State with all migrations applied and nothing in it; to be copied. */
		emptyStateDir: string;
	}
}

export default async function setup(project: TestProject): Promise<() => void> {
	const dir = mkdtempSync(join(tmpdir(), "svc-clients-"));
	const emptyStateDir = join(dir, "state");
	await applyLocalMigrations(emptyStateDir);
	project.provide("emptyStateDir", emptyStateDir);
	project.provide("bundleDir", await buildBundle(join(dir, "bundle")));
	return () => rmSync(dir, { recursive: true, force: true });
}
