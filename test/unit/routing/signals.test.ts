// Signals of prompts: intents with probabilities, measured facts, follow-ups, and odd or huge input.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { INTENTS } from "../../../src/catalog/vocabulary.ts";
import type { Message, ModelCall } from "../../../src/providers/model-call.ts";
import { detectSignals, toIntentShares, toSignalFlags } from "../../../src/routing/signals.ts";

function toCall(messages: Message[], more: Partial<ModelCall> = {}): ModelCall {
	return {
		messages,
		tools: [],
		output: { type: "text" },
		maxTokens: 256,
		stop: [],
		sampling: {},
		unknownFields: {},
		...more,
	};
}

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const assistant = (text: string): Message => ({ role: "assistant", content: [{ type: "text", text }] });
const read = (...turns: string[]) => detectSignals(toCall(turns.flatMap((turn) => [user(turn), assistant("Done.")])));

const SMALL_TALK = { intents: ["chat"], level: 1, difficulty: "trivial" };

describe("intents", () => {
	it.each([
		["Write a Python function that reverses a list", "code"],
		["почему этот код падает с ошибкой TypeError?", "code"],
		["What is the integral of x squared from 0 to 3?", "math"],
		["小明有12个苹果，分给3个朋友，每人几个？", "math"],
		["Escribe un poema sobre el mar", "creative"],
		["次の文章を3行で要約して", "text"],
		["Übersetze das ins Englische: Guten Morgen", "translation"],
		["Qui a inventé le téléphone ?", "factual"],
		["Should I take the train or fly?", "advice"],
		["спасибо!", "chat"],
	])("of %j are %s above all", (prompt, intent) => {
		expect(read(prompt).intents[0]).toBe(intent);
	});

	it("have probabilities that add up to 1, and are in their order", () => {
		fc.assert(
			fc.property(fc.array(fc.string({ unit: "binary", maxLength: 400 }), { minLength: 1, maxLength: 4 }), (turns) => {
				const { intents, probabilities } = read(...turns);
				expect(INTENTS.reduce((sum, intent) => sum + probabilities[intent], 0)).toBeCloseTo(1, 9);
				const [first = 0, ...rest] = intents.map((intent) => probabilities[intent]);
				expect(first).toBe(Math.max(...INTENTS.map((intent) => probabilities[intent])));
				for (const probability of rest) expect(probability).toBeGreaterThanOrEqual(0.25);
			}),
		);
	});

	it("do not depend on what was read before", () => {
		const prompts = ["Fix this regex: /a+/", "Guten Tag", "2 + 2", "a".repeat(20_000)];
		const once = prompts.map((prompt) => read(prompt));
		expect(prompts.toReversed().map((prompt) => read(prompt))).toEqual(once.toReversed());
	});

	it("are shown as booleans by name, and as probabilities of four digits beside them", () => {
		const signals = read("Write a Python function that reverses a list");
		expect(Object.keys(toSignalFlags(signals))).toEqual([
			...INTENTS,
			"tools",
			"images",
			"long_context",
			"trivial",
			"hard",
		]);
		expect(toSignalFlags(signals)).toMatchObject({ code: true, translation: false, trivial: false });
		const shares = toIntentShares(signals);
		expect(Object.keys(shares)).toEqual([...INTENTS]);
		for (const share of Object.values(shares)) expect(String(share).length).toBeLessThanOrEqual("0.1234".length);
	});
});

describe("a follow-up", () => {
	it("carries the intent of the turn before, less with each turn", () => {
		const alone = read("again").probabilities.code;
		const after = read("Write a SQL query that joins orders and users", "again").probabilities.code;
		const later = read("Write a SQL query that joins orders and users", "hello there", "again").probabilities.code;
		expect(after).toBeGreaterThan(0.5);
		expect(after).toBeGreaterThan(later);
		expect(later).toBeGreaterThan(alone);
	});

	it("is corrected by an intent of its own", () => {
		expect(
			read("Write a SQL query that joins orders and users", "now translate the comments into French").intents[0],
		).toBe("translation");
		expect(read("Write a poem about the sea", "What is the capital of France?").intents[0]).toBe("factual");
	});

	it("is judged by at most two turns before it", () => {
		const turns = ["Write a poem", "a short one", "about rain"];
		expect(read("Solve 3x = 9", ...turns).probabilities).toEqual(read("SELECT * FROM users", ...turns).probabilities);
	});
});

describe("facts", () => {
	it("are measured: length, language, code, JSON, turns", () => {
		expect(read("hallo", "Was ist der Unterschied zwischen einem See und einem Meer?").facts).toEqual({
			chars: 58,
			language: "de",
			hasCode: false,
			asksForJson: false,
			turns: 2,
		});
		expect(read("```js\nfetch(url)\n```\nAnswer as JSON").facts).toMatchObject({ hasCode: true, asksForJson: true });
		const schema = { type: "json_schema", name: "city", schema: {} } as const;
		expect(detectSignals(toCall([user("Name a city")], { output: schema })).facts.asksForJson).toBe(true);
	});

	it.each([
		["ru", "как приготовить борщ"],
		["zh", "今天天气怎么样"],
		["ja", "おすすめの本を教えて"],
		["ko", "서울에서 부산까지 얼마나 걸려?"],
		["th", "สวัสดีครับ"],
		["ar", "ما هي عاصمة فرنسا؟"],
		["es", "¿Qué puedo cocinar con huevos y patatas?"],
		["en", "What is the fastest way to learn the piano?"],
		[null, "12345"],
		[null, "🙂"],
	])("name the language %s", (language, prompt) => {
		expect(read(prompt).facts.language).toBe(language);
	});
});

describe("difficulty", () => {
	it("is that of the words that say so", () => {
		expect(read("Prove rigorously that this distributed lock has no race condition, step by step").difficulty).toBe(
			"hard",
		);
		expect(read("hi").difficulty).toBe("trivial");
	});

	it.each(["My cat ate 3 grapes, should I go to the vet now?", "my chest hurts, what do i do"])(
		"is not trivial for advice, however short the question: %s",
		(prompt) => {
			expect(read(prompt)).toMatchObject({ level: 1, difficulty: "normal" });
		},
	);

	it("is higher for a tool to be built than for a word to be looked up", () => {
		const { expectedDifficulty } = read(
			"Build a single page that lets me paste two JSON documents and shows their differences as a tree, with search, keyboard navigation and a permalink",
		);
		expect(expectedDifficulty).toBeGreaterThan(read("What is the capital of France?").expectedDifficulty + 0.2);
	});
});

describe("odd input", () => {
	it.each([
		["nothing", ""],
		["white space", " \n\t\u00a0 "],
		["zero-width characters", "\u200b\u200d\ufeff".repeat(10)],
		["emoji", "🎉🎉 👩‍👩‍👧‍👦"],
		["marks", "?!…"],
		["lone surrogates", "\ud83d\ude00\ud800".slice(1)],
	])("without words is small talk: %s", (_, prompt) => {
		expect(read(prompt)).toMatchObject({ ...SMALL_TALK, probabilities: { chat: 1, code: 0 } });
	});

	it("of images alone, or of no messages, is small talk", () => {
		const image: Message = { role: "user", content: [{ type: "image", url: "data:image/png;base64,AA==" }] };
		expect(detectSignals(toCall([image]))).toMatchObject({ ...SMALL_TALK, hasImages: true });
		expect(detectSignals(toCall([]))).toMatchObject(SMALL_TALK);
	});

	it("keeps what was asked before when the last turn has no words", () => {
		expect(read("Fix this TypeError in my React component", "👍").probabilities.code).toBeGreaterThan(0.5);
	});

	it("with lone surrogates among words is read like any other", () => {
		expect(read("\ud800Write a Python function\udc00 that reverses a list\ud83d").intents[0]).toBe("code");
	});

	it("may be one word of 8 KiB, in any script", () => {
		for (const letter of ["a", "я", "漢", "ก", "한", "𝒳"])
			expect(read(letter.repeat(8_192)).intents.length).toBeGreaterThan(0);
	});

	it("is read at both ends only, however long it is", () => {
		const long = `Translate into German:\n${"The sea was calm. ".repeat(2_000)}`;
		expect(read(long).intents[0]).toBe("translation");
		expect(read(`${"The sea was calm. ".repeat(2_000)}\nTranslate this into German`).intents[0]).toBe("translation");
		const [start, end] = ["x ".repeat(400), " y".repeat(400)];
		expect(read(start + "SELECT * FROM users; ".repeat(100) + end).probabilities).toEqual(
			read(start + "Bonjour, ça va ? ".repeat(100).padEnd(2_100) + end).probabilities,
		);
	});

	it("of 16 MiB takes no longer for its features than of 16 KiB", () => {
		const huge = "translate ```SELECT 1+1 into \\frac ".repeat(500_000).slice(0, 16 << 20);
		const { probabilities } = read(huge);
		expect(probabilities).toEqual(read(huge.slice(0, 8_192) + huge.slice(-8_192)).probabilities);
	});

	it("may have thousands of messages and parts", () => {
		const messages = Array.from({ length: 5_000 }, (_, at) => [user(`question ${at}`), assistant("yes")]).flat();
		expect(detectSignals(toCall(messages)).facts.turns).toBe(5_000);
		const parts = Array.from({ length: 20_000 }, () => ({ type: "text", text: "x" }) as const);
		expect(detectSignals(toCall([{ role: "user", content: parts }])).facts.chars).toBe(39_999);
	});

	it("may be tool results alone, which are not the user's words", () => {
		const result: Message = {
			role: "user",
			content: [{ type: "tool_result", callId: "call_1", content: [{ type: "text", text: "def f(): pass" }] }],
		};
		expect(detectSignals(toCall([user("What is the capital of France?"), result])).probabilities).toEqual(
			detectSignals(toCall([user("What is the capital of France?")])).probabilities,
		);
	});
});
