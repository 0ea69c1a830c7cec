import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../../src/compliance/conversation.ts";
import { detect } from "../../../../src/compliance/detect.ts";

const WORDS = "ribbon orbit velvet candle marble thunder saddle pencil ocean grape tunnel magic";
const kindsOf = (text: string) => Object.values(detect(plainConversation(text)).kinds).flat();

describe("a seed phrase", () => {
	it.each([
		`recovery phrase: ${WORDS}`,
		`сид-фраза ${WORDS}`,
		`助记词：${WORDS}`,
		`My twelve words for the Ledger are ${WORDS}.`,
		`mnemonic\n${WORDS.split(" ")
			.map((word, index) => `${index + 1}. ${word}`)
			.join("\n")}`,
		WORDS,
	])("is found in %j", (text) => {
		expect(kindsOf(text)).toEqual(["seed_phrase"]);
	});

	it.each([
		`Use these twelve words in a story: ${WORDS}`,
		"What is a seed phrase and where do people keep theirs when they travel for many weeks?",
		`Sort these: ${WORDS} and more`,
	])("is not in %j", (text) => {
		expect(kindsOf(text)).toEqual([]);
	});

	it("spans its words", () => {
		const text = `the seed phrase of my wallet: ${WORDS}. Import it.`;
		const [finding] = detect(plainConversation(text)).findings;
		expect(text.slice(finding?.start, finding?.end)).toBe(WORDS);
	});
});
