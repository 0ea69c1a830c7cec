// Planned masks: what is replaced, how it is numbered, and that nothing is lost on the way.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Conversation, PlacedText } from "../../../../src/compliance/conversation.ts";
import { plainConversation } from "../../../../src/compliance/conversation.ts";
import { detect } from "../../../../src/compliance/detect.ts";
import type { Detection } from "../../../../src/compliance/findings.ts";
import { findMasked, planMask, remainingClasses } from "../../../../src/compliance/mask/plan.ts";
import { DATA_CLASSES, type DataClass } from "../../../../src/compliance/vocabulary.ts";

/** Where values stand in texts, as a detector would report them: the first occurrence in each text. */
function findingsFor({ texts }: Pick<Conversation, "texts">, kinds: Readonly<Record<string, string>>) {
	return texts.flatMap(({ text }, index) =>
		Object.entries(kinds).flatMap(([value, kind]) => {
			const start = text.indexOf(value);
			return start < 0 ? [] : [{ kind, text: index, start, end: start + value.length }];
		}),
	);
}

/** Masks messages in which these values are found. */
function maskMessages(messages: readonly string[], kinds: Readonly<Record<string, string>>) {
	const conversation = plainConversation(...messages);
	const mask = planMask(conversation, findingsFor(conversation, kinds));
	return { mask, masked: messages.map((text) => mask.maskText(text)) };
}

describe("planMask", () => {
	it("numbers values by kind and first appearance, and repeats the number of a value", () => {
		const { masked, mask } = maskMessages(
			["Ann <ann@example.org> and Bob <bob@example.org>", "ann@example.org again, card 4111111111111111"],
			{ "ann@example.org": "email", "bob@example.org": "email", "4111111111111111": "credit_card" },
		);
		expect(masked).toEqual(["Ann <[EMAIL_1]> and Bob <[EMAIL_2]>", "[EMAIL_1] again, card [CREDIT_CARD_1]"]);
		expect(mask.counts).toEqual({ credit_card: 1, email: 2 });
	});

	it("skips the number of a placeholder that the text holds, and restores it as it is", () => {
		const { masked, mask } = maskMessages(["a@example.org, not [EMAIL_1]"], { "a@example.org": "email" });
		expect(masked).toEqual(["[EMAIL_2], not [EMAIL_1]"]);
		expect(mask.restore("[EMAIL_1] is [EMAIL_2]")).toBe("[EMAIL_1] is a@example.org");
	});

	it("masks a placeholder of the client's whose number an earlier message has taken", () => {
		const messages = ["a@example.org", "what does [EMAIL_1] mean?"];
		const { masked, mask } = maskMessages(messages, { "a@example.org": "email" });
		expect(masked).toEqual(["[EMAIL_1]", "what does [EMAIL_2] mean?"]);
		expect(masked.map((text) => mask.restore(text))).toEqual(messages);
		expect(mask.counts).toEqual({ email: 1 });
	});

	it("masks a value where it was not found, too, but no short one within a word", () => {
		const { masked } = maskMessages(["PIN 4321, born 1980-01-02", "x1980-01-02y 4321 43210"], {
			"4321": "generic_secret",
			"1980-01-02": "date_of_birth",
		});
		expect(masked[1]).toBe("x[DATE_OF_BIRTH_1]y [GENERIC_SECRET_1] 43210");
	});

	it("masks overlapping findings as one value, and their parts where they stand alone", () => {
		const text = "Write to John Smith at home. Smith lives there.";
		const conversation = plainConversation(text);
		const at = (part: string, kind: string) => {
			const start = text.indexOf(part);
			return { kind, text: 0, start, end: start + part.length };
		};
		const mask = planMask(conversation, [at("John Smith", "person_name"), at("Smith at home", "postal_address")]);
		const masked = mask.maskText(text);
		expect(masked).toBe("Write to [POSTAL_ADDRESS_1]. [PERSON_NAME_1] lives there.");
		expect(mask.restore(masked)).toBe(text);
		expect(mask.maskText("ask John Smith")).toBe("ask [PERSON_NAME_2]");
	});

	it("masks all of an encoded span, and a value split over parts piece by piece", () => {
		const encoded = btoa("mail jane@example.org now");
		const { masked, mask } = maskMessages([`data: ${encoded}.`], { [encoded]: "email" });
		expect(masked).toEqual(["data: [EMAIL_1]."]);
		expect(mask.restore("[EMAIL_1]")).toBe(encoded);
		const pieces: PlacedText[] = ["my SSN is 536-90", "-4399"].map((text) => ({
			text,
			message: 0,
			role: "user",
			place: "text",
		}));
		const found = [
			{ kind: "us_ssn", text: 0, start: 10, end: 16 },
			{ kind: "us_ssn", text: 1, start: 0, end: 5 },
		];
		const split = planMask({ texts: pieces }, found);
		expect(pieces.map(({ text }) => split.maskText(text))).toEqual(["my SSN is [US_SSN_1]", "[US_SSN_2]"]);
	});

	it("masks tool arguments as JSON: strings by what they say, numbers as strings, and names", () => {
		const json = '{"note":"call \\"Jo\\u00e9 Doe\\"","ssn": 536904399, "536904399":[1]}';
		const texts: PlacedText[] = [
			{ text: "José or Joé Doe", message: 0, role: "user", place: "text" },
			{ text: json, message: 1, role: "assistant", place: "tool_call" },
		];
		const name = json.indexOf("Jo\\u00e9");
		const ssn = json.indexOf("536904399");
		const mask = planMask({ texts }, [
			{ kind: "person_name", text: 1, start: name, end: name + 12 },
			{ kind: "us_ssn", text: 1, start: ssn, end: ssn + 9 },
		]);
		const masked = mask.maskJson(json);
		expect(masked).toBe('{"note":"call \\"[PERSON_NAME_1]\\"","ssn": "[US_SSN_1]", "[US_SSN_1]":[1]}');
		expect(mask.maskText("José or Joé Doe")).toBe("José or [PERSON_NAME_1]");
		expect(JSON.parse(mask.restore(masked, "json"))).toEqual({
			note: 'call "Joé Doe"',
			ssn: "536904399",
			"536904399": [1],
		});
	});

	it("numbers what is found because of a later message with that message", () => {
		const texts = plainConversation("Ann Lee and Bob Ray", "Bob Ray's diagnosis", "and Cy Fox's").texts;
		const at = (text: number, value: string, since?: number) => {
			const start = texts[text]?.text.indexOf(value) ?? 0;
			const span = { kind: "person_name", text, start, end: start + value.length };
			return since === undefined ? span : { ...span, since };
		};
		const mask = planMask({ texts }, [at(0, "Ann Lee", 2), at(0, "Bob Ray"), at(2, "Cy Fox")]);
		expect(texts.map(({ text }) => mask.maskText(text))).toEqual([
			"[PERSON_NAME_3] and [PERSON_NAME_1]",
			"[PERSON_NAME_1]'s diagnosis",
			"and [PERSON_NAME_2]'s",
		]);
	});

	it("gives no number to what is found only where nothing is masked", () => {
		const texts: PlacedText[] = [
			{ text: "stop@example.org", message: null, role: null, place: "unknown_field" },
			{ text: "mail b@example.org", message: 0, role: "user", place: "text" },
		];
		const mask = planMask({ texts }, findingsFor({ texts }, { "stop@example.org": "email", "b@example.org": "email" }));
		expect(mask.maskText("mail b@example.org")).toBe("mail [EMAIL_1]");
		expect(mask.counts).toEqual({ email: 1 });
	});
});

describe("a masked value", () => {
	const masked = (...texts: string[]) => {
		const conversation = plainConversation(...texts);
		const mask = planMask(conversation, detect(conversation).findings);
		const sent = texts.map((text) => mask.maskText(text));
		expect(sent.map((text) => mask.restore(text))).toEqual(texts);
		return sent;
	};

	it.each([
		["send(to='ada.lovelace@analytical.org')", "send(to='[EMAIL_1]')"],
		["send(f'ada.lovelace@analytical.org')", "send(f'[EMAIL_1]')"],
		["{'email': 'ada.lovelace@analytical.org', 'ssn': '536-90-4399'}", "{'email': '[EMAIL_1]', 'ssn': '[US_SSN_1]'}"],
		["name = 'Ada Lovelace'", "name = '[PERSON_NAME_1]'"],
		["patient: 'Conor O'Hara'", "patient: '[PERSON_NAME_1]'"],
		["mail o'hara@analytical.org", "mail [EMAIL_1]"],
		["address = '12 Main Street, Springfield'", "address = '[POSTAL_ADDRESS_1]'"],
		["`ada.lovelace@analytical.org`", "`[EMAIL_1]`"],
	])("keeps the quotes around it: %s", (text, expected) => {
		expect(masked(text)).toEqual([expected]);
	});

	it("takes its parts with it: words of a name, the last four digits, a mailbox's own part", () => {
		expect(
			masked(
				"My name is Ada Lovelace, card 4111 1111 1111 1111, SSN 536-90-4399, mail a.lovelace@analytical.org.",
				"Dear Ada, Ms Lovelace's card ends in 1111, the SSN in 4399, and she logs in as a.lovelace. Call 43990.",
			)[1],
		).toBe(
			"Dear [PERSON_NAME_2], Ms [PERSON_NAME_3]'s card ends in [CREDIT_CARD_2], the SSN in [US_SSN_2], and she logs in as [EMAIL_2]. Call 43990.",
		);
	});

	it("is masked in the pieces that two messages of the user have of it", () => {
		const sent = masked("My card number is 4111 1111", "1111 1111, exp 09/29");
		expect(sent.join()).not.toMatch(/1111/);
	});
});

describe("what is left after masking", () => {
	const texts: PlacedText[] = [
		{ text: "ann@example.org 536904399", message: 0, role: "user", place: "text" },
		{ text: "ann@example.org", message: null, role: null, place: "unknown_field" },
	];
	const ssn = { kind: "us_ssn", text: 0, start: 16, end: 25 } as const;
	const mail = { kind: "email", text: 0, start: 0, end: 15 } as const;
	const card = { kind: "credit_card", text: 0, start: 16, end: 25 } as const;
	const remaining = (kinds: Detection["kinds"], findings: Detection["findings"], masked: DataClass[]) => {
		const classes = DATA_CLASSES.filter((name) => kinds[name]);
		return remainingClasses({ texts }, { classes, kinds, findings }, masked);
	};

	it("is a class that is not masked, or found where nothing is masked, or known and not located", () => {
		const kinds = { PII: ["email", "us_ssn"], FINANCIAL: ["credit_card"] };
		expect(remaining(kinds, [mail, ssn, card], ["PII"])).toEqual(["FINANCIAL"]);
		expect(remaining(kinds, [mail, ssn, card], ["PII", "FINANCIAL"])).toEqual([]);
		expect(remaining(kinds, [mail, ssn], ["PII", "FINANCIAL"])).toEqual(["FINANCIAL"]);
		expect(remaining(kinds, [mail, ssn, { ...mail, text: 1 }], ["PII"])).toEqual(["PII", "FINANCIAL"]);
		expect(remaining({ PII: ["unread"] }, [], ["PII"])).toEqual([]);
	});

	it("is told apart by the class of each finding", () => {
		expect(findMasked([mail, card, ssn], ["FINANCIAL"])).toEqual([card]);
	});
});

/** Values of different lengths and scripts, some of which are parts of others or hold placeholders. */
const VALUES: Readonly<Record<string, string>> = {
	"ann@example.org": "email",
	"joann@example.org": "email",
	"536-90-4399": "us_ssn",
	"4399": "generic_secret",
	田中太郎: "person_name",
	"Zoë 𝒳 O'Hara": "person_name",
	"[EMAIL_1]": "generic_secret",
	'p"a\\s\ns': "generic_secret",
	"key=[US_SSN_2]": "generic_secret",
};

const fragment = fc.oneof(
	fc.constantFrom(...Object.keys(VALUES)),
	fc.constantFrom(" ", ", ", "[", "]", "[EMAIL_", "[EMAIL_1]", "[US_SSN_2]", "_1]", "43", "😀", "ann", "x", '"', "\\"),
	fc.string({ maxLength: 6, unit: "grapheme" }),
);
const message = fc.array(fragment, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(""));
const conversation = fc.array(message, { minLength: 1, maxLength: 5 });

function pieces(text: string, cuts: readonly number[]): string[] {
	const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
	return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
}

describe("any conversation", () => {
	it("is restored as it was", () => {
		fc.assert(
			fc.property(conversation, (messages) => {
				const { mask, masked } = maskMessages(messages, VALUES);
				expect(masked.map((text) => mask.restore(text))).toEqual(messages);
			}),
			{ numRuns: 1000 },
		);
	});

	it("keeps no value that was found", () => {
		fc.assert(
			fc.property(conversation, (messages) => {
				const { masked } = maskMessages(messages, VALUES);
				const found = Object.keys(VALUES).filter((value) => messages.some((text) => text.includes(value)));
				const distinct = found.filter((value) => value.length >= 6 && /[\d@]/.test(value) && !value.includes("["));
				for (const value of distinct) expect(masked.join("\n")).not.toContain(value);
			}),
			{ numRuns: 1000 },
		);
	});

	it("is restored from any pieces as from the whole, with at most a placeholder held back", () => {
		fc.assert(
			fc.property(conversation, fc.array(fc.nat(), { maxLength: 8 }), (messages, cuts) => {
				const { mask, masked } = maskMessages(messages, VALUES);
				for (const form of ["text", "json"] as const) {
					const whole = masked.join("\n");
					const restorer = mask.restorer(form);
					const parts = pieces(whole, cuts).map((piece) => restorer.add(piece));
					expect(parts.join("") + restorer.end()).toBe(mask.restore(whole, form));
				}
			}),
			{ numRuns: 1000 },
		);
	});

	it("has the masked messages of its beginning as its own beginning", () => {
		fc.assert(
			fc.property(conversation, conversation, (first, later) => {
				const short = maskMessages(first, VALUES);
				const answer = short.mask.restore(short.masked.join(" "));
				const known = Object.keys(VALUES).filter((value) => first.some((text) => text.includes(value)));
				// An earlier message changes only where a value stands in it that is first found later, or first found within a word.
				const isNew = (value: string) =>
					first.every((text) => !text.includes(value.slice(0, 4)) && !text.includes(value.slice(-4)));
				const values = Object.fromEntries(
					Object.entries(VALUES).filter(([value]) => value !== "4399" && (known.includes(value) || isNew(value))),
				);
				const long = maskMessages([...first, answer, ...later], values);
				expect(long.masked.slice(0, first.length)).toEqual(maskMessages(first, values).masked);
			}),
			{ numRuns: 1000 },
		);
	});

	it("has JSON arguments that stay JSON and say the same when restored", () => {
		fc.assert(
			fc.property(fc.dictionary(message, fc.oneof(message, fc.array(message))), (value) => {
				const json = JSON.stringify(value);
				const texts: PlacedText[] = [{ text: json, message: 0, role: "assistant", place: "tool_call" }];
				const found = findingsFor({ texts }, VALUES);
				const mask = planMask({ texts }, found);
				expect(JSON.parse(mask.restore(mask.maskJson(json), "json"))).toEqual(JSON.parse(json));
			}),
			{ numRuns: 1000 },
		);
	});
});
