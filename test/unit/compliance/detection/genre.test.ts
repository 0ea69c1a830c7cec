import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../../src/compliance/conversation.ts";
import { detect } from "../../../../src/compliance/detect.ts";
import { isStory } from "../../../../src/compliance/detection/genre.ts";

const classesOf = (text: string) => detect(plainConversation(text)).classes;

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
		["a part to play", "Role-play a judge in a small town."],
		["what is invented", "Write a scene in which the main character loses her keys."],
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

	it("leaves the health of public and invented people to nobody", () => {
		expect(classesOf(`${NEWS} The pilot caught pneumonia and lost a leg.`)).toEqual([]);
		expect(classesOf("Write a scene in which the main character, an old duke, has asthma.")).toEqual([]);
		expect(classesOf("The famous singer Ada Quist suffers from arthritis, the press wrote.")).toEqual([]);
		expect(classesOf("This parser is schizophrenic, it was diagnosed with amnesia after the last deploy.")).toEqual([]);
	});

	it("never overrides a record, a drug that somebody takes, or the writer's own people", () => {
		expect(classesOf(`${NEWS} Patient Ivan Petrov, MRN 4471209, was diagnosed with pneumonia.`)).toContain("PHI");
		expect(classesOf(`${NEWS} My aunt was diagnosed with pneumonia there.`)).toContain("PHI");
		expect(classesOf("Hint: Lena Ruiz takes metformin 500 mg twice daily.")).toContain("PHI");
		expect(classesOf("Will her insulin increase or decrease? Lena Ruiz was diagnosed with diabetes in May.")).toContain(
			"PHI",
		);
	});

	it("takes the names of examples in code, and what stands below a question for a name, for nobody's", () => {
		expect(classesOf('{"name": "Alice", "age": 30}')).toEqual([]);
		expect(classesOf('{"name": "Ivan Petrov", "age": 30}')).toEqual(["PII"]);
		expect(classesOf("What is his stage name?\n\nIvan had sung since 1990.")).toEqual([]);
		expect(classesOf("You are the inventor Dr. Ivan Petrov.")).toEqual([]);
		expect(classesOf("Please call Dr. Ivan Petrov")).toEqual(["PII"]);
	});
});
