import { describe, expect, it } from "vitest";
import { renderReason, shortenWords } from "../../../src/policy/reasons.ts";

const because = "overwrites what others have";

describe("a reason", () => {
	it("names the command that fired and what would pass instead", () => {
		const place = { command: 2, words: ["git", "push", "-f"] };
		const instead = "git push --force-with-lease";
		expect(renderReason({ because, instead, place }, false)).toBe(
			"command 2, `git push -f`: overwrites what others have; instead: git push --force-with-lease",
		);
		expect(renderReason({ because, place }, true)).toBe("`git push -f`: overwrites what others have");
		expect(renderReason({ because, place: { command: 2, words: [] } }, false)).toBe(
			"command 2: overwrites what others have",
		);
		expect(renderReason({ because }, false)).toBe(because);
	});

	it("shows one short line of a command, whatever its words are", () => {
		expect(shortenWords(["echo", "a\n\nb"])).toBe("echo a b");
		expect(shortenWords(["x".repeat(1_000_000)]).length).toBeLessThan(100);
		expect(shortenWords(Array.from({ length: 100_000 }, () => "")).length).toBeLessThan(100);
		expect(renderReason({ because, place: { command: 1, words: ["a`b"] } }, true)).toBe(`\`a'b\`: ${because}`);
	});
});
