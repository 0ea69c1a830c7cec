// A data set of ../shared/data that is not on this machine: its tests are skipped, and the run's last line says so
// (summary-reporter.ts); in CI a test fails instead. Knows no file system, so that tests in workerd can use it too.
import { expect, inject, it } from "vitest";

declare module "vitest" {
	interface TaskMeta {
		/** The data set whose absence this test stands for. */
		absentData?: string;
	}
}

/** By test file, for files share this module. */
const notedIn = new Map<string | undefined, Set<string>>();

/**
 * Whether tests can use a data set. Notes it among the tests of the file when it is not there.
 * @param path below ../shared/data.
 */
export function noteSharedData(path: string, isThere: boolean): boolean {
	const { testPath } = expect.getState();
	const noted = notedIn.get(testPath) ?? new Set();
	notedIn.set(testPath, noted);
	const isNoted = [...noted].some((known) => path === known || path.startsWith(`${known}/`));
	if (isThere || isNoted) return isThere;
	noted.add(path);
	it(`has ../shared/data/${path}`, { skip: !inject("needsSharedData"), meta: { absentData: path } }, () => {
		expect.fail(`../shared/data/${path} is not there; CI skips its tests only with ALLOW_MISSING_DATA=1`);
	});
	return false;
}
