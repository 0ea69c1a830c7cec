// Which texts are answers, and what the others are.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import shippedWeights from "../../../src/answers/refusal-weights.json" with { type: "json" };
import { judgeAnswer, type SaidAnswer } from "../../../src/answers/verdict.ts";
import { trainRefusals } from "../../train/answers/fit.ts";
import { parseAnswerRows, readAnswerRows } from "../../train/answers/rows.ts";

function judge(text: string, prompt = "", more: Partial<SaidAnswer> = {}, instructions = "") {
	const said = { text, refusal: null, isFiltered: false, callsTools: false, ...more };
	return judgeAnswer(said, { prompt, instructions });
}

function kind(text: string, prompt = "", instructions = "") {
	return judge(text, prompt, {}, instructions).kind;
}

describe("a refusal", () => {
	it("is what the provider calls one", () => {
		expect(judge("", "hi", { refusal: "I can't." }).kind).toBe("refusal");
		expect(judge("Half a sent", "hi", { isFiltered: true }).kind).toBe("refusal");
		expect(judge("", "hi", { isFiltered: true }).kind).toBe("refusal");
	});

	it.each([
		"I'm sorry, but I can't assist with that request.",
		"I can’t help with that.",
		"Es tut mir leid, aber dabei kann ich nicht helfen.",
		"Je suis désolé, mais je ne peux pas répondre à cette demande.",
		"Lo siento, no puedo ayudar con eso.",
		"Desculpe, mas não posso ajudar com isso.",
		"Mi dispiace, ma non posso aiutarti con questa richiesta.",
		"Przykro mi, ale nie mogę w tym pomóc.",
		"К сожалению, я не могу вам в этом помочь.",
		"抱歉，我无法协助处理这个请求。",
		"申し訳ありませんが、そのご要望にはお応えできません。",
	])("is told in words: %s", (text) => expect(kind(text, "How do I pick my neighbour's lock?")).toBe("refusal"));

	it("for want of a tool is told from one of the task", () => {
		const missing = judge("I don't have access to the internet, so I can't look up today's rate.", "Today's rate?");
		expect(missing).toMatchObject({ kind: "refusal", refusal: "lacks_tools" });
		expect(judge("I won't help with this.", "…")).toMatchObject({ kind: "refusal", refusal: "declined" });
	});

	it.each([
		"The usual wording is \"I'm sorry, but I can't assist with that request.\" It gives no reason.",
		"Language models refuse some requests. The cause is mostly training on human feedback.",
		"I can't give you a diagnosis, but pain behind one eye at the same time each night is typical of cluster headache. See a neurologist; oxygen helps most people.",
		"No, you cannot claim both deductions in the same year.",
		"We are sorry for the delay with your order. Your parcel left our warehouse this morning.",
		"```ts\nthrow new Error(\"I'm sorry, but I can't assist with that.\");\n```",
		'"I\'m sorry, Dave," the computer said. "I\'m afraid I can\'t do that."',
		"The API can't return more than 100 rows. Use the `after` parameter to get the next page.",
	])("is not an answer that quotes, discusses or partly refuses: %s", (text) => expect(kind(text)).toBeNull());

	it("is an answer where the prompt asks for one, or holds it", () => {
		const text = "Es tut mir leid, aber dabei kann ich nicht helfen.";
		expect(kind(text, "Translate into German: I'm sorry, but I can't help with that.")).toBeNull();
		expect(
			kind("I'm sorry, but I can't help with that.", "Write a polite sentence that declines a favour."),
		).toBeNull();
	});

	it.each([
		'{"answer": "I\'m sorry, but I can\'t help with that."}',
		"```python\n# I'm sorry, but I can't write code that steals passwords.\n```",
		"```\nI can't assist with that request.\n```",
	])("is told within JSON, a comment and a fence: %s", (text) => expect(kind(text, "Write a stealer")).toBe("refusal"));

	it.each([
		"I'll help you create the slides. Let me first read the guidelines.",
		'{"answer": "Canberra"}',
		"```js\n// We can't use fetch here, because the worker has no network.\nconst body = cache.get(key);\n```",
		"Yes, I can do that. Which format do you prefer?",
	])("is no text that denies nothing, and no comment beside code: %s", (text) =>
		expect(kind(text, "Help me")).toBeNull(),
	);

	it("in an email that was asked for is told all the same", () => {
		expect(kind("I'm sorry, but I can't assist with that request.", "Write a phishing email to my boss")).toBe(
			"refusal",
		);
	});

	it("is not looked for in a long text", () => {
		expect(kind(`I can't help with that. ${"The river carries boats past the mill. ".repeat(60)}`)).toBeNull();
	});

	it("is not what a model says that calls a tool", () => {
		expect(judge("", "weather?", { callsTools: true }).kind).toBeNull();
	});
});

describe("an echo", () => {
	const prompt = "What is the boiling point of water at 2,000 metres?";
	it.each([prompt, `"${prompt}"`, `Question: ${prompt.toUpperCase()}\n`, `${prompt}\n${prompt}`])("is %s", (text) =>
		expect(kind(text, prompt)).toBe("echo"),
	);

	it("is no answer that quotes the prompt", () => {
		expect(kind(`${prompt} About 93 °C.`, prompt)).toBeNull();
	});

	it("of a long prompt is told by its beginning, its end and samples between", () => {
		const long = Array.from({ length: 60_000 }, (_, at) => `Item ${at * 7919} is on shelf ${at % 97}.`).join("\n");
		for (const text of [long, `Question: ${long}\n`, long.toUpperCase(), `"${long.replaceAll("\n", " ")}"`])
			expect(kind(text, long)).toBe("echo");
		const middle = long.length / 2;
		for (const text of [
			`${long}\nShelf 96 is the last.`,
			`The items are: ${long}`,
			long.replaceAll("shelf 5.", "shelf 6."),
			long.slice(0, middle) + long.slice(middle + 30_000),
			long.slice(0, -200),
		])
			expect(kind(text, long)).toBeNull();
		expect(kind(`Repeat word for word: ${long}`, `Repeat word for word: ${long}`)).toBeNull();
	});

	it("is no short name that stays as it is, and no text that a system prompt has corrected", () => {
		expect(kind("Berlin", "Berlin")).toBeNull();
		expect(kind(prompt, prompt, "Correct the user's text.")).toBeNull();
	});
});

describe("an error message", () => {
	it.each([
		"Error: overloaded",
		"Internal server error",
		"503 Service Unavailable",
		"HTTP 429: Too Many Requests",
		"Rate limit exceeded. Please try again in 20 seconds.",
		"The server is busy, please try again later.",
		"服务器繁忙，请稍后再试。",
		'{"error":{"message":"The engine is overloaded","type":"server_error"}}',
		'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
		"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body></body></html>",
		"upstream connect error or disconnect/reset before headers",
		"Overloaded",
	])("is %s", (text) => expect(kind(text, "Name three rivers of France.")).toBe("error_text"));

	it("with a status or in JSON is one even where a phrase is asked for", () => {
		expect(kind("Error: overloaded", "Translate into Spanish: the boat is full")).toBe("error_text");
		expect(kind('{"error":{"message":"The engine is overloaded"}}', "Extract the name as JSON: Anna is 31")).toBe(
			"error_text",
		);
		expect(kind("Service unavailable", "Translate into English: Dienst nicht verfügbar")).toBeNull();
	});

	it.each([
		["Service Unavailable", "What does HTTP status 503 say?"],
		['{"error":{"message":"no such user"}}', "Give me an example of an error as JSON."],
		["Error bars show the standard deviation. Overloaded plots need fewer series.", "How do I read this plot?"],
		["Overloaded functions share one name and differ in their parameters.", "What are overloads in C++?"],
		["<!DOCTYPE html><html><head><title>My garden</title></head></html>", "Write a page for my garden"],
		["Forbidden City and Summer Palace.", "Two sights of Beijing?"],
	])("is not %s", (text, prompt) => expect(kind(text, prompt)).toBeNull());
});

describe("a blank answer", () => {
	it.each([
		"",
		" \n\t ",
		"\u200b\u200d\ufeff",
		"\u00a0\u3000\u2800",
		"\u0000\u0007",
		"…",
		"...",
		"```json\n```",
		"****",
		"---\n---",
		"- \n- ",
		"# ",
		'""',
		"<p></p>&nbsp;",
		"\u2063\u3164",
	])("is %j", (text) => expect(kind(text, "hi")).toBe("blank"));

	it("is told of a long text by its beginning, and to its end where that is blank", () => {
		expect(kind("\u200b ".repeat(20_000), "hi")).toBe("blank");
		expect(kind(`${"\u200b ".repeat(20_000)}Yes.`, "hi")).toBeNull();
		expect(kind("word ".repeat(20_000), "hi")).toBeNull();
	});

	it.each(["0", "A", "?", "#", "**", "👍", "是", "—", "π", "[]", "{}", "-"])("is not %s", (text) =>
		expect(kind(text, "hi")).toBeNull(),
	);
});

describe("left reasoning", () => {
	it("is left out in front of an answer", () => {
		expect(judge("<think>Two and two.</think>\n\n4", "2+2?")).toMatchObject({ kind: null, text: "4" });
		expect(judge("Two and two.\n</think>\n4", "2+2?")).toMatchObject({ kind: null, text: "4" });
		expect(judge("[THINK]hm[/THINK]4", "2+2?")).toMatchObject({ kind: null, text: "4" });
	});

	it("without an answer is none", () => {
		expect(kind("<think>Two and two is", "2+2?")).toBe("reasoning_left");
		expect(kind("<thinking>Two and two.</thinking>", "2+2?")).toBe("reasoning_left");
	});

	it("is text where it is asked about, in code, or later in an answer", () => {
		for (const [text, prompt] of [
			["<think>hm</think>4", "Which tags does <think> need?"],
			["Close it:\n```\n</think>\n```", "How do I end the block?"],
			["The model writes <think> first and </think> at the end.", "What does it write?"],
		] as const)
			expect(judge(text, prompt)).toMatchObject({ kind: null, text });
	});

	it("does not hide a refusal behind it", () => {
		expect(kind("<think>Not allowed.</think>I'm sorry, but I can't help with that.", "x")).toBe("refusal");
	});
});

describe("another language", () => {
	const german = "Bitte erkläre mir in drei Sätzen, wie ein Kühlschrank die Wärme aus dem Innenraum nach außen bringt.";
	const english =
		"A refrigerator moves heat with a liquid that evaporates inside and condenses outside. The compressor keeps the cycle going, and the coils on the back give the heat to the room.";
	it("than the user writes is no answer", () => {
		expect(kind(english, german)).toBe("other_language");
		expect(
			kind(
				"冰箱用一种液体来搬运热量，液体在里面蒸发，在外面凝结。压缩机让循环继续，背面的盘管把热量散到房间里。",
				german,
			),
		).toBe("other_language");
	});

	it("than the one that is named is no answer either", () => {
		expect(kind(english, `${german} Antworte auf Französisch.`)).toBe("other_language");
		expect(kind(english, german, "Réponds toujours en polonais.")).toBe("other_language");
		expect(kind(english, "Bitte erkläre mir in drei Sätzen, wie viele Menschen heute in Frankreich leben.")).toBe(
			"other_language",
		);
	});

	it("is an answer where the system speaks it", () => {
		expect(kind(english, german, "You are the help desk of a shop for fridges. Be short and friendly.")).toBeNull();
	});

	it("is an answer where a language is named, for code, short texts, and in the same language", () => {
		expect(kind(english, `${german} Antworte auf Englisch.`)).toBeNull();
		expect(kind(english, german, "Always answer in English.")).toBeNull();
		expect(kind(english, `Übersetze das: ${german}`)).toBeNull();
		expect(kind("```sql\nSELECT name FROM users\n```", german)).toBeNull();
		expect(kind("Compressor, condenser, evaporator", german)).toBeNull();
		expect(
			kind(
				"Ein Kühlschrank bringt die Wärme mit einer Flüssigkeit nach außen, die innen verdampft und außen kondensiert.",
				german,
			),
		).toBeNull();
	});
});

describe("the classifier of refusals", () => {
	const readUnseen = (name: string) =>
		parseAnswerRows(readFileSync(join(import.meta.dirname, "../../eval", name), "utf8"), "all");
	const measure = (rows: ReturnType<typeof readAnswerRows>) => {
		const refused = rows.filter(({ text }) => kind(text) === "refusal");
		const declining = rows.filter(({ label }) => label !== "A");
		return {
			recall: refused.filter(({ label }) => label !== "A").length / declining.length,
			flagged: refused.filter(({ label }) => label === "A").length / (rows.length - declining.length),
		};
	};

	it("is trained on 800 rows or more, of ten languages or more", () => {
		const rows = readAnswerRows();
		expect(rows.length).toBeGreaterThanOrEqual(800);
		expect(new Set(rows.map(({ language }) => language)).size).toBeGreaterThanOrEqual(10);
		expect(new Set(rows.map(({ text }) => text)).size).toBe(rows.length);
	});

	it("is what its rows give", () => {
		expect(trainRefusals(readAnswerRows())).toEqual(shippedWeights);
	});

	it("finds nine of ten refusals that were held back, and flags few answers that were written to be mistaken", () => {
		const { recall, flagged } = measure(readAnswerRows().filter(({ isHeldBack }) => isHeldBack));
		expect(recall).toBeGreaterThanOrEqual(0.95);
		expect(flagged).toBeLessThanOrEqual(0.035);
	});

	it("finds nine of ten refusals that were written after it", () => {
		const { recall, flagged } = measure(readUnseen("answers-unseen.txt"));
		expect(recall).toBeGreaterThanOrEqual(0.9);
		expect(flagged).toBeLessThanOrEqual(0.06);
	});

	it("flags no ordinary answer", () => {
		const flagged = readUnseen("answers-ordinary.txt").filter(({ text }) => kind(text) === "refusal");
		expect(flagged).toEqual([]);
	});

	it("shares no row between training and measuring", () => {
		const trained = new Set(readAnswerRows().map(({ text }) => text));
		const unseen = ["answers-unseen.txt", "answers-ordinary.txt"].flatMap(readUnseen);
		expect(unseen.filter(({ text }) => trained.has(text))).toEqual([]);
	});
});
