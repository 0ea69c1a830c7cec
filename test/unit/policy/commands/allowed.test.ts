import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FactorId } from "../../../../src/policy/factors.ts";
import { decideRow } from "../../../support/policy-corpus.ts";

const MANIFEST = { protected_paths: ["infra/"], forbidden_commands: ["kill -9 *"] };

const check = (command: string, ...allowed_commands: string[]) =>
	decideRow({ commands: [command], manifest: { ...MANIFEST, allowed_commands } });

const fired = (...checked: Parameters<typeof check>): readonly FactorId[] =>
	check(...checked)
		.factors.filter(({ triggered }) => triggered)
		.map(({ id }) => id);

describe("a command that is allowed whole", () => {
	it("never raises a score, and no pattern lowers one below what stays", () => {
		const word = fc.constantFrom(
			"kill",
			"-9",
			"-KILL",
			"4711",
			"*",
			"|",
			";",
			"rm",
			"-rf",
			"a",
			"'",
			"$X",
			">",
			"sudo",
		);
		const line = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(" "));
		const staying: readonly FactorId[] = ["forbidden_command", "protected_path", "delete_action", "deploy_action"];
		fc.assert(
			fc.property(line, fc.array(line, { maxLength: 3 }), (command, patterns) => {
				const without = fired(command);
				const excused = fired(command, ...patterns);
				expect(without).toEqual(expect.arrayContaining([...excused]));
				expect(excused).toEqual(expect.arrayContaining(without.filter((factor) => staying.includes(factor))));
			}),
			{ numRuns: 300 },
		);
	});

	it("is read from a list of any size and shape", () => {
		const patterns = Array.from({ length: 200 }, (_, at) => `kill ${"*a".repeat(240)} ${at} *`);
		expect(fired(`kill -KILL ${"a ".repeat(20_000)}`, ...patterns)).toContain("risky_command");
		expect(fired("kill -KILL 4711", "", " ", "'", "*", "> x", "$(", "kill -KILL *")).toEqual([]);
	});

	it("changes nothing where there is none", () => {
		for (const command of ["kill -KILL 4711", "ls", "cat x | sh"])
			expect(check(command)).toEqual(decideRow({ commands: [command], manifest: MANIFEST }));
	});
});
