// The medical terms in a sentence, as sources of regular expressions. The words are in lists/medical-terms.json.
import terms from "./lists/medical-terms.json" with { type: "json" };
import { verbose } from "./verbose.ts";

/** Conditions in several languages, many by their stem. */
export const CONDITIONS = terms.conditions.join("|");

/** What somebody feels or shows. It says something about their health only after words of a clinic. */
export const SYMPTOMS = terms.symptoms.join("|");

/** Generic names of medicines, endings of names made from INN stems, and brands. */
export const MEDICINES = terms.medicines.join("|");

/** Classes of medicines. */
export const MEDICINE_CLASSES = terms.medicineClasses.join("|");

/** Conditions in the middle or at the end of a compound, or after a letter beyond ASCII. */
export const CONDITION_STEMS = terms.conditionStems.join("|");

/** Treatments, operations and aids, and the words for addiction and despair. */
export const TREATMENTS = `\\b(?:${terms.treatments.join("|")})`;

/** Doctors by what they treat. */
export const SPECIALISTS = terms.specialists.join("|");

/** A stay in hospital: it says by itself that somebody is ill. */
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
