import { describe, expect, it } from "vitest";
import { isKnownProgram } from "../../../../src/policy/commands/program-names.ts";

describe("a program is known by a table or a rule for its name", () => {
	it.each(["rm", "git", "export", "curl", "wrangler", "remove-azresourcegroup", "npx", "cargo", "gunzip"])(
		"%s",
		(name) => {
			expect(isKnownProgram(name)).toBe(true);
		},
	);

	it.each(["python3", "python312", "bash5", "bash-static", "node22"])("with a version behind it: %s", (name) => {
		expect(isKnownProgram(name)).toBe(true);
	});

	it.each(["frobnicate", "zork7", "my-tool", "xstatic"])("not %s", (name) => {
		expect(isKnownProgram(name)).toBe(false);
	});
});
