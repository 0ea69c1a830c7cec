// The table of what only a phrase gives away: words that start one, the pattern around them, what else must be near.
import type { Kind } from "./kinds.ts";
import {
	ANALYTES,
	CLINICAL_VERBS,
	CONDITION_WORDS,
	CONDITIONS,
	MEDICINE_WORDS,
	MEDICINES,
	SOMEBODY,
	SYMPTOMS,
} from "./medical-terms.ts";

/** A phrase is tried at each of its words. Its pattern is held against a window of bounded length around the word. */
export interface Phrase {
	readonly kind: Kind;
	/** Lower-case; a name of several words is waited for under the rarest of them. */
	readonly words: readonly string[];
	/** Characters before and behind the word's first that the pattern sees. */
	readonly window: readonly [before: number, after: number];
	/** Without nested quantifiers; every quantifier is bounded. A sticky one is held against the text at the word instead. */
	readonly pattern: RegExp;
	/**
	 * What no match of the pattern is without, wherever in the window: a global pattern, so that the text is searched for it
	 * once, and no window is looked into where it does not stand.
	 */
	readonly core?: RegExp;
	/** Also held against the window, in lower case. */
	readonly near?: RegExp;
	/** Held against the window too: where it matches, the phrase does not count. */
	readonly unless?: RegExp;
}

const MONTH =
	"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|januar|februar|märz|mai|juni|juli|okt|dez|ene|abr|ago|dic|janv|févr|fév|avr|juin|juil|août|déc|gen|mag|giu|lug|set|ott|fev|out|mrt|mei|sty|lut|kwi|maj|cze|lip|sie|wrz|paź|lis|gru)[a-zéçńśź]{0,9}";
/** Of somebody who may be alive. */
const YEAR = "(?:19|20)\\d{2}";
const DATE = `(?:${YEAR}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2}[-/.] ?\\d{1,2}[-/.] ?(?:${YEAR}|\\d{2})|\\d{1,2}(?:st|nd|rd|th|er|º|\\.)? ?(?:of |de |di )?${MONTH},? (?:de |del )?${YEAR}|${MONTH} \\d{1,2}(?:st|nd|rd|th)?,? ${YEAR}|(?:19|20)\\d{6})(?!\\d)`;
const IDENTIFIER = "(?=[A-Z]{0,4}[-:]?\\d)[A-Z\\d][A-Z\\d-]{3,15}";
const STREET =
	"Street|St|Avenue|Ave|Road|Rd|Terrace|Drive|Dr|Lane|Ln|Boulevard|Blvd|Court|Ct|Way|Place|Pl|Square|Sq|Circle|Cir|Parkway|Pkwy|Highway|Hwy|Close|Crescent|Gardens|Grove|Row|Trail|Loop";
const LIVES =
	"address|lives? (?:at|in)|living at|resid|ship|deliver|send|mail|billing|\\bhome\\b|moved to|apt|unit|suite|\\b[A-Z]{2}\\b,? \\d{5}|\\b[a-z]{1,2}\\d{1,2}[a-z]? \\d[a-z]{2}\\b|\\b\\d{5}(?:-\\d{4})?\\b|, ?[a-z]{2} \\d{5}";

const CONDITION_OR_MEDICINE = new RegExp(`\\b(?:${CONDITIONS})|\\b(?:${MEDICINES})\\b`, "i");
const HEALTH_CORE = new RegExp(CONDITION_OR_MEDICINE.source, "gi");
const MEDICINE_CORE = new RegExp(`\\b(?:${MEDICINES})\\b`, "gi");
const SYMPTOM_CORE = new RegExp(SYMPTOMS, "gi");
const MONEY_CORE = /[$€£¥₹]|usd|eur|gbp|inr|chf|\dk/gi;

const NOT_ABOUT_SOMEBODY =
	/\bcohort|meta-analys|prevalence|\bincidence|epidemiolog|randomi[sz]ed|placebo|leaflet|brochure|guideline|fictional|hypothetical|role-?play|patient (?:education|portal|app\b|record system|journey|management)|worldwide|\btrials? (?:of|with|show)|\bin (?:the|this|our) (?:trial|study)|patient zero|explain (?:to|how|what|why)|how (?:do|does|can|should|would) (?:i|we|you|one|doctors|nurses) (?:\w{1,12} ){0,2}(?:treat|manag|diagnos|prescri|assess)|wie (?:behandelt|behandle|erkennt) man|\b(?:paper|thesis|lecture|talk|report|reading|research\w{0,3}|article|book|show|film|question|frage|pregunta|domanda|pytanie) (?:on|about|zu|über|sobre|su|o)\b|im allgemeinen|en général|en general|in generale|zodiac|brush ?stroke|stroke of|favou?rite|migrat(?:e|ion|ing)\b|blog post|awareness|\bnovel\b|fiction|in general|\bessay\b|\barticle\b|dataset|\bquiz\b|\bclassifier\b|what (?:is|are) (?:the )?(?:usual|common|typical|symptoms|signs|causes)/;

export const PHRASES: readonly Phrase[] = [
	{
		kind: "date_of_birth",
		words: [
			"dob",
			"birth",
			"born",
			"birthdate",
			"birthday",
			"dateofbirth",
			"birthdatum",
			"geburtsdatum",
			"geboren",
			"geb",
			"nacido",
			"nacida",
			"nacimiento",
			"naissance",
			"nascita",
			"nascimento",
			"urodzenia",
			"urodzony",
			"urodzona",
			"nac",
			"nasc",
			"nasci",
			"nascido",
			"nascida",
			"nació",
			"naci",
			"née",
			"nee",
			"geboortedatum",
			"gebdatum",
			"bday",
			"birthyear",
		],
		window: [0, 64],
		pattern: new RegExp(`^\\w{3,14}[^\\n\\d]{0,24}${DATE}`, "i"),
	},
	// Words cut at letters beyond ASCII: née le, nací el, født; and d.o.b., né(e), ur.
	{
		kind: "date_of_birth",
		words: ["b", "n", "nac", "f", "ur", "nata", "nato"],
		window: [10, 56],
		pattern: new RegExp(
			`(?:\\bd\\.o\\.b\\.?|\\bnée? (?:à [^\\n\\d]{2,24} )?le|\\bnat[oa] (?:ad? |in |il |nel )|\\bnac(?:í|ió) (?:en [^\\n\\d]{2,24} )?el|\\bfødt|\\bfödd|\\bur\\.)[^\\n\\d]{0,24}${DATE}`,
			"i",
		),
	},
	// The date before the verb: "ich bin am 3.5.1979 geboren".
	{
		kind: "date_of_birth",
		words: ["geboren", "born", "nacido", "nacida", "nato", "nata"],
		window: [44, 10],
		pattern: new RegExp(
			`(?:\\bam |\\bop |\\bel |\\bil |\\bon )${DATE} (?:in [^\\n\\d]{2,20} )?(?:geboren|born|nacid[oa]|nat[oa])`,
			"i",
		),
	},
	{
		kind: "person_name",
		words: [
			"firstname",
			"lastname",
			"fullname",
			"first",
			"last",
			"full",
			"surname",
			"lname",
			"fname",
			"vorname",
			"nachname",
			"apellido",
			"apellidos",
			"prenom",
			"cognome",
			"sobrenome",
			"achternaam",
			"nazwisko",
		],
		window: [0, 56],
		pattern:
			/^(?:(?:first|last|full)(?:[_ -]?name|Name)|surname|lname|fname|vorname|nachname|apellidos?|prenom|cognome|sobrenome|achternaam|nazwisko)["']?[:=] ?["']?\p{Lu}[\p{Ll}'’]{1,24}(?=["',;&\s]|$| \p{Lu})/u,
		unless:
			/name["']?[:=] ?["']?(?:string|text|required|optional|first|last|full|name|your|the|user|field|varchar|none|null|true|false|test|foo|string\()\b/,
	},
	{
		kind: "postal_address",
		words: STREET.toLowerCase().split("|"),
		window: [64, 72],
		pattern: new RegExp(
			`(?:^|[^\\w.])\\d{1,5}[A-Za-z]? (?:[NSEW]\\.? )?(?:[A-Z][\\w'.]{1,20} |\\d{1,3}(?:st|nd|rd|th) ){1,4}(?:${STREET})\\b`,
		),
		near: new RegExp(LIVES),
	},
	{
		kind: "postal_address",
		words: [
			"calle",
			"avenida",
			"rue",
			"boulevard",
			"via",
			"viale",
			"piazza",
			"rua",
			"ulica",
			"ul",
			"plaza",
			"paseo",
			"carrer",
			"chemin",
			"corso",
			"avda",
			"av",
			"travessa",
			"alameda",
			"quai",
			"impasse",
		],
		window: [16, 80],
		pattern:
			/(?:calle|avenida|rue|boulevard|via|viale|piazza|rua|ulica|ul\.|plaza|paseo|carrer|chemin)(?:[^\n\d]{2,36}\d{1,4}[^\n\d]{1,24}|[^\n\d]{3,48})\d{2}-?\d{3}\b|(?<=\d{1,4},? (?:bis |ter )?)(?:rue|boulevard|avenue|chemin)[^\n\d]{2,36}\d{5}\b/iy,
	},
	{
		kind: "postal_address",
		words: [
			"moro",
			"vivo",
			"vive",
			"mora",
			"reside",
			"residente",
			"abito",
			"abita",
			"direcci",
			"indirizzo",
			"domicilio",
		],
		window: [0, 96],
		pattern:
			/\w{4,12}[^\n\d]{0,24}\b(?:calle|avenida|avda?\.?|via|viale|corso|piazza|rua|plaza|paseo|travessa|alameda) [^\n\d]{2,32}\d{1,4}/iy,
	},
	{
		kind: "postal_address",
		words: ["anschrift", "adresse", "wohnhaft", "wohnt", "address", "adres", "lieferadresse", "rechnungsadresse"],
		window: [0, 96],
		pattern: /^\w{5,16}[^\n\d]{1,40}\d{1,4} ?[a-z]?,? [^\n\d]{0,20}\d{4,5}(?: ?[A-Z]{2})? \p{Lu}\p{L}{1,20}/iu,
	},
	{
		kind: "geolocation",
		words: ["lat", "latitude", "gps", "coordinates", "location", "geolocation", "coords"],
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

	{
		kind: "mrn",
		words: ["mrn", "medical", "chart", "hospital", "patient", "patientid", "health", "patientennummer"],
		window: [0, 72],
		pattern: new RegExp(
			`^(?:mrn|(?:medical|health|hospital)[ _-](?:record|chart|patient)s?|chart|hospital|patient(?:ennummer)?)[ _-]{0,2}(?:(?:number|num|no|nr|id|#)[.:#]{0,2}["']?(?: is| was)?|(?<=mrn ?|nummer ?)["':=#]{0,3})[ :="'#]{0,4}${IDENTIFIER}`,
			"i",
		),
	},
	// HL7 version 2, segment PID: field 5 is the name.
	{
		kind: "person_name",
		words: ["pid"],
		window: [0, 96],
		pattern: /^PID\|[^\n]{0,64}\|[A-Z]{2,24}\^[A-Z]{2,24}/i,
	},
	{
		kind: "mrn",
		words: ["pid", "mrn"],
		window: [24, 64],
		pattern: /PID\|\d{0,4}\|[^|\n]{0,20}\|\d{3,16}\^|\d{4,12}\^{2,3}(?:MRN|MR)\b/,
	},
	{
		kind: "health_plan_id",
		words: [
			"beneficiary",
			"subscriber",
			"member",
			"policy",
			"medicaid",
			"plan",
			"insurance",
			"versichertennummer",
			"membership",
			"group",
		],
		window: [48, 88],
		pattern: new RegExp(
			`(?:beneficiary|subscriber|member(?:ship)?|policy|medicaid|plan|insurance|group)[ _-]?(?:number|num|no|nr|id|#)[.:#]{0,2}["']?(?: is| was)?[ :="'#]{0,4}${IDENTIFIER}`,
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
		words: [...ANALYTES],
		window: [120, 96],
		pattern: new RegExp(
			`\\b(?:${ANALYTES.join("|")})\\b(?:(?: levels?| count| value)?(?: of| was| is| at| came back(?: at)?|[:=]|(?: has)? (?:dropped|fell|rose|climbed|went up|jumped|increased|decreased)(?: from [\\d.]{1,6})? to)? ?[<>]?\\d{1,5}(?:[.,]\\d{1,2})?(?![\\d-])|[^\\n\\d.;]{0,20}\\b(?:elevated|raised|abnormal|critical|detectable|out of range|erhöht|élevée?|elevad[oa]|elevat[oa]))`,
			"i",
		),
		near: new RegExp(`${SOMEBODY.source}|lab (?:result|report|value)s?|blood (?:test|work|panel)|dx\\b|diagnos`),
	},
	{
		kind: "lab_result",
		words: [
			"blood",
			"bp",
			"tested",
			"biopsy",
			"viral",
			"mammogram",
			"mri",
			"ct",
			"pet",
			"ultrasound",
			"ecg",
			"ekg",
			"colonoscopy",
			"blutdruck",
			"smear",
			"echo",
		],
		window: [96, 96],
		pattern:
			/(?:(?:mammogram|mri|(?:ct|pet) scan|ultrasound|e[ck]g|colonoscopy|smear|biopsy|echo)[^\n.;]{0,32}(?:show|reveal|confirm|result|was (?:positive|negative)|found|came back|lesion|mass\b|nodule|malignan|benign|positive|abnormal)|blutdruck[^\n\d]{0,24}\d{2,3}[/ ]|viral load[^\n.;]{0,24}(?:detectable|\d{2})|blood type (?:is )?(?:ab|[abo])\b|(?:blood pressure|bp)[^\n\d]{0,24}\d{2,3}\/\d{2,3}|tested (?:positive|negative) for)/iy,
		near: SOMEBODY,
	},
	{
		kind: "prescription",
		core: MEDICINE_CORE,
		words: ["mg", "mcg", "rx", "prescribed", "prescription", "dose", "tablets", "refill", "dosage"],
		window: [72, 96],
		pattern: new RegExp(
			`\\b(?:${MEDICINES})\\b.{0,12}\\d{1,4}(?:\\.\\d{1,2})? ?(?:mg|mcg|g|ml|units|iu)\\b|\\d{1,4} ?(?:mg|mcg|ml|units|iu)(?: of)? (?:${MEDICINES})\\b|(?:refill|rx).{0,24}\\b(?:${MEDICINES})\\b`,
			"i",
		),
		near: new RegExp(
			`${SOMEBODY.source}|\\brx\\b|\\bsig\\b|\\bq\\d{1,2}h\\b|\\b[bt]id\\b|\\bqhs\\b|\\bprn\\b|#\\d{2,3}\\b|refill`,
		),
	},
	{
		kind: "diagnosis_context",
		words: CLINICAL_VERBS,
		window: [120, 120],
		core: HEALTH_CORE,
		pattern: CONDITION_OR_MEDICINE,
		near: SOMEBODY,
		unless: NOT_ABOUT_SOMEBODY,
	},
	{
		kind: "diagnosis_context",
		words: [
			"admitted",
			"presented",
			"presents",
			"complains",
			"complaining",
			"complained",
			"patient",
			"pt",
			"hospitalized",
			"hospitalised",
			"patientin",
			"paciente",
			"paziente",
			"patiente",
			"ingres",
			"triage",
		],
		window: [64, 120],
		core: SYMPTOM_CORE,
		pattern: new RegExp(
			`(?:admitted|present(?:ed|s|ing)|complain\\w{1,5}|c/o|hospitali[sz]ed|reports?|reported|triage|aufgenommen|klagt|ingres|acud|refiere|se plaint|lamenta|queixa)[^\\n]{0,48}?(?:${SYMPTOMS})`,
			"i",
		),
		near: SOMEBODY,
		unless: NOT_ABOUT_SOMEBODY,
	},
	{
		kind: "diagnosis_context",
		words: [...CONDITION_WORDS, ...MEDICINE_WORDS],
		window: [96, 96],
		pattern:
			/\b(?:takes?|taking|on|prescribed|allergic|has|had|have|having|with|was|is on|my|her|his|got|from|battl\w{1,5}|surviv\w{1,3}|recover\w{1,3}|manag\w{1,3}|referr\w{1,3}|referral|histor(?:y|ies)|status post|s\/p)\b/i,
		near: SOMEBODY,
		unless: NOT_ABOUT_SOMEBODY,
	},

	{
		kind: "salary_context",
		core: MONEY_CORE,
		words: [
			"salary",
			"salaries",
			"wage",
			"wages",
			"payroll",
			"earns",
			"compensation",
			"bonus",
			"gehalt",
			"salario",
			"salaire",
			"stipendio",
			"net",
			"income",
		],
		window: [24, 96],
		pattern:
			/\b(?:salary|salaries|wages?|payroll|earns|compensation|bonus|gehalt|salario|salaire|stipendio|income)\b[^\n]{0,56}?(?:(?:[$€£¥₹]|usd|eur|gbp|inr|chf) ?\d[\d,.]{2,12}k?|\b\d[\d,.]{3,12} ?(?:[$€£¥₹]|usd|eur|gbp|inr|chf|k\b))/i,
		near: /employee|\bmy\b|\bhis\b|\bher\b|\bhe\b|\bshe\b|\btheir\b|staff|\bmr|\bms|salary of|payroll|candidate|offer/,
		unless: /average|median|minimum wage|salary range/,
	},
	{
		kind: "credit_context",
		words: [
			"credit",
			"fico",
			"schufa",
			"loan",
			"mortgage",
			"overdraft",
			"balance",
			"debt",
			"debts",
			"creditworthiness",
		],
		window: [64, 72],
		pattern:
			/\b(?:credit|fico|schufa)[ -]?(?:score|rating)[^\n\d]{0,10}\d{3}\b|\b(?:loan|mortgage|overdraft|debts?|account balance|bank balance)\b[^\n\d]{0,32}[$€£₹] ?\d[\d,.]{2,12}/i,
		near: /customer|client|employee|applicant|borrower|\bmy\b|\bhis\b|\bher\b|\bhe\b|\bshe\b|\btheir\b|\bmr|\bms|tenant|member|account holder/,
		unless: /average|median|typical|what is|minimum|at least|require/,
	},
	{
		kind: "card_cvv",
		words: ["cvv", "cvc", "cvv2", "cvc2", "cid", "security", "cardcode"],
		window: [0, 40],
		pattern: /^(?:cvv2?|cvc2?|cid|security code)(?: is| code|:)?["':=# ]{1,4}\d{3,4}(?![\d.])/i,
	},
	{
		kind: "bank_account",
		words: ["account", "acct", "konto", "kontonummer", "compte", "cuenta", "clabe", "conta"],
		window: [80, 72],
		pattern:
			/\b(?:account|acct|konto(?:nummer)?|compte|cuenta|clabe|conta)\b(?: number| no\.?| num| nr\.?| #)?["':=# ]{1,3}(?:is )?\d{6,18}(?![\d-])/i,
		near: /bank|routing|\baba\b|sort ?code|\biban\b|\bbic\b|swift|wire|direct de(?:bit|posit)|deposit|checking|savings|payee|beneficiary|\bach\b|überweis|transfer|clabe|account number|kontonummer/,
	},
];
