import { expect, it } from "vitest";
import { decideRow } from "../../../support/policy-corpus.ts";

it("a forbidden pattern with a pipe follows long pipes", () => {
	const decisionOn = (command: string) =>
		decideRow({ commands: [command], manifest: { forbidden_commands: ["cat | wc"] } }).decision;
	expect(decisionOn(`cat a | ${"sort | ".repeat(3_000)} wc`)).toBe("deny");
	expect(decisionOn(`cat a; sort ${"| sort".repeat(3_000)} | wc`)).toBe("allow");
});
