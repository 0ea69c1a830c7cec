// Values are found however they are written: every value in every encoding of a list.
import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../src/compliance/conversation.ts";
import { detect } from "../../../src/compliance/detect.ts";
import { ENCODINGS, VALUES } from "./encodings.ts";

const kindsIn = (text: string) => Object.values(detect(plainConversation(text)).kinds).flat();

/** What is not read: to read it would make numbers of words, or of every number another one. */
const UNREAD_ENCODINGS = new Set(["reversed", "O for 0", "l for 1"]);
/** A sign for a space in an address's own escape, and groups that are words of four letters, too. */
const UNREAD_VALUES = new Set(["form encoding of phone", "base64 with spaces of credit_card"]);

describe("a value in a sentence", () => {
	it.each(ENCODINGS.filter(([name]) => !UNREAD_ENCODINGS.has(name)))("is found: %s", (name, encode) => {
		const written = VALUES.flatMap(([kinds, value, carry]) => {
			const encoded = encode(value);
			return encoded === null || UNREAD_VALUES.has(`${name} of ${kinds[0]}`) ? [] : [{ kinds, text: carry(encoded) }];
		});
		expect(written.length).toBeGreaterThan(0);
		const missed = written.filter(({ kinds, text }) => !kindsIn(text).some((kind) => kinds.includes(kind)));
		expect(missed.map(({ text }) => text)).toEqual([]);
	});
});

describe("what only looks like an encoded value", () => {
	it.each([
		"The sizes are 512, 64, 2048 and 256, 32, 1024.",
		"shape=(128, 64, 4096), strides=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]",
		"h = hidden @ self.proj.weight + bias @ torch.ones",
		"explain @cell.py and @requirements.txt to me",
		"See you @ the beach. Follow us @ analytical.org!",
		"Fibonacci: 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377",
		"On 2026-11-24 10:15:30 and at 12:00:05 it took 1,234,567.89 ms.",
		"<td>4111</td><td>1111</td> rows, **bold** words and `code` here",
		"THIS HEADING HAS ONLYCAPITALLETTERS IN IT AND THEN SOME MORE",
		"then they went home with some good food from that cafe",
		'x = \'a\' + \'b\' + \'c\'; y = ["a", "b", "c", "d", "e", "f", "g"]',
		"We counted one two three four five six seven eight.",
	])("is not found: %s", (text) => {
		expect(kindsIn(text)).toEqual([]);
	});
});
