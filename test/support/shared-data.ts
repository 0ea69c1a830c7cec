// The project's public data sets, which are not part of the repository: tests that need them run where they are.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../../../shared/data");

/** Whether a data set is on this machine; says so in one line when it is not. */
export function hasSharedData(path: string): boolean {
	const there = existsSync(join(ROOT, path));
	if (!there) console.log(`skipped: ../shared/data/${path} is not on this machine`);
	return there;
}

export function readSharedData(path: string): string {
	return readFileSync(join(ROOT, path), "utf8");
}
