// Globs and searches in the workspace mean the files that are usually there, unless they are written for a protected one.
import { describe, expect, it } from "vitest";
import { decide } from "../../../../src/policy/decide.ts";
import { decideCommand, testDecisions } from "../../../support/decided-commands.ts";

describe("a glob of all files in a folder of code or of build output", () => {
	testDecisions({
		denied: [],
		asked: [
			"sed -i s/a/b/ config/*",
			"cp x certs/*",
			"sed -i s/a/b/ src/*.pem",
			"sed -i s/a/b/ src/certs/*",
			"sed -i s/a/b/ src/.*",
			"rm src/*",
		],
		allowed: [
			"sed -i s/a/b/ src/*",
			"npx prettier --write src/*",
			"cp src/* dist/",
			"cp -r public/* dist/",
			"rm dist/*",
			"perl -pi -e s/a/b/ lib/**/*",
		],
	});

	it("may mean a path that the manifest protects", () => {
		const input = {
			action: "Run",
			action_kind: "edit" as const,
			files_affected: [],
			commands: ["sed -i s/a/b/ src/*"],
		};
		const rules = { protectedPaths: ["*.lock"], forbiddenCommands: [], budgetUsd: Number.POSITIVE_INFINITY };
		expect(decide(input, rules).decision).toBe("approve");
	});
});

describe("a search that removes what it finds", () => {
	testDecisions({
		denied: [
			"find . -name __pycache__ -o -name x -exec rm -rf {} +",
			"find / -name __pycache__ -exec rm -rf {} +",
			"find . -name '*' -exec rm -rf {} +",
			"find . ! -name node_modules -exec rm -rf {} +",
			"find ~ -name node_modules -exec rm -rf {} +",
		],
		asked: [],
		allowed: [],
	});

	it.each([
		"find . -name __pycache__ -type d -exec rm -rf {} +",
		"find . -name node_modules -type d -prune -exec rm -rf '{}' +",
		"find . -name dist -exec rm -rf {}/../src \\;",
		"find src -name '*.pyc' -delete",
	])("asks where that is build output or a cache of the workspace: %j", (command) => {
		expect(decideCommand(command)).toBe("confirm");
	});
});
