import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../../src/compliance/conversation.ts";
import { detect } from "../../../../src/compliance/detect.ts";
import { createHealthStatementReader } from "../../../../src/compliance/detection/health-statements.ts";
import type { DataKind } from "../../../../src/compliance/detection/kinds.ts";

function statedIn(text: string): DataKind[] {
	const seen = new Set<DataKind>();
	createHealthStatementReader(text, seen)(text.length);
	return [...seen].sort();
}

const STATED: readonly (readonly [family: string, kind: DataKind, text: string])[] = [
	["a compound", "diagnosis_context", "Mein Onkel hat Magenkrebs und braucht eine Haushaltshilfe."],
	["a condition cut at a letter beyond ASCII", "diagnosis_context", "Unsere Nachbarin hat eine Blasenentzündung."],
	["a Scandinavian compound", "diagnosis_context", "Min syster har lungcancer."],
	["a possessive", "diagnosis_context", "My cousin told the school about her epilepsy."],
	["a brand of medicine", "prescription", "My roommate takes Seroquel at night."],
	["a medicine in French", "prescription", "Ma tante prend du bisoprolol."],
	["a treatment", "diagnosis_context", "My uncle starts radiation therapy in June."],
	["an operation", "diagnosis_context", "I had an appendectomy over the holidays."],
	["a doctor by what they treat", "diagnosis_context", "My nephew is seeing a neurologist on Monday."],
	["an addiction", "diagnosis_context", "Our intern is in recovery from opioids."],
	["a stay in a hospital", "diagnosis_context", "My boss was hospitalised on Sunday."],
	["a given name", "diagnosis_context", "Katarzyna has lupus."],
];

const UNSTATED: readonly string[] = [
	"Diabetes is common; one adult in nine has it.",
	"My brother is a psychiatrist in Leeds.",
	"I have to implement a stroke detection model.",
	"Ich habe einen Abbruch im Build, wer sucht die Ursache?",
	"My academia.edu account has an emeritus badge and a diploma.",
	"He has 5 hives that each produce 20 liters of honey.",
	"It's JavaScript on steroids.",
	"Continue the story: she has cancer and travels to the sea.",
];

describe("statements about somebody's health", () => {
	it.each(STATED)("are found by %s", (_, kind, text) => {
		expect(statedIn(text)).toContain(kind);
	});

	it.each(UNSTATED)("are not found in %j", (text) => {
		expect(statedIn(text)).toEqual([]);
	});

	it("need a person in the sentence of the term", () => {
		expect(statedIn("My uncle called. The usual course has pneumonia first.")).toEqual([]);
	});

	it("are looked for behind a term that was nobody's", () => {
		const text = `${"Cancer is common. ".repeat(20)}My uncle has cancer.`;
		expect(statedIn(text)).toEqual(["diagnosis_context"]);
	});
});

describe("allergies", () => {
	it.each([
		"My flatmate is allergic to sesame",
		"Ich bin allergisch gegen Bienenstiche",
		"Tengo alergia a las nueces",
		"Mon fils est allergique au lait",
	])("are somebody's health: %j", (text) => {
		expect(detect(plainConversation(text)).classes).toEqual(["PHI"]);
	});

	it.each(["I'm allergic to meetings", "My boss is allergic to bad code", "Ich bin allergisch gegen Besprechungen"])(
		"are none where they are a manner of speaking: %j",
		(text) => {
			expect(detect(plainConversation(text)).classes).toEqual([]);
		},
	);
});

describe("formats of clinics", () => {
	it.each([
		["icd10", "DG1|1||E10.9^Type 1 diabetes^I10"],
		["lab_result", "OBX|1|NM|2345-7^Glucose^LN||182|mg/dL"],
		["mrn", "(0010,0020) LO [PX448201]"],
		[
			"diagnosis_context",
			'{"resourceType": "Immunization", "status": "completed", "patient": {"reference": "Patient/88"}}',
		],
		["prescription", "ropinirole 2 mg PO tid"],
	])("give %s away in %j", (kind, text) => {
		expect(detect(plainConversation(text)).kinds.PHI).toContain(kind);
	});

	it("are no data without a value", () => {
		expect(
			detect(plainConversation('Does "resourceType": "Immunization" need a status? Is (0010,0020) the PatientID?'))
				.classes,
		).toEqual([]);
	});
});

describe("a password that was changed", () => {
	it.each([
		"the vpn password was changed to %",
		"the password is old, I reset it to %",
		"db pw is now %",
		"das Passwort ist jetzt %",
	])("is found in %j", (sentence) => {
		expect(detect(plainConversation(sentence.replace("%", ["Otter", "Lamp#88"].join("")))).classes).toEqual([
			"SECRETS",
		]);
	});

	it.each([
		"The password was changed to something longer",
		"pwd is now /home/user/project-x1",
		"I set it to Africa/Nairobi after login",
	])("is none in %j", (text) => {
		expect(detect(plainConversation(text)).classes).toEqual([]);
	});
});
