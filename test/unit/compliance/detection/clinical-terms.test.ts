import { describe, expect, it } from "vitest";
import { eachClinicalTerm, isClinicalWord } from "../../../../src/compliance/detection/clinical-terms.ts";
import exceptions from "../../../../src/compliance/detection/lists/clinical-ending-exceptions.json" with {
	type: "json",
};
import clinicalEndings from "../../../../src/compliance/detection/lists/clinical-endings.json" with { type: "json" };
import clinicalWords from "../../../../src/compliance/detection/lists/clinical-words.json" with { type: "json" };

function termsIn(text: string): [string, string][] {
	const found: [string, string][] = [];
	eachClinicalTerm(text, ({ group, start, end }) => found.push([group, text.slice(start, end)]));
	return found;
}

describe("words of medicine", () => {
	it.each([
		["condition", "tracheitis", "an ending"],
		["condition", "hautentzündung", "a compound with a letter beyond ASCII"],
		["condition", "cardiomyopathy", "an ending of several parts"],
		["treatment", "splenectomy", "an operation"],
		["medicine", "perindopril", "a stem of a substance"],
		["medicine", "infliximab", "an antibody"],
		["medicine", "pantoprazole", "an inhibitor"],
		["condition", "asthmatic", "a stem of the list"],
		["scale", "phq", "a scale"],
	])("are known as %s: %s, by %s", (group, word) => {
		expect(termsIn(`x ${word} y`)).toEqual([[group, word]]);
	});

	it.each(["april", "diagram", "souvenir", "anatomy", "platinum", "person", "control", "widerspiegelung"])(
		"are not %s",
		(word) => {
			expect(isClinicalWord(word)).toBe(false);
		},
	);

	it("stand where they are said to stand, in order", () => {
		expect(termsIn("gout, then sepsis.").map(([, word]) => word)).toEqual(["gout", "sepsis"]);
	});

	it("are whole words, unless the list says that one is a stem", () => {
		expect(termsIn("goutte lupusx hiv1a")).toEqual([]);
	});
});

describe("the lists of medicine", () => {
	const endings = Object.values(clinicalEndings).flat();
	const listed = [...Object.values(clinicalWords).flat(), ...endings];

	it("have small letters and digits only, as words are cut", () => {
		expect(listed.filter((word) => !/^[a-z\u00df-\u024f][a-z0-9\u00df-\u024f]{1,30}\*?$/.test(word))).toEqual([]);
	});

	it("have endings that three letters tell apart", () => {
		expect(endings.filter((ending) => ending.length < 4)).toEqual([]);
	});

	it("except only words that an ending would take", () => {
		expect(exceptions.filter((word) => !endings.some((ending) => word.endsWith(ending)))).toEqual([]);
	});
});
