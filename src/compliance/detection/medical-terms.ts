// The expressions of medical terms in a sentence, built from the lists of medical-terms.json.
import terms from "./lists/medical-terms.json" with { type: "json" };
import { verbose } from "./verbose.ts";

/** Conditions in several languages, many by their stem. */
export const CONDITIONS = terms.conditions.join("|");

/** What somebody feels or shows: it says something of their health only behind words of a clinic. */
export const SYMPTOMS = terms.symptoms.join("|");

/** Generic names of medicines, the endings that INN stems give them, and brands that stand for them. */
export const MEDICINES = terms.medicines.join("|");

/** Those medicines that are one plain word. */
export const MEDICINE_WORDS = MEDICINES.split("|").filter((word) => /^[a-z]+$/.test(word));

/** Classes of medicines. */
export const MEDICINE_CLASSES = terms.medicineClasses.join("|");

/** Conditions within and at the end of compounds, where a language writes them as one word, or behind a letter beyond ASCII. */
export const CONDITION_STEMS = terms.conditionStems.join("|");

/** Treatments, operations and aids, and what addiction and despair are called. */
export const TREATMENTS = `\\b(?:${terms.treatments.join("|")})`;

/** Doctors by what they treat. */
export const SPECIALISTS = terms.specialists.join("|");

/** A stay in a hospital, which says by itself that somebody is ill. */
export const STAYS = verbose`
	\b(?:was|is|been|being|got|were) (?:re)?hospitali[sz]ed
	|\brushed to (?:the )?(?:hospital|er\b|a&e)
	|\bin (?:the )?(?:icu\b|intensive care|psych(?:iatric)? ward)
	|intensivstation
	|\bliegt (?:\p{L}{2,12} ){0,2}im krankenhaus
	|hospitalisée? (?:pour|en|à|depuis)
	|\bingresad[oa] (?:en|por)
	|\bricoverat[oa]\b
	|\bopgenomen in het ziekenhuis
	|\b(?:ligt|lag|liggen) (?:\p{L}{2,12} ){0,2}in het ziekenhuis
	|\bin recovery from\b
	|\bsober (?:for|since)\b
`;
