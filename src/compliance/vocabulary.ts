// One spelling for what a compliance policy names: jurisdictions, frameworks, certifications, classes of data. Pure.

/** Classes of sensitive data, in the order in which they are always listed. */
export const DATA_CLASSES = ["PII", "PHI", "FINANCIAL", "SECRETS"] as const;
export type DataClass = (typeof DATA_CLASSES)[number];

const EU_MEMBERS = new Set(
	"AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE".split(" "),
);

/** What a list says with one word: the European Economic Area is the EU and three more. */
const GROUPS: Readonly<Record<string, readonly string[]>> = { EEA: ["EU", "IS", "LI", "NO"] };

/** Names and codes that ISO 3166 does not have. */
const OTHER_PLACES: Readonly<Record<string, string>> = {
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
	UAE: "AE",
	"HONG KONG": "HK",
};

let regionNames: Intl.DisplayNames | undefined;
let codesByName: Map<string, string> | undefined;

/** Codes that ISO 3166-1 leaves to its users, and two that stand for no country; Unicode has names for some of them. */
const NO_COUNTRY = /^(?:AA|Q[M-Z]|X[A-Z]|ZZ|UN|EZ)$/;

/** The English name of a region of ISO 3166-1, undefined for other codes. */
function nameOf(code: string): string | undefined {
	if (NO_COUNTRY.test(code)) return undefined;
	regionNames ??= new Intl.DisplayNames("en", { type: "region", fallback: "none" });
	return regionNames.of(code);
}

function codeOfName(name: string): string | undefined {
	if (!codesByName) {
		const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
		const codes = letters.flatMap((first) => letters.map((second) => `${first}${second}`));
		const named = codes.flatMap((code): [string, string][] => {
			const known = nameOf(code);
			return known === undefined ? [] : [[known.toUpperCase(), code]];
		});
		codesByName = new Map(named);
	}
	return codesByName.get(name);
}

/** Codes of ISO 3166-1 alpha-2, or `EU`, that a word stands for; null when it is no place. */
export function placesOf(word: string): readonly string[] | null {
	const upper = word.trim().toUpperCase();
	const group = Object.hasOwn(GROUPS, upper) ? GROUPS[upper] : undefined;
	if (group) return group;
	const other = Object.hasOwn(OTHER_PLACES, upper) ? OTHER_PLACES[upper] : undefined;
	if (other !== undefined) return [other];
	if (upper === "EU") return ["EU"];
	if (/^[A-Z]{2}$/.test(upper)) return nameOf(upper) === undefined ? null : [upper];
	const code = codeOfName(upper);
	return code === undefined ? null : [code];
}

/** Whether a place lies within one that is allowed: a member state lies within the EU, the EU within nothing else. */
export function isWithin(place: string, allowed: readonly string[]): boolean {
	return allowed.includes(place) || (EU_MEMBERS.has(place) && allowed.includes("EU"));
}

/** How frameworks and certifications are spelled here, by their letters and digits in capitals. */
const NAMES: Readonly<Record<string, string>> = Object.fromEntries(
	[
		"APPI",
		"C5",
		"CCPA",
		"CPRA",
		"CSA STAR",
		"DPDP",
		"EU AI ACT",
		"FEDRAMP",
		"GDPR",
		"HIPAA",
		"HITRUST",
		"ISO27001",
		"ISO27017",
		"ISO27018",
		"ISO27701",
		"ISO42001",
		"LGPD",
		"PCI DSS",
		"PDPA",
		"PIPEDA",
		"PIPL",
		"SOC1",
		"SOC2",
		"SOC3",
		"UK GDPR",
	].map((name) => [name.replace(/[^A-Z0-9]/g, ""), name]),
);

const OTHER_NAMES: Readonly<Record<string, string>> = {
	BAA: "HIPAA",
	CSA: "CSA STAR",
	EUGDPR: "GDPR",
	GENERALDATAPROTECTIONREGULATION: "GDPR",
	HIPAABAA: "HIPAA",
	PCI: "PCI DSS",
	STAR: "CSA STAR",
};

/**
 * The one spelling of a framework or certification: `SOC 2 Type II` is `SOC2`, `ISO/IEC 27001:2022` is `ISO27001`. A name that
 * nobody here knows is kept, in capitals: no provider is known to have it.
 */
export function standardOf(word: string): string {
	const upper = word.trim().toUpperCase();
	const letters = upper
		.replace(/:\s*(?:19|20)\d\d$/, "")
		.replace(/[^A-Z0-9]/g, "")
		.replace(/^ISOIEC/, "ISO")
		.replace(/^(SOC[12])TYPE(?:I|II|1|2)$/, "$1")
		.replace(/^(PCIDSS)(?:LEVEL\d|V?\d+)$/, "$1");
	if (Object.hasOwn(NAMES, letters)) return NAMES[letters] ?? upper;
	return Object.hasOwn(OTHER_NAMES, letters) ? (OTHER_NAMES[letters] ?? upper) : upper;
}

const CLASS_NAMES: Readonly<Record<string, DataClass>> = {
	CREDENTIAL: "SECRETS",
	CREDENTIALS: "SECRETS",
	FINANCE: "FINANCIAL",
	HEALTH: "PHI",
	MEDICAL: "PHI",
	PAYMENT: "FINANCIAL",
	PERSONAL: "PII",
	PERSONALDATA: "PII",
	SECRET: "SECRETS",
};

/** The class of data that a word names; null when it names none. */
export function dataClassOf(word: string): DataClass | null {
	const upper = word.toUpperCase().replace(/[^A-Z]/g, "");
	return (
		DATA_CLASSES.find((known) => known === upper) ??
		(Object.hasOwn(CLASS_NAMES, upper) ? (CLASS_NAMES[upper] ?? null) : null)
	);
}
