import { describe, expect, it } from "vitest";
import { plainConversation } from "../../../../src/compliance/conversation.ts";
import { detect } from "../../../../src/compliance/detect.ts";
import { createClinicalReader } from "../../../../src/compliance/detection/clinical-evidence.ts";
import type { DataKind } from "../../../../src/compliance/detection/kinds.ts";

function foundIn(text: string): DataKind[] {
	const seen = new Set<DataKind>();
	createClinicalReader(text, seen)(text.length);
	return [...seen].sort();
}

const SAID: readonly (readonly [by: string, text: string])[] = [
	["a relative and a condition", "My stepfather's glaucoma has come back, so he cannot drive to the office."],
	["a name and a condition", "Please keep Ingrid Solheim off nights, she miscarried on Sunday."],
	["a first person and two symptoms", "I keep vomiting and feel dizzy when I stand up."],
	["a first person and a span of time", "I have had diarrhoea since Friday."],
	["despair without a name for it", "I can't get out of bed and I cry all day."],
	["an injury of a part of the body", "Our cleaner cracked two ribs on the stairs."],
	["an organ of one's own with a symptom", "They say my liver is inflamed and painful."],
	["what a doctor did", "My psychiatrist raised my dose again."],
	["an appointment with a specialist", "Move the call, my daughter has her follow-up with the nephrologist at ten."],
	["a sick note", "Hendrik from sales handed in a sick note until Thursday."],
	["a disability", "Our new trainee is blind in one eye, which screen suits him?"],
	["German", "Meine Tante ist seit Mai schwerhörig und braucht ein Gerät."],
	["French", "Ma voisine est asthmatique et ne supporte pas le parfum."],
	["Spanish", "Mi primo tiene migrañas cada semana."],
	["Italian", "Mio zio è diabetico e viene a cena."],
	["Portuguese", "Minha tia teve um enfarte em abril."],
	["Dutch", "Mijn oom heeft astma en slaapt slecht."],
];

const RECORDED: readonly (readonly [by: string, text: string])[] = [
	["vital signs", "BP 92/58, HR 121, temp 39.1"],
	["complaints in shorthand", "48F c/o epigastric pain x 3/7, hx of pancreatitis"],
	["headings", "Exam: abdomen soft, no guarding. Impression: cholecystitis."],
	["doses and how they are taken", "Discharge medication: ramipril 5 mg OD, edoxaban 60 mg OD"],
	["laboratory values with units", "ferritin 8 ng/mL, Hb 9.4 g/dL"],
	["a scale", "PHQ-9 score: 17"],
	["a scheme of doses", "Torasemid 10 1-0-0"],
	["rows under a header", "visit_id,patient,complaint\n7,3301,chest tightness and cough"],
	["keys of an object", '{"patient_id": 12, "diagnosis": "gout"}'],
	["a segment of allergies", "AL1|1|DA|^SULFA||RASH"],
	["headings in a row of sentences", "Imp: bronchiolitis. Rx neb saline 4ml, review 24h."],
	["stages and receptors", "Biopsy: ductal carcinoma, grade 3, ER negative"],
];

const GENERAL: readonly string[] = [
	"Explain pancreatitis to a nursing student.",
	"What are the symptoms of glaucoma?",
	"People with asthma should avoid smoke.",
	"My sister is writing her thesis on glaucoma.",
	"I want to learn about sepsis.",
	"My dog vomited twice and has diarrhoea since Friday.",
	"I have a pain point in the back end.",
	"He broke his arm's length rule.",
	"My brother is deaf to advice.",
	"She leads the stroke unit of our hospital.",
	"Late payments are a headache for our customers.",
	"Temp 38.9 on the sensor board, pulse width 120.",
	"enum Condition { ASTHMA, GOUT }",
	'{"diagnosis": "string", "patient": "string"}',
	"Our team suffers from long meetings.",
	"Grade 4 pupils learn fractions on the left page.",
	"Mein Chef will eine Präsentation über Migräne.",
	"What is the difference between gout and the Supreme Court?",
	"Anna Petrov is aspiring to a better role.",
	"II. Sleep disorders\nI. Anxiety disorders, and what they have in common",
	"Hugo Lind finished the round a stroke over par.",
	"Draw round the mouth with a pencil to keep the colour from bleeding, says Nora Blom.",
];

/** Published: an outlet and what was said. */
const NEWS =
	"LISBON, Portugal (Reuters) -- The striker Rui Tavares tore a ligament in his knee on Saturday and will miss the rest of the season, a spokesman for the club said. He had complained of pain since the tournament in May, according to his coach, who told reporters that an operation was likely and that nobody knew how long the others would have to wait.";
const EXERCISE =
	"Having read the above passage, choose the right end. Olga found out that she has asthma, and Piet carries her bag. Who can run longer, Olga or Piet?";

describe("what a sentence says of somebody's health", () => {
	it.each(SAID)("is found by %s", (_, text) => {
		expect(foundIn(text)).not.toEqual([]);
		expect(detect(plainConversation(text)).classes).toContain("PHI");
	});

	it.each(RECORDED)("is found in a record by %s", (_, text) => {
		expect(detect(plainConversation(text)).classes).toContain("PHI");
	});

	it.each(GENERAL)("is nothing in %j", (text) => {
		expect(detect(plainConversation(text)).classes).toEqual([]);
	});

	it("needs the person in the sentence of the term", () => {
		expect(foundIn("My uncle called. The usual course has pneumonia first.")).toEqual([]);
	});

	it("says whose it is where a name and a surname stand in the sentence", () => {
		expect(foundIn("Fatoumata Keita is on dialysis.")).toEqual(["diagnosis_context", "person_name"]);
		expect(foundIn("Meine Kollegin hat eine Nierenentzündung.")).toEqual(["diagnosis_context"]);
	});

	it("takes no shortened verb for a title", () => {
		expect(detect(plainConversation("I'm HIV positive, do I tell my dentist?")).classes).toEqual(["PHI"]);
	});

	it("is nothing in news and exercises, where somebody is always ill", () => {
		expect(detect(plainConversation(NEWS)).classes).toEqual([]);
		expect(detect(plainConversation(EXERCISE)).classes).toEqual([]);
	});

	it.each([
		["signs of a record", "BP 92/58, HR 121, temp 39.1, still vomiting"],
		["a scale", "PHQ-9 score: 17 after six weeks of sertraline"],
		["a medicine, its dose and who takes it", "Rui Tavares is on warfarin 5 mg since June"],
		["two illnesses of somebody named in full", "Rui Tavares has epilepsy and type 1 diabetes"],
		["a diagnosis of somebody named in full", "Rui Tavares was diagnosed with leukaemia"],
	])("counts in an exercise by %s", (_, text) => {
		expect(detect(plainConversation(`${EXERCISE}\n${text}`)).classes).toContain("PHI");
		expect(detect(plainConversation(`${NEWS}\n${text}`)).classes).toContain("PHI");
	});

	it("counts in an article that the writer's own people are told of beside", () => {
		const plain = NEWS.replace("LISBON, Portugal (Reuters) -- ", "");
		expect(detect(plainConversation(plain)).classes).toEqual([]);
		expect(detect(plainConversation(`${plain}\nMy son has the same, and he is allergic to latex.`)).classes).toContain(
			"PHI",
		);
	});

	it("is not hidden by what is asked for before a colon", () => {
		for (const asked of ["Summarize this", "Answer the following question", "Please translate the following text"])
			expect(detect(plainConversation(`${asked}: she has glaucoma and takes timolol`)).classes).toContain("PHI");
	});

	it("is found behind many sentences that say nothing", () => {
		const text = `${"Glaucoma is common in old age. ".repeat(400)}My uncle has glaucoma.`;
		expect(foundIn(text)).toEqual(["diagnosis_context"]);
	});

	it("is found in a line that is longer than a sentence", () => {
		const text = `${"so it went on and on ".repeat(60)}and my uncle has glaucoma`;
		expect(foundIn(text)).toEqual(["diagnosis_context"]);
	});
});
