// Commands and what the policy says to each, as a test reads them. The manifest forbids and protects nothing beyond the built-in rules.
import { expect, it } from "vitest";
import { decide } from "../../src/policy/decide.ts";

export function decideCommand(command: string): string {
	return decide(
		{ action: "Run", action_kind: "edit", files_affected: [], commands: [command] },
		{ protectedPaths: [], forbiddenCommands: [], budgetUsd: Number.POSITIVE_INFINITY },
	).decision;
}

interface DecidedCommands {
	denied: readonly string[];
	/** Not allowed; whether they are denied is not said. */
	asked: readonly string[];
	allowed: readonly string[];
}

/** A test for each command. */
export function testDecisions({ denied, asked, allowed }: DecidedCommands): void {
	it.each(denied)("%j is denied", (command) => {
		expect(decideCommand(command)).toBe("deny");
	});

	it.each(asked)("%j is not allowed", (command) => {
		expect(decideCommand(command)).not.toBe("allow");
	});

	it.each(allowed)("%j is allowed", (command) => {
		expect(decideCommand(command)).toBe("allow");
	});
}
