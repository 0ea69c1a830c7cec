// The table of phrases: labels and words beside which a value is somebody's.
import { SOMEBODY } from "./health-subjects.ts";
import type { DataKind } from "./kinds.ts";
import { verbose } from "./verbose.ts";

/** A phrase is tried at each of its words. Its pattern is matched against a window of bounded length around the word. */
export interface Phrase {
	readonly kind: DataKind;
	/** In lower case. A name of several words is listed under the rarest of them. */
	readonly words: readonly string[];
	/** How many characters before and after the start of the word the pattern sees. */
	readonly window: readonly [before: number, after: number];
	/** Without nested quantifiers; every quantifier is bounded. */
	readonly pattern: RegExp;
	/** Must match the lower-cased window, too. */
	readonly near?: RegExp;
	/** Where it matches the lower-cased window, the phrase does not count. */
	readonly unless?: RegExp;
}

const NUMBER_WITH_DIGIT = "(?=[A-Z]{0,4}[-:]?\\d)[A-Z\\d][A-Z\\d-]{3,15}";

/** What laboratories measure. */
const ANALYTES = [
	...["hba1c", "a1c", "ldl", "hdl", "tsh", "creatinine", "hemoglobin", "haemoglobin", "glucose", "egfr", "psa", "wbc"],
	...[
		"platelets",
		"inr",
		"potassium",
		"sodium",
		"triglycerides",
		"cholesterol",
		"bilirubin",
		"ferritin",
		"crp",
		"troponin",
	],
	...["bun", "alt", "ast", "cd4", "hematocrit", "bnp", "kreatinin", "leukozyten", "glicemia", "glucosa", "hemoglobina"],
	...["colesterol", "cholesterin"],
];

/** The person whose money it is. */
const MONEY_OWNER =
	/\b(?:i|my|his|her|he|she|their|m(?:r|rs|s)|frau|herrn?|ich|mein\w{0,2}|mi|mon|mio|meu|minha|mijn)\b|employee|candidate|applicant|customer|client|borrower|tenant|account holder/;
const GENERAL_MONEY_TALK =
	/average|\bmedian\b|minimum|typical|what (?:is|are)\b|how (?:much|many|do|does|is|can)\b|at least|\brequire|example|calculate|formula|commission|\bsales|company|budget|billion/;
const CURRENCY = "[$€£¥₹]|usd|eur(?:os?)?|gbp|inr|chf|cad|aud|pln|zł|sek|nok|dkk|brl|r\\$|dollars?|pounds?|francs?";
/** A sum with its currency before or after it, or in thousands. */
const MONEY_SUM = `(?:(?:${CURRENCY}) ?\\d[\\d,.]{1,12}|\\b\\d[\\d,.]{1,12} ?k? ?(?:${CURRENCY})(?![a-z])|\\b\\d{2,3} ?k\\b)`;

export const PHRASES: readonly Phrase[] = [
	{
		kind: "mrn",
		words: ["mrn", "medical", "chart", "hospital", "patient", "patientid", "health", "patientennummer"],
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
		kind: "health_plan_id",
		words: ["beneficiary", "subscriber", "member", "policy", "medicaid", "plan", "insurance", "membership", "group"],
		window: [48, 88],
		pattern: new RegExp(
			`(?:beneficiary|subscriber|member(?:ship)?|policy|medicaid|plan|insurance|group)[ _-]?(?:number|num|no|nr|id|#)[.:#]{0,2}["']?(?: is| was)?[ :="'#]{0,4}${NUMBER_WITH_DIGIT}`,
			"i",
		),
		near: /health|insur|blue ?(?:cross|shield)|\bbcbs\b|aetna|cigna|kaiser|humana|united ?health|anthem|medicaid|medicare|medical|patient|\bhmo\b|\bppo\b|claim|krankenkasse/,
	},
	{
		kind: "ndc_code",
		words: ["ndc"],
		window: [0, 40],
		pattern: /^ndc[ :#]{0,3}(?:code|number|no\.?)?[ :#]{0,3}(?:\d{4,5}-\d{3,4}-\d{1,2}|\d{10,11})(?!\d)/i,
	},
	{
		kind: "lab_result",
		words: ANALYTES,
		window: [120, 96],
		pattern: new RegExp(
			verbose`
				\b(?:${ANALYTES.join("|")})\b(?:
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
		kind: "salary_context",
		words: ["payslip", "lohnabrechnung", "gehaltsabrechnung", "nomina", "paie", "paga", "holerite", "loonstrook"],
		window: [16, 88],
		pattern:
			/(?:payslip|lohnabrechnung|gehaltsabrechnung|nomina|bulletin de paie|busta paga|holerite|loonstrook)[^\n]{0,64}\b\d{1,3}[.,]?\d{3}(?:[.,]\d{2})?(?!\d)/i,
		unless: GENERAL_MONEY_TALK,
	},
	{
		kind: "salary_context",
		words: [
			...[
				"salary",
				"wage",
				"wages",
				"bonus",
				"pension",
				"earns",
				"pay",
				"paid",
				"gehalt",
				"lohn",
				"verdient",
				"salaire",
			],
			...["gagne", "sueldo", "salario", "gana", "stipendio", "guadagna", "sal", "salaris", "verdient", "zarabia"],
		],
		window: [64, 80],
		pattern: new RegExp(
			`(?:salary|wages?|bonus|pension|earns|base pay|(?:is|was) paid|gehalt|lohn|verdient|salaire|gagne|sueldo|salario|gana|stipendio|guadagna|salário|salaris|zarabia)(?!\\p{L})[^\\n!?]{0,40}?${MONEY_SUM}`,
			"iu",
		),
		near: MONEY_OWNER,
		unless: GENERAL_MONEY_TALK,
	},
	{
		kind: "credit_context",
		words: ["credit", "fico", "schufa", "creditworthiness"],
		window: [64, 72],
		pattern: /\b(?:credit|fico|schufa)[ -]?(?:score|rating)[^\n\d]{0,28}\d{2,3}(?:[.,]\d)?\b/i,
		near: MONEY_OWNER,
		unless: GENERAL_MONEY_TALK,
	},
	// The date precedes the verb: "ich bin am 3.5.1979 geboren".
	{
		kind: "date_of_birth",
		words: ["geboren", "born", "nacido", "nacida", "nato", "nata"],
		window: [44, 10],
		pattern:
			/\b(?:am|op|el|il|on) \d{1,2}[-/.] ?\d{1,2}[-/.] ?(?:(?:19|20)\d{2}|\d{2})(?!\d) (?:in [^\n\d]{2,20} )?(?:geboren|born|nacid[oa]|nat[oa])/i,
	},
	{
		kind: "person_name",
		words: [
			"first",
			"last",
			"full",
			"firstname",
			"lastname",
			"fullname",
			"surname",
			"vorname",
			"nachname",
			"apellidos",
			"prenom",
		],
		window: [0, 56],
		pattern: new RegExp(
			verbose`
				^(?:
					(?:first|last|full)(?:[_ -]?name|Name)|surname|vorname|nachname|apellidos|prenom
				)["']?[:=] ?["']?\p{Lu}[\p{Ll}'’]{1,24}(?=["',;&\s]|$| \p{Lu})
			`,
			"u",
		),
		unless:
			/name["']?[:=] ?["']?(?:john|jane|doe|string|text|required|optional|first|last|full|name|your|the|user|field|varchar|none|null|true|false|test|foo|string\()\b/,
	},
	{
		kind: "geolocation",
		words: [
			"lat",
			"latitude",
			"gps",
			"coordinates",
			"location",
			"geolocation",
			"coords",
			"lives",
			"home",
			"apartment",
			"house",
		],
		window: [72, 96],
		pattern: /-?\d{1,2}\.\d{3,10}°?[ NS]{0,2}[,;" ]{1,3}(?:lo?ng?(?:itude)?["':= ]{1,4})?-?\d{1,3}\.\d{3,10}/i,
		near: /\bhome\b|user|customer|patient|driver|employee|resid|lives|\bmy\b|\bhis\b|\bher\b|\btheir\b|phone|device of|rider|courier|victim|suspect/,
	},
	{
		kind: "ip_address",
		words: ["ip", "ipv6", "ipv4", "connecting", "connected", "client", "visitor", "remoteaddr", "clientip"],
		window: [0, 72],
		pattern:
			/^\w{2,10}(?: address)?(?: from| is| was)?["':= ]{1,4}(?:\d{1,3}(?:\.\d{1,3}){3}(?!\/)\b|(?:[\da-f]{1,4})?::?[\da-f:]{1,39})/i,
		unless: /bind|listen|subnet|cidr|\b0\.0\.0\.0\b/,
	},
	// HL7 version 2, segment PID: field 5 is the name.
	{
		kind: "person_name",
		words: ["pid"],
		window: [0, 96],
		pattern: /^PID\|[^\n]{0,64}\|[A-Z]{2,24}\^[A-Z]{2,24}/i,
	},
];
