import { describe, expect, it } from "vitest";
import { isKnownProgram } from "../../../../src/policy/commands/program-names.ts";

describe("a program's name", () => {
	it.each(["rm", "git", "export", "curl", "wrangler", "remove-azresourcegroup", "npx", "cargo", "gunzip"])(
		"is known by a table or a rule: %s",
		(name) => {
			expect(isKnownProgram(name)).toBe(true);
		},
	);

	it.each(["python3", "python312", "bash5", "bash-static", "node22"])(
		"is known with a version behind it: %s",
		(name) => {
			expect(isKnownProgram(name)).toBe(true);
		},
	);

	it.each(["frobnicate", "zork7", "my-tool", "xstatic"])("is not known: %s", (name) => {
		expect(isKnownProgram(name)).toBe(false);
	});
});
