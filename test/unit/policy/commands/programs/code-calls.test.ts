// The bounds of reading calls. What calls do is in the corpus.
import { describe, expect, it } from "vitest";
import { findCallEffects } from "../../../../../src/policy/commands/programs/code-calls.ts";

describe("calls of scripts", () => {
	it("are read without building values beyond a bound", () => {
		for (const step of ["x=x+x;", "x=x*9;", "x=x.replace('a','aaaa');", "y=x[::-1];", "l=l+l;"]) {
			const effects = findCallEffects(`x='${"a".repeat(1000)}';l=[x];${step.repeat(20_000)}exec(x)`, "python");
			expect(effects.length).toBeLessThan(20);
		}
	});

	it("are found behind nesting of any depth", () => {
		for (const nesting of ["(", "[", "{", "f(", "-", "x=", "a[", "'a'+"])
			expect(findCallEffects(`${nesting.repeat(20_000)};\nos.system('ls')`, "python")).not.toEqual([]);
	});
});
