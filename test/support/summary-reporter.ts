// The last lines of a test run: figures that tests measured, the data sets that were not there, and how many tests that skipped.
import type { Reporter, TestModule } from "vitest/node";

declare module "vitest" {
	interface TaskMeta {
		/** A line of figures to print after the run. */
		figures?: string;
	}
}

/** Data sets that a test file missed, and how many of its tests were skipped. */
function skippedIn(module: TestModule): { absent: string[]; tests: number } {
	const skipped = [...module.children.allTests("skipped")];
	const absent = skipped.flatMap((test) => test.meta().absentData ?? []);
	return { absent, tests: absent.length === 0 ? 0 : skipped.length - absent.length };
}

export const summaryReporter: Reporter = {
	onTestRunEnd(modules) {
		for (const module of modules)
			for (const test of module.children.allTests()) {
				const { figures } = test.meta();
				if (figures !== undefined) console.log(figures);
			}
		const found = modules.map(skippedIn);
		const paths = [...new Set(found.flatMap(({ absent }) => absent))].sort();
		if (paths.length === 0) return;
		const tests = found.reduce((sum, file) => sum + file.tests, 0);
		const list = paths.map((path) => `../shared/data/${path}`).join(", ");
		// Of a data set's files tests are made, too, which cannot be counted without it.
		console.log(`not here: ${list}; that skipped ${tests} tests, and those that are made one per file`);
	},
};
