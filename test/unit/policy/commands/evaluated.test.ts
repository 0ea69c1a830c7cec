import { expect, it } from "vitest";
import { namesComputedElement } from "../../../../src/policy/commands/evaluated.ts";

it("a text that is expanded twice is found in an index with a substitution", () => {
	expect(["a[$(b)]", "x=a[1+`b`]", "a[b[$(c)]]"].map(namesComputedElement)).toEqual([true, true, true]);
	expect(["a[b]", "[$(b)]", "$(a)[b]", "a[b] c"].map(namesComputedElement)).toEqual([false, false, false, false]);
});
