import { describe, expect, it } from "vitest";
import { SHELL_NAMES } from "../../../../src/policy/commands/programs/shells.ts";
import { decideRow } from "../../../support/policy-corpus.ts";

const decisionOn = (...commands: readonly string[]) => decideRow({ commands }).decision;

describe("a script of a shell", () => {
	it.each(SHELL_NAMES)("is judged by its content when %s runs it, and asks where it lies elsewhere", (shell) => {
		expect(decisionOn("echo 'rm -rf ~' > a.sh", `${shell} a.sh`)).toBe("deny");
		expect(decisionOn("echo 'ls' > a.sh", `${shell} -o x a.sh`)).toBe("allow");
		expect(decisionOn(`${shell} /tmp/a.sh`)).toBe("confirm");
	});
});
