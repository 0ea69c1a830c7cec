// Inputs for measuring and testing the detector of sensitive data: units that cost it most when repeated, and ordinary prose.

/** Near misses of each family and decoding. A careless pattern would try again at every position. */
export const HOSTILE_UNITS: readonly (readonly [name: string, unit: string])[] = [
	["mailboxes", "a@"],
	["mailboxes with dots", "a@a."],
	["digits", "1234567890"],
	["single digits", "1 "],
	["groups of digits", "4111 "],
	["social security numbers", "078-05-112 "],
	["cards", "4111111111111112 "],
	["routing numbers", "121042883 "],
	["IBANs", "DE89 3704 0044 0532 0130 01 "],
	["wallets", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT "],
	["telephone numbers", "+1 "],
	["places", "lat 1.000 "],
	["IPv6", "abcd:"],
	["settings", "password="],
	["statements about nobody", "my aunt is seen cancer cohort, takes statin cohort, sees oncolog cohort "],
	["illnesses of nobody", "his cancer cohort, "],
	["records of nobody", "i has ivf.\n"],
	["sums", "pay $1 "],
	["sums that are earned", "paid a net $1 "],
	["sums that are owed", "has $41,000 in of savings "],
	["what is asked for", "this: "],
	["resources of FHIR", '"resourceType":"Condition" "subject": '],
	["settings with colons", "token:"],
	["addresses", "://a:"],
	["token headers", "-eyJ"],
	["keys", "sk-proj-a"],
	["PEM", "-----BEGIN RSA KEY-----\nAAAAAAAAAAAAAAAA"],
	["salaries", "salary "],
	["diagnoses", "patient diagnosed "],
	["medicines", "mg "],
	["streets", "1 A A A St "],
	["streets before their names", "rua "],
	["scans", "ct scan "],
	["said passwords", "password for a to "],
	["tokens", "aa-aB3dE5gH7jK9mN1p "],
	["URL escapes", "%25%25"],
	["URL escapes in each other", "%252525252541"],
	["entities", "&amp;"],
	["base64", "QUFB"],
	["one letter", "A"],
	["zero width", "a\u200b"],
	["full width", "１２３４ "],
	["Arabic digits", "١٢ "],
	["ligatures", "ﬁ"],
	["columns of digits", "1\n"],
	["groups over lines", "4111\n\t"],
	["dotted digits", "12.34.56."],
	["broken words", "ab-\ncd "],
	["spelled digits", "one two three, "],
	["hexadecimal bytes", "6a "],
	["hexadecimal dumps", "0000: 6162\n"],
	["quoted-printable", "=C3=BC=\n"],
	["lines of base64", "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB\n"],
	["international mailboxes", "ü@é."],
	["tables", "name,ssn\n"],
	["cells", "ssn\t1\n2\t"],
];

/** Prose without anything to find. */
export const PROSE =
	"The committee met on a rainy afternoon to consider whether the bridge should be repaired before winter, and nobody " +
	"could agree on the colour of the railings; the engineer, who had walked there, said that red would last longest. ";

/** Repeats a unit up to a length in characters. */
export function repeatToLength(unit: string, characters: number): string {
	return unit.repeat(Math.ceil(characters / unit.length)).slice(0, characters);
}
