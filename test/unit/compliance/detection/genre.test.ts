import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../../src/compliance/conversation.ts";
import { detect } from "../../../../src/compliance/detect.ts";
import { detectGenre } from "../../../../src/compliance/detection/genre.ts";

const PUBLISHED: readonly (readonly [by: string, text: string])[] = [
	[
		"a dateline",
		"OSLO, Norway (AP) -- A ferry ran aground near Drammen, and two were hurt. Nobody else was on board, and the sea was calm.",
	],
	[
		"an outlet and three who said something",
		"The mayor of Ulm said on Monday that the bridge would stay closed. Engineers told the BBC that the steel had rusted through, and a shopkeeper added that nobody had cleaned the drains for years. The owner of the barge, who lives nearby, claimed that the fault was not his, and asked for a second opinion before the winter.",
	],
	[
		"a cast",
		"The plot begins as Inspector Vale (Tomas Berg) finds a letter in the harbour. His sister Ada (Lena Holm) has left the town with a sailor, and the two set out to find her before the tide. On the island they meet an old keeper, who knows more than he says, and a dog that follows them everywhere until the very last scene.",
	],
	[
		"a season of sport",
		"The midfielder scored twice before the break, and the squad held on until the end of the tournament. It was the third win of the season for the side, which had lost every match in the autumn and changed its captain in the winter. The visitors had the ball for longer, but came to few chances, and went home before the rain began to fall.",
	],
];

describe("the genre of a text", () => {
	it.each(PUBLISHED)("is published by %s", (_, text) => {
		expect(detectGenre(text).isPublished).toBe(true);
	});

	it.each([
		"Bo has 3 bags with 12 nuts each and eats 5. How many nuts are left over?",
		"Which animal sleeps longest?\nA. the cat\nB. the koala\nC. the horse",
		"Did the ball roll farther on (A) grass or (B) ice?",
		"You get a new situation: two bakers share an oven.",
	])("is an exercise in %j", (text) => {
		expect(detectGenre(text).isExercise).toBe(true);
	});

	it.each(["Imagine you are a lighthouse.", "You are the famous painter Ida Quist.", "Role-play a fictional judge."])(
		"is played in %j",
		(text) => {
			expect(detectGenre(text).isPlayed).toBe(true);
		},
	);

	it.each([
		["a record", `${PUBLISHED[1]?.[1]} The patient was seen at nine.`],
		["a letter", `Dear colleague, ${PUBLISHED[1]?.[1]}`],
		["the writer's own people", `${PUBLISHED[1]?.[1]} My aunt saw it.`],
	])("is not published beside %s", (_, text) => {
		expect(detectGenre(text).isPublished).toBe(false);
	});

	it("is published though somebody is quoted with their own", () => {
		expect(detectGenre(`${PUBLISHED[1]?.[1]} "My aunt saw it," one of them said.`).isPublished).toBe(true);
	});

	it.each([
		"A. Keller owes us for May, B. Novak for June. Which one pays first?",
		"How many days may I take? My knee hurts since 3 May, 2 weeks now, and I am 41.",
		"How many days are left?",
		"Summarize the article in three sentences.",
	])("is none in %j", (text) => {
		expect(detectGenre(text)).toEqual({ isPublished: false, isExercise: false, isPlayed: false });
	});

	it("is none where the text is long enough to hold anything", () => {
		const long = `${PUBLISHED[0]?.[1]}\n`.repeat(80);
		expect(long.length).toBeGreaterThan(8192);
		expect(detectGenre(long).isPublished).toBe(false);
	});

	it("leaves titled names to news and parts to play, and the names of customers to nobody", () => {
		expect(detect(plainConversation("Please call Dr. Ivan Petrov")).classes).toEqual(["PII"]);
		expect(detect(plainConversation(`${PUBLISHED[0]?.[1]} Dr. Ivan Petrov was there.`)).classes).toEqual([]);
		expect(detect(plainConversation("Imagine a fictional inventor, Dr. Ivan Petrov, at sea.")).classes).toEqual([]);
		expect(detect(plainConversation("You are the inventor Dr. Ivan Petrov.")).classes).toEqual([]);
		expect(detect(plainConversation(`${PUBLISHED[0]?.[1]} Customer Ivan Petrov was there.`)).classes).toEqual(["PII"]);
	});

	it("takes the names of examples in code, and what stands below a question for a name, for nobody's", () => {
		expect(detect(plainConversation('{"name": "Alice", "age": 30}')).classes).toEqual([]);
		expect(detect(plainConversation('{"name": "Ivan Petrov", "age": 30}')).classes).toEqual(["PII"]);
		expect(detect(plainConversation("What is his stage name?\n\nIvan had sung since 1990.")).classes).toEqual([]);
	});
});
