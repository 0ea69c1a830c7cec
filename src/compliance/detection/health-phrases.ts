// The table of phrases about somebody's health: records, results, prescriptions, diagnoses.
import { KNOWN_PERSON, NOT_ABOUT_SOMEBODY, SOMEBODY } from "./health-subjects.ts";
import words from "./lists/health-words.json" with { type: "json" };
import terms from "./lists/medical-terms.json" with { type: "json" };
import { CONDITIONS, MEDICINES, SYMPTOMS } from "./medical-terms.ts";
import type { Phrase } from "./phrase.ts";
import { verbose } from "./verbose.ts";

const NUMBER_WITH_DIGIT = "(?=[A-Z]{0,4}[-:]?\\d)[A-Z\\d][A-Z\\d-]{3,15}";
const CONDITION_OR_MEDICINE = new RegExp(`\\b(?:${CONDITIONS})|\\b(?:${MEDICINES})\\b`, "i");
/** What people say they are allergic to without being ill. */
const NOT_ALLERGENS = `(?:my |the |hard |real |any |ugly |long |all |schlechte[mnrs]? )?(?:${words.notAllergens.join("|")})`;
const HEALTH_CORE = new RegExp(CONDITION_OR_MEDICINE.source, "gi");
const MEDICINE_CORE = new RegExp(`\\b(?:${MEDICINES})\\b`, "gi");
const SYMPTOM_CORE = new RegExp(SYMPTOMS, "gi");

/** Records, results, prescriptions and diagnoses. */
export const HEALTH_PHRASES: readonly Phrase[] = [
	{
		kind: "mrn",
		words: words.recordNumber,
		window: [0, 72],
		pattern: new RegExp(
			verbose`
				^(?:
					mrn|(?:medical|health|hospital)[ _-](?:record|chart|patient)s?|chart|hospital|patient(?:ennummer)?
				)[ _-]{0,2}(?:(?:
					number|num|no|nr|id|#
				)[.:#]{0,2}["']?(?: is| was)?|(?<=mrn ?|nummer ?)["':=#]{0,3})[ :="'#]{0,4}${NUMBER_WITH_DIGIT}
			`,
			"i",
		),
	},
	{
		kind: "mrn",
		words: ["pid", "mrn"],
		window: [24, 64],
		pattern: /PID\|\d{0,4}\|[^|\n]{0,20}\|\d{3,16}\^|\d{4,12}\^{2,3}(?:MRN|MR)\b/,
	},
	{
		kind: "health_plan_id",
		words: words.planNumber,
		window: [48, 88],
		pattern: new RegExp(
			`(?:beneficiary|subscriber|member(?:ship)?|policy|medicaid|plan|insurance|group)[ _-]?(?:number|num|no|nr|id|#)[.:#]{0,2}["']?(?: is| was)?[ :="'#]{0,4}${NUMBER_WITH_DIGIT}`,
			"i",
		),
		near: /health|insur|blue ?(?:cross|shield)|\bbcbs\b|aetna|cigna|kaiser|humana|united ?health|anthem|medicaid|medicare|medical|patient|\bhmo\b|\bppo\b|claim|krankenkasse/,
	},
	{
		kind: "npi",
		words: ["npi"],
		window: [0, 24],
		pattern: /^npi["':=# ]{1,4}(?:number |no\.? )?(?:is )?[12]\d{9}(?!\d)/i,
		unless: /^npi[^\d]{1,16}(?:1234567890|[12]0{9})/,
	},
	{
		kind: "ndc_code",
		words: ["ndc"],
		window: [0, 40],
		pattern: /^ndc[ :#]{0,3}(?:code|number|no\.?)?[ :#]{0,3}(?:\d{4,5}-\d{3,4}-\d{1,2}|\d{10,11})(?!\d)/i,
	},
	{
		kind: "lab_result",
		words: terms.analytes,
		window: [120, 96],
		pattern: new RegExp(
			verbose`
				\b(?:${terms.analytes.join("|")})\b(?:
					(?: levels?| count| value)?(?:
						 of| was| is| at| came back(?: at)?|[:=]
						|(?: has)? (?:
							dropped|fell|rose|climbed|went(?: up| down)?|jumped|increased|decreased
						)(?: from [\d.]{1,6})? to
					)? ?[<>]?\d{1,5}(?:[.,]\d{1,2})?(?![\d-])
					|[^\n\d.;]{0,20}\b(?:
						elevated|raised|abnormal|critical|detectable|out of range|erhöht|élevée?|elevad[oa]|elevat[oa]
					)
				)
			`,
			"i",
		),
		near: new RegExp(`${SOMEBODY.source}|lab (?:result|report|value)s?|blood (?:test|work|panel)|dx\\b|diagnos`),
	},
	{
		kind: "lab_result",
		words: words.examination,
		window: [96, 96],
		pattern: new RegExp(
			verbose`
				(?:
					(?:mammogram|mri|(?:ct|pet) scan|ultrasound|e[ck]g|colonoscopy|smear|biopsy|echo)[^\n.;]{0,32}(?:
						show|reveal|confirm|result|was (?:positive|negative)|found|came back|lesion|mass\b|nodule|malignan|benign
						|positive|abnormal
					)
					|blutdruck[^\n\d]{0,24}\d{2,3}[/ ]|viral load[^\n.;]{0,24}(?:detectable|\d{2})
					|blood type (?:is )?(?:ab|[abo])\b|(?:blood pressure|bp)[^\n\d]{0,24}\d{2,3}\/\d{2,3}
					|tested (?:positive|negative) for
				)
			`,
			"iy",
		),
		near: SOMEBODY,
	},
	{
		kind: "prescription",
		core: MEDICINE_CORE,
		words: words.prescription,
		window: [72, 96],
		pattern: new RegExp(
			verbose`
				\b(?:${MEDICINES})\b.{0,12}\d{1,4}(?:\.\d{1,2})? ?(?:mg|mcg|g|ml|units|iu)\b
				|\d{1,4} ?(?:mg|mcg|ml|units|iu)(?: of)? (?:${MEDICINES})\b
				|(?:refill|rx).{0,24}\b(?:${MEDICINES})\b
			`,
			"i",
		),
		near: new RegExp(
			`${SOMEBODY.source}|\\brx\\b|\\bsig\\b|\\bq\\d{1,2}h\\b|\\b[bt]id\\b|\\bqhs\\b|\\bprn\\b|#\\d{2,3}\\b|refill`,
		),
	},
	{
		kind: "diagnosis_context",
		words: terms.clinicalVerbs,
		window: [120, 120],
		core: HEALTH_CORE,
		pattern: CONDITION_OR_MEDICINE,
		near: SOMEBODY,
		unless: NOT_ABOUT_SOMEBODY,
	},
	{
		kind: "diagnosis_context",
		words: words.complaint,
		window: [64, 120],
		core: SYMPTOM_CORE,
		pattern: new RegExp(
			verbose`
				(?:
					admitted|present(?:ed|s|ing)|complain\w{1,5}|c/o|hospitali[sz]ed|reports?|reported|triage|aufgenommen|klagt
					|ingres|acud|refiere|se plaint|lamenta|queixa
				)[^\n]{0,48}?(?:${SYMPTOMS})
			`,
			"i",
		),
		near: SOMEBODY,
		unless: NOT_ABOUT_SOMEBODY,
	},
	{
		kind: "diagnosis_context",
		words: words.allergy,
		window: [64, 64],
		pattern: new RegExp(
			verbose`
				(?:
					(?:all?[eé]rgi(?:c|sch|que|sk|[ck][oa]|es?|a|en|i)|uczul\w{3,5}) (?:
						to|gegen|auf|voor|à|aux?|al?|alla|allo|agli|alle|mot|for|over for|na
					)
					|allerg(?:y|ies)(?: to|:)|\w{3,12} allergy|anaphyla\w{3,5}
				) ?(?!${NOT_ALLERGENS})\p{L}[\p{L}' ]{2}
			`,
			"iu",
		),
		near: KNOWN_PERSON,
		unless: NOT_ABOUT_SOMEBODY,
	},
	{
		kind: "diagnosis_context",
		words: words.vaccination,
		window: [80, 96],
		pattern: new RegExp(
			verbose`
				brca ?[12]?[^\n.]{0,32}(?:positive|mutation|carrier|came back|variant)
				|(?:vaccin|immuni[sz]ation|booster|comirnaty|spikevax|geimpft|impfung|vacunad)[^\n]{0,64}(?:
					\blot\b|\bbatch\b|\bdose\b|\bcharge\b|\blote\b|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}
				)
				|snomed[^\n]{0,24}\d{6,18}
			`,
			"i",
		),
		near: new RegExp(`${KNOWN_PERSON.source}|\\bmy \\w{2,12} (?:test|result)`, "u"),
		unless: NOT_ABOUT_SOMEBODY,
	},
	// A dose and how it is taken, whatever the medicine.
	{
		kind: "prescription",
		words: words.dosing,
		window: [48, 24],
		pattern: new RegExp(
			verbose`
				\b[a-z-]{4,24} \d{1,4}(?:\.\d{1,2})? ?(?:mg|mcg|µg|iu|units)(?: (?:tabs?|tablets?|caps?|once|one|im|sc|sq|iv)){0,2},? (?:
					po\b|bid\b|tid\b|qid\b|qhs\b|qd\b|prn\b|(?:twice |once )?(?:daily|nightly)
				)
			`,
			"i",
		),
		near: new RegExp(`${KNOWN_PERSON.source}|\\b(?:rx|sig|bid|tid|qid|qhs|prn|po)\\b`, "u"),
		unless: NOT_ABOUT_SOMEBODY,
	},
	// Segments of HL7 version 2 and tags of DICOM.
	{
		kind: "icd10",
		words: ["dg1"],
		window: [0, 40],
		pattern: /^DG1\|\d{0,4}\|[^|\n]{0,12}\|[A-Z]\d{2}/,
	},
	{
		kind: "diagnosis_context",
		words: ["al1", "prb", "pr1"],
		window: [0, 64],
		pattern: /^(?:AL1|PRB|PR1)\|[A-Z\d]{0,4}\|[^|\n]{0,16}\|[^\n]{3}/,
	},
	{
		kind: "lab_result",
		words: ["obx"],
		window: [0, 96],
		pattern: /^OBX\|\d{0,4}\|(?:NM|ST|CE|CWE|SN|TX)\|[^|\n]{1,48}\|[^|\n]{0,8}\|[^|\n]{1,16}/,
	},
	{
		kind: "mrn",
		words: ["0010", "patientid"],
		window: [8, 72],
		pattern:
			/\(0010, ?00(?:[123]0)\)[^\n]{0,40}[[:=] ?['"]?(?=[^\s\]]{0,12}[\d^])[\w^-]{3}|\bPatientID["']?\s{0,2}[:=]\s{0,2}["'](?=[^"'\n]{0,16}\d)[\w-]{4,16}["']/,
	},
	{
		kind: "diagnosis_context",
		words: ["resourcetype"],
		window: [2, 480],
		core: /"(?:subject|patient)"\s{0,2}:[\s\S]{0,32}(?:Patient\/[\w-]{2}|"display"\s{0,2}:)/g,
		pattern:
			/"resourceType"\s{0,2}:\s{0,2}"(?:Condition|AllergyIntolerance|Medication(?:Request|Statement|Administration)|Observation|DiagnosticReport|Immunization|Procedure|CarePlan|Encounter)"/,
	},
];
