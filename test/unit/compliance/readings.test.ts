// What a conversation says across its texts.
import { describe, expect, it } from "vitest";
import type { Conversation, PlacedText } from "../../../src/compliance/conversation.ts";
import { detect } from "../../../src/compliance/detect.ts";

type Turn = readonly [role: "system" | "user" | "assistant" | "tool", ...parts: string[]];

function conversationOf(...turns: readonly Turn[]): Conversation {
	const texts = turns.flatMap(([role, ...parts], message) =>
		parts.map((text): PlacedText => ({ text, message, role, place: role === "tool" ? "tool_result" : "text" })),
	);
	return { texts, unread: [] };
}

/** What the findings say: kind, and the words in the text where they are. */
function findingsIn(...turns: readonly Turn[]): string[] {
	const conversation = conversationOf(...turns);
	return detect(conversation).findings.map(
		({ kind, text, start, end }) => `${kind} ${text}: ${conversation.texts[text]?.text.slice(start, end)}`,
	);
}

describe("a number in two messages of the user", () => {
	it("is found in both, whatever is answered between them", () => {
		const found = findingsIn(
			["user", "my card is 4111 1111"],
			["assistant", "And the rest?"],
			["user", "the rest is 1111 1111"],
		);
		expect(found).toContain("credit_card 0: 4111 1111");
		expect(found).toContain("credit_card 2: 1111 1111");
		expect(findingsIn(["user", "SSN 536-90-"], ["user", "4399"])).toContain("us_ssn 1: 4399");
	});

	it("is none where two numbers stand side by side by chance", () => {
		expect(findingsIn(["user", "What is 512 + 64"], ["assistant", "576"], ["user", "and 2048 / 32?"])).toEqual([]);
		expect(findingsIn(["user", "Print 1234 5678"], ["user", "9012 3456"])).toEqual([]);
	});
});

describe("an answer", () => {
	it.each<[string, Turn[], string]>([
		[
			"a number that the question names",
			[
				["assistant", "Could you give me your social security number?"],
				["user", "sure, 412683957"],
			],
			"us_ssn 1: 412683957",
		],
		[
			"a birthday",
			[
				["assistant", "And the date of birth?"],
				["user", "9 Nov 1974"],
			],
			"date_of_birth 1: 9 Nov 1974",
		],
		[
			"a measure",
			[
				["assistant", "Any blood tests? What was your ferritin?"],
				["user", "11"],
			],
			"lab_result 1: 11",
		],
		[
			"a medicine",
			[
				["assistant", "Which medication do you take?"],
				["user", "sertraline, since March"],
			],
			"prescription 1: sertraline",
		],
		[
			"a password",
			[
				["assistant", "Which password did you enter?"],
				["user", "Kx7#plinth"],
			],
			"generic_secret 1: Kx7#plinth",
		],
		[
			"what was announced two turns before",
			[
				["user", "I will send you my SSN now"],
				["assistant", "Go ahead."],
				["user", "412683957"],
			],
			"us_ssn 2: 412683957",
		],
		[
			"the tool's to the user's question",
			[
				["user", "What is the SSN of the new hire?"],
				["tool", "it says 412683957"],
			],
			"us_ssn 1: 412683957",
		],
	])("has %s", (_, turns, expected) => {
		expect(findingsIn(...turns)).toContain(expected);
	});

	it("that gives nothing has nothing", () => {
		expect(findingsIn(["assistant", "What is your date of birth?"], ["user", "I would rather not say"])).toEqual([]);
		expect(findingsIn(["assistant", "Which organ makes insulin?"], ["user", "the pancreas"])).toEqual([]);
	});
});

describe("a later message", () => {
	it("says what a value was", () => {
		const turns: Turn[] = [
			["user", "8001015009087"],
			["assistant", "What about it?"],
			["user", "it is my South African ID, is it valid?"],
		];
		expect(findingsIn(...turns)).toContain("za_id 0: 8001015009087");
	});

	it("gives somebody the illness that a question was about", () => {
		const turns: Turn[] = [
			["user", "What is epilepsy?"],
			["assistant", "A disorder of the brain."],
			["user", "My brother has it, can he drive?"],
		];
		expect(findingsIn(...turns)).toEqual(["diagnosis_context 2: it"]);
	});

	it("gives nobody an illness where it points at none", () => {
		expect(findingsIn(["user", "What is epilepsy?"], ["assistant", "A disorder."], ["user", "Who found it?"])).toEqual(
			[],
		);
	});
});

describe("the parts of a message", () => {
	it("are read across their seam, and the finding is in both", () => {
		expect(findingsIn(["user", "charge 4111 1111", "1111 1111 today"])).toEqual([
			"credit_card 0: 4111 1111",
			"credit_card 1: 1111 1111",
		]);
		expect(findingsIn(["user", "write to ida.brandvold@fj", "ord-post.no today"])).toContain(
			"email 0: ida.brandvold@fj",
		);
	});

	it("give each other their meaning", () => {
		expect(findingsIn(["user", "The password for the shared drive is", "plinth-Xk7#42"])).toEqual([
			"generic_secret 1: plinth-Xk7#42",
		]);
	});

	it("are read however many they are", () => {
		expect(findingsIn(["user", ..."card 4111111111111111 ok"])).toHaveLength(16);
	});

	it("say no more about people than they do alone", () => {
		const article = `${"The minister said on Monday that the election was fair. ".repeat(8)}Her husband has cancer, reporters were told.`;
		expect(findingsIn(["user", article, "Summarise this for me, please."])).toEqual(findingsIn(["user", article]));
	});
});

describe("the fields of a tool's result", () => {
	it.each([
		['{"ssn": 412683957}', "us_ssn 0: 412683957"],
		['{"birthDate": "1974-11-09"}', "date_of_birth 0: 1974-11-09"],
		['{"dx": "ulcerative colitis"}', "diagnosis_context 0: ulcerative colitis"],
		["ticket=7; monthly_income=4100; open=true", "salary_context 0: 4100"],
	])("%s have their meaning from their names", (text, expected) => {
		expect(findingsIn(["tool", text]).some((finding) => finding.startsWith(expected.slice(0, 12)))).toBe(true);
	});

	it("that name nothing hold nothing", () => {
		expect(findingsIn(["tool", '{"shipment": 412683957, "pieces": 12, "weight_kg": 884.5}'])).toEqual([]);
	});
});

describe("a table", () => {
	it("has the meaning of its cells in its header", () => {
		const table = "id;ssn;grade\n1;412683957;B\n2;536904399;C\n";
		const found = findingsIn(["user", table]);
		expect(found).toContain("us_ssn 0: 412683957");
		expect(found).toContain("us_ssn 0: 536904399");
	});

	it("of first names is a sample, and one of full names is not", () => {
		expect(findingsIn(["user", "name,age,salary\nAlice,30,55000\nBob,25,60000"])).toEqual([]);
		const kinds = findingsIn(["user", "name,age,salary\nIngrid Solheim,30,55000"]).map(
			(finding) => finding.split(" ")[0],
		);
		expect(kinds).toContain("salary_context");
	});
});
