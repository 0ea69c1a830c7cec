import { describe, expect, it } from "vitest";
import { isStory } from "../../../../src/compliance/detection/genre.ts";

const NEWS =
	"OSLO, Norway (AP) -- A ferry ran aground near Drammen, and two were hurt. Nobody else was on board, and the sea was calm. The captain, who had sailed there for thirty years, said that the chart was wrong, and that nobody had told him.";

describe("a story", () => {
	it.each([
		["news by its agency", NEWS],
		[
			"a passage with a question",
			`Read the following passage and say who is older. ${"The two met in the harbour. ".repeat(8)}`,
		],
		["the plot of a film", `Movie plot: ${"A keeper finds a letter under the lamp and hides it. ".repeat(5)}`],
		["a word problem", "Tess has 12 pens, 3 of them red, and buys 4 more. How many pens has she?"],
	])("is %s", (_, text) => {
		expect(isStory(text)).toBe(true);
	});

	it.each([
		"Summarize the article in three sentences.",
		"How many days may I take? My knee hurts since 3 May.",
		`${NEWS}\n`.repeat(80),
	])("is not a request or a text that is long enough to hold anything", (text) => {
		expect(isStory(text)).toBe(false);
	});
});
