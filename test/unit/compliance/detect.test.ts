import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../src/compliance/conversation.ts";
import { detect, detectInSteps, secretSpans } from "../../../src/compliance/detect.ts";
import { STRETCH_CHARS } from "../../../src/compliance/detection/stretches.ts";
import { MAX_FINDINGS_PER_CLASS } from "../../../src/compliance/findings.ts";
import { DATA_CLASSES } from "../../../src/compliance/vocabulary.ts";
import { HOSTILE_UNITS, repeatToLength } from "../../bench/sensitive-inputs.ts";
import { readSensitiveRows } from "../../support/sensitive-corpus.ts";

/** Keys are put together here, so that scanners of repositories do not take this file for a leak. */
const RANDOM = "IXRSzTyUroHEI5eCYyNwu0GwDfXwsTkGztWs";
const GITHUB = `gh${"p_"}${RANDOM}`;
const AWS = `AK${"IA"}YFY5QUIY45BZMS4J`;
const JWT = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${"eyJzdWIiOiJ1LTg4MjEzIiwiZXhwIjoxNzkwMDAwMDAwfQ"}.CpLcS9wvKBo1hDD3l4yAAcTMFnc0vS8ED5OUbdLoeCR`;
const PEM = `-----BEGIN RSA ${"PRIVATE"} KEY-----\nNyZphVcCJZDKPCK7wXftoEAV3bLt0ygM\nKpn8Zrd3jFrb4EzAexl6Ph9dtSFDdajC\n-----END RSA ${"PRIVATE"} KEY-----`;

const kindsOf = (text: string) => Object.values(detect(plainConversation(text)).kinds).flat();

/** Values that are recognised in any text: by a check, a shape or the words in them. */
const RECOGNISED = readSensitiveRows("values.jsonl")
	.filter(({ reason }) => reason === "is recognised by a check, a shape or its words")
	.map(({ kinds, text }) => [kinds[0], text] as const);

const HARMLESS = [...readSensitiveRows("harmless.jsonl"), ...readSensitiveRows("examples.jsonl")];

describe("detect", () => {
	it.each(RECOGNISED)("finds %s alike inside a sentence", (kind, text) => {
		expect(kindsOf(`Hello, please look at this one: ${text} , and tell us what you think.`)).toContain(kind);
		expect(kindsOf(`{"note": "${text}"}`)).toContain(kind);
		expect(kindsOf(`first line\n${text}\nlast line`)).toContain(kind);
	});

	it.each(RECOGNISED)("finds %s in base64", (kind, text) => {
		expect(kindsOf(`payload ${Buffer.from(`see ${text} there`).toString("base64")} end`)).toContain(kind);
	});

	it.each(RECOGNISED)("finds %s in URL escapes", (kind, text) => {
		expect(kindsOf(`/search?q=${encodeURIComponent(`see ${text} there`)}&page=2`)).toContain(kind);
	});

	it("names the classes in their order and the kinds sorted, over all texts together", () => {
		const texts = [
			`token ${GITHUB}`,
			"card 4532018847762094, IBAN NL78INGB0417253816",
			"k.yamada@tsukiji-foods.jp",
			"MRN 00482913",
		];
		const expected = {
			classes: [...DATA_CLASSES],
			kinds: {
				PII: ["email"],
				PHI: ["mrn"],
				FINANCIAL: ["credit_card", "iban"],
				SECRETS: ["github_pat"],
			},
		};
		expect(detect(plainConversation(...texts))).toMatchObject(expected);
		expect(detect(plainConversation(...texts.toReversed()))).toMatchObject(expected);
	});

	it("never repeats a value", () => {
		for (const [, text] of RECOGNISED) {
			const answer = JSON.stringify(detect(plainConversation(text)));
			for (const word of text.match(/[A-Za-z0-9]*\d[A-Za-z0-9]{4,}/g) ?? []) expect(answer).not.toContain(word);
		}
	});
});

/** What the findings in a text say: kind and words. */
function findingsIn(...texts: string[]): [kind: string, words: string][] {
	const { findings } = detect(plainConversation(...texts));
	return findings.map(({ kind, text, start, end }) => [kind, texts[text]?.slice(start, end) ?? ""]);
}

describe("findings", () => {
	it("say in which text they are, in order", () => {
		expect(findingsIn("nothing", "a: kurt@wald-post.de", "b: uwe@wald-post.de")).toEqual([
			["email", "kurt@wald-post.de"],
			["email", "uwe@wald-post.de"],
		]);
	});

	it("span all of an encoding", () => {
		const encoded = Buffer.from("write to kurt@wald-post.de").toString("base64");
		expect(findingsIn(`see ${encoded} there`)).toEqual([["email", encoded.replaceAll("=", "")]]);
	});

	it("include a full name only beside health or money", () => {
		expect(findingsIn("Ingrid Solheim called.")).toEqual([]);
		expect(findingsIn("Ingrid Solheim called.", "Ingrid Solheim has leukemia.")).toEqual([
			["person_name", "Ingrid Solheim"],
			["person_name", "Ingrid Solheim"],
			["diagnosis_context", "leukemia"],
		]);
	});

	it("are bounded for each class, and beyond that it counts as unread", () => {
		const many = Array.from({ length: MAX_FINDINGS_PER_CLASS + 1 }, (_, index) => `u${index}@wald-post.de`).join(" ");
		const { kinds, findings } = detect(plainConversation(`${many} 4111-1111-1111-1111`));
		expect(kinds).toEqual({ PII: ["email", "unread"], FINANCIAL: ["credit_card"] });
		expect(findings.length).toBe(MAX_FINDINGS_PER_CLASS + 1);
	});
});

describe("more than any model takes", () => {
	it("is not read, and may hold anything", () => {
		const half = "word ".repeat(420_000);
		expect(detect(plainConversation(half)).classes).toEqual([]);
		expect(detect(plainConversation(half, half))).toEqual({
			classes: [...DATA_CLASSES],
			kinds: { PII: ["unread"], PHI: ["unread"], FINANCIAL: ["unread"], SECRETS: ["unread"] },
			findings: [],
		});
	});
});

describe("hostile text", () => {
	it.each(HOSTILE_UNITS)("of %s, a quarter of a megabyte, is read to its end", (_, unit) => {
		const filler = repeatToLength(unit, 1 << 18);
		expect(kindsOf(`${filler}\n\nlast: anneke.devries@ziggo-mail.nl`)).toContain("email");
	});
});

describe("secretSpans", () => {
	it("says where each secret stands, so that it can be replaced", () => {
		const text = `export AWS_ACCESS_KEY_ID=${AWS}\ncurl -H "Authorization: Bearer ${JWT}" https://ci:${GITHUB}@github.com/x`;
		const spans = secretSpans(text);
		expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual([AWS, JWT, GITHUB]);
		expect(spans.map(({ kind }) => kind)).toEqual(["aws_access_key", "jwt", "github_pat"]);
	});

	it("covers a whole PEM block", () => {
		const text = `key:\n${PEM}\nend`;
		expect(secretSpans(text).map(({ start, end }) => text.slice(start, end))).toEqual([PEM]);
	});

	it("finds nothing where detect finds no secret", () => {
		for (const { text } of HARMLESS) expect(secretSpans(text)).toEqual([]);
	});

	it("leaves no secret behind, in any encoding, whatever stands around", () => {
		const encodings: readonly ((text: string) => string)[] = [
			(text) => text,
			(text) => encodeURIComponent(text),
			(text) => Buffer.from(text).toString("base64"),
			(text) => [...text].join("\u200b"),
			(text) => text.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)),
		];
		const around = fc.stringMatching(/^[a-z .,\n]{0,60}$/);
		fc.assert(
			fc.property(
				around,
				around,
				fc.constantFrom(...encodings),
				fc.constantFrom(GITHUB, AWS, JWT, "password = 8f$Kd02jLq!"),
				(before, after, encode, secret) => {
					const text = `${before} ${encode(secret)} ${after}`;
					const spans = secretSpans(text);
					expect(spans.length).toBeGreaterThan(0);
					let redacted = "";
					let copied = 0;
					for (const { start, end } of spans) {
						expect(start).toBeGreaterThanOrEqual(copied);
						redacted += `${text.slice(copied, start)} [removed] `;
						copied = end;
					}
					redacted += text.slice(copied);
					expect(detect(plainConversation(redacted)).classes).not.toContain("SECRETS");
				},
			),
		);
	});
});

describe("detection in steps", () => {
	it("pauses within a long text, and finds the same across the pauses", () => {
		const found = "Mail ida.brandvold@fjord-post.no, card 4111-1111-1111-1111, my brother has epilepsy. ";
		const text = Array.from({ length: 1_500 }, (_, index) => `${found}${"x".repeat(index % 7)} `).join("");
		const steps = detectInSteps(plainConversation(text));
		const read: number[] = [];
		let step = steps.next();
		for (; !step.done; step = steps.next()) read.push(step.value);
		expect(read.length).toBeGreaterThan(2);
		expect(Math.max(...read)).toBeLessThanOrEqual(STRETCH_CHARS + 64);
		const counts = new Map<string, number>();
		for (const { kind } of step.value.findings) counts.set(kind, (counts.get(kind) ?? 0) + 1);
		expect([...counts].sort()).toEqual([
			["credit_card", 1_500],
			["diagnosis_context", 1_500],
			["email", 1_500],
		]);
	});
});
