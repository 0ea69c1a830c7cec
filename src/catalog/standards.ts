// Finds the one spelling of what is said of providers, and what compliance policies ask for: places, frameworks, certifications. Pure.

const EU_MEMBERS = new Set(
	"AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE".split(" "),
);

/** The European Economic Area: the EU and three more. */
const EEA = ["EU", "IS", "LI", "NO"];
const PLACE_GROUPS: Readonly<Record<string, readonly string[]>> = { EEA, "EUROPEAN ECONOMIC AREA": EEA };

/** Names and codes that ISO 3166 and Unicode do not have for these places. */
const PLACE_ALIASES: Readonly<Record<string, string>> = {
	EUROPE: "EU",
	"EUROPEAN UNION": "EU",
	UK: "GB",
	"GREAT BRITAIN": "GB",
	USA: "US",
	"UNITED STATES OF AMERICA": "US",
	AMERICA: "US",
	"PEOPLE'S REPUBLIC OF CHINA": "CN",
	PRC: "CN",
	"SOUTH KOREA": "KR",
	"REPUBLIC OF KOREA": "KR",
	"CZECH REPUBLIC": "CZ",
	TURKEY: "TR",
	"RUSSIAN FEDERATION": "RU",
	"VIET NAM": "VN",
	"THE NETHERLANDS": "NL",
	UAE: "AE",
	"HONG KONG": "HK",
};

/**
 * The officially assigned codes of ISO 3166-1 alpha-2. Unicode also has retired and reserved codes, some with the names of
 * others: FX is `France`, UK `United Kingdom`, SU `Russia`.
 */
const COUNTRIES: ReadonlySet<string> = new Set(
	[
		"AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ",
		"CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR",
		"GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP",
		"KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT",
		"MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW",
		"SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ",
		"UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW",
	].flatMap((codes) => codes.split(" ")),
);

let codesByName: Map<string, string> | undefined;

/** Finds a country's code by its English name in Unicode. */
function findCodeByName(name: string): string | undefined {
	if (!codesByName) {
		const names = new Intl.DisplayNames("en", { type: "region" });
		codesByName = new Map([...COUNTRIES].map((code) => [(names.of(code) ?? code).toUpperCase(), code]));
	}
	return codesByName.get(name);
}

/** The codes of ISO 3166-1 alpha-2, or `EU`, that a word stands for; null when it is no place. */
export function findPlaces(word: string): readonly string[] | null {
	const upper = word.trim().toUpperCase();
	// `U.S.A.` loses its points; names such as `St. Lucia` keep theirs.
	const bare = /^(?:[A-Z]\.)+[A-Z]?$/.test(upper) ? upper.replaceAll(".", "") : upper;
	const group = Object.hasOwn(PLACE_GROUPS, bare) ? PLACE_GROUPS[bare] : undefined;
	if (group) return group;
	if (bare === "EU" || COUNTRIES.has(bare)) return [bare];
	const code = Object.hasOwn(PLACE_ALIASES, bare) ? PLACE_ALIASES[bare] : findCodeByName(bare);
	return code === undefined ? null : [code];
}

/** Whether a place lies within an allowed one. A member state lies within the EU; the EU lies within nothing else. */
export function isWithin(place: string, allowed: readonly string[]): boolean {
	return allowed.includes(place) || (EU_MEMBERS.has(place) && allowed.includes("EU"));
}

/** The spelling of frameworks and certifications, by their letters and digits in capitals. */
export const STANDARDS: Readonly<Record<string, string>> = Object.fromEntries(
	[
		"APPI",
		"C5",
		"CCPA",
		"CJIS",
		"CMMC",
		"COPPA",
		"CPRA",
		"CSA STAR",
		"DORA",
		"DPDP",
		"ENS",
		"EU AI ACT",
		"FEDRAMP",
		"FERPA",
		"FISMA",
		"GDPR",
		"GLBA",
		"HDS",
		"HIPAA",
		"HITRUST",
		"IRAP",
		"ISO22301",
		"ISO27001",
		"ISO27017",
		"ISO27018",
		"ISO27701",
		"ISO42001",
		"ISO9001",
		"ITAR",
		"LGPD",
		"NIS2",
		"NIST 800-171",
		"NIST 800-53",
		"NIST AI RMF",
		"NIST CSF",
		"PCI DSS",
		"PDPA",
		"PIPEDA",
		"PIPL",
		"SOC1",
		"SOC2",
		"SOC3",
		"SOX",
		"STATERAMP",
		"TISAX",
		"TXRAMP",
		"UK GDPR",
	].map((name) => [name.replace(/[^A-Z0-9]/g, ""), name]),
);

const STANDARD_ALIASES: Readonly<Record<string, string>> = {
	BAA: "HIPAA",
	CSA: "CSA STAR",
	EUGDPR: "GDPR",
	GENERALDATAPROTECTIONREGULATION: "GDPR",
	HIPAABAA: "HIPAA",
	PCI: "PCI DSS",
	STAR: "CSA STAR",
};

/**
 * The one spelling of a framework or certification: `SOC 2 Type II` is `SOC2`, `ISO/IEC 27001:2022` is `ISO27001`.
 * Null for an unknown name.
 */
export function findStandard(word: string): string | null {
	const upper = word.trim().toUpperCase();
	const letters = upper
		.replace(/:\s*(?:19|20)\d\d$/, "")
		.replace(/[^A-Z0-9]/g, "")
		.replace(/^ISOIEC/, "ISO")
		.replace(/^(SOC[12])TYPE(?:I|II|1|2)$/, "$1")
		.replace(/^(PCIDSS)(?:LEVEL\d|V?\d+)$/, "$1");
	if (Object.hasOwn(STANDARDS, letters)) return STANDARDS[letters] ?? null;
	return Object.hasOwn(STANDARD_ALIASES, letters) ? (STANDARD_ALIASES[letters] ?? null) : null;
}
