// The project's public data sets, which are not part of the repository: tests that need them run where they are.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { noteSharedData } from "./absent-data.ts";

const ROOT = join(import.meta.dirname, "../../../shared/data");

/** Whether a data set is on this machine; when it is not, the run says so at its end, and in CI it fails. */
export function hasSharedData(path: string): boolean {
	return noteSharedData(path, existsSync(join(ROOT, path)));
}

/** The text of a file of a data set. */
export function readSharedData(path: string): string {
	return readFileSync(join(ROOT, path), "utf8");
}
