// The table of identifiers with a fixed shape: what they look like, which check they pass, what else must be near them.
import * as checks from "./checksums.ts";
import type { Kind } from "./kinds.ts";

/**
 * What a shape needs beside its check. `shape`: nothing. `bare`: a context word near it, or that the text is nothing
 * else, such as a form field or the answer of a tool. `context`: the context word in any case.
 */
export type Evidence = "shape" | "bare" | "context";

/** One written form of one kind. Shapes are sticky and of bounded length: a try costs a constant. */
export interface Identifier {
	readonly kind: Kind;
	/** Fewest and most characters of the first run of letters and digits: where it differs, the shape is not tried. */
	readonly first: readonly [fewest: number, most: number];
	/** Ignores case; separators inside are taken out before the check. */
	readonly shape: RegExp;
	readonly check?: checks.Check;
	/** Published samples and ranges that are never given out, held against the value without separators. */
	readonly refused?: RegExp;
	readonly needs: Evidence;
	/** Held against the lower-cased surroundings: 64 characters before, 40 after. */
	readonly context?: RegExp;
}

const SAME_DIGIT = /^(\d)\1+$/;

/** Numbers of one country's people are called much the same in many; the words a form or a letter has beside them. */
const PASSPORT =
	/passport|travel document|reisepass|pasaporte|passeport|passaporto|paspoort|passaporte|paszport|pass-?nr/;
const LICENCE =
	/driv\w{0,5}['’]?s? ?licen[cs]e|driving licen|\bd\.?l\.? ?(?:#|no|num)|führerschein|permis de conduire|carnet de conducir|rijbewijs|patente di guida|prawo jazdy/;
const SSN = /\bssn\b|social security|soc(?:ial)? sec\b|\bss ?#/;
const TAX = /\btax ?(?:payer)?[ -]?(?:id|number|no|file)|\btin\b|\bitin\b/;
const ROUTING = /\baba\b|routing|\brtn\b|wire transfer|bank|ach\b/;
const CARD =
	/card|visa|master ?card|amex|american express|diners|discover|jcb|maestro|uatp|tarjeta|carte|karte|cartão|\bpan\b|charge/;
const PHONE =
	/phone|\btel\b|telefon|téléphone|teléfono|telefone|mobile|\bcell\b|\bcall\b|whatsapp|\bsms\b|\bfax\b|handy|móvil|celular|portable|rufnummer|puhelin|\bring\b|\bdial\b|reach (?:me|him|her|them|us)|(?:my|his|her|their|your|us|uk|american|japanese|german|french|british|indian|australian|home|work|office|contact) number/;

const table: Identifier[] = [
	// Formats and exclusions: SSA, "Meaning of the social security number"; IRS, Publication 1915; presidio us_*.
	{
		kind: "us_ssn",
		first: [3, 3],
		shape: /(?!000|666|9)\d{3}([-. ])(?!00)\d{2}\1(?!0000)\d{4}/iy,
		refused: /^(?:078051120|219099999|123456789|987654320|(\d)\1+)$/,
		needs: "shape",
	},
	{
		kind: "us_ssn",
		first: [9, 9],
		shape: /(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}/iy,
		refused: /^(?:078051120|219099999|123456789|987654320|(\d)\1+)$/,
		needs: "bare",
		context: SSN,
	},
	{
		kind: "us_itin",
		first: [3, 3],
		shape: /9\d{2}([- ])(?:5\d|6[0-5]|7\d|8[0-8]|9[0-2]|9[4-9])\1\d{4}/iy,
		needs: "shape",
	},
	{
		kind: "us_itin",
		first: [9, 9],
		shape: /9\d{2}(?:5\d|6[0-5]|7\d|8[0-8]|9[0-2]|9[4-9])\d{4}/iy,
		needs: "bare",
		context: TAX,
	},
	// HMRC, National Insurance Manual NIM39110.
	{
		kind: "uk_nino",
		first: [2, 9],
		shape: /(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?(?!00 ?00 ?00)\d{2} ?\d{2} ?\d{2} ?[A-D]/iy,
		needs: "shape",
	},
	{
		kind: "uk_nhs_number",
		first: [3, 10],
		shape: /\d{3}[ -]?\d{3}[ -]?\d{4}/iy,
		check: checks.nhsNumber,
		needs: "bare",
		context: /\bnhs\b|national health/,
	},
	{
		kind: "ca_sin",
		first: [3, 9],
		shape: /[1-79]\d{2}([- ]?)\d{3}\1\d{3}/iy,
		check: checks.luhn,
		refused: SAME_DIGIT,
		needs: "bare",
		context: /\bsin\b|social insurance|assurance sociale|\bnas\b/,
	},
	{
		kind: "in_aadhaar",
		first: [4, 4],
		shape: /[2-9]\d{3}([- :])\d{4}\1\d{4}/iy,
		check: checks.verhoeff,
		needs: "shape",
	},
	{
		kind: "in_aadhaar",
		first: [12, 12],
		shape: /[2-9]\d{11}/iy,
		check: checks.verhoeff,
		needs: "bare",
		context: /aadhaa?r|uidai|आधार|\bkyc\b/,
	},
	// The fourth letter is the holder's kind, P a person. Income Tax Department of India.
	{ kind: "in_pan", first: [10, 10], shape: /[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]/iy, needs: "shape" },
	{
		kind: "in_pan",
		first: [10, 10],
		shape: /[A-Z]{5}\d{4}[A-Z]/iy,
		needs: "bare",
		context: /\bpan\b|permanent account/,
	},
	{ kind: "es_nif", first: [8, 9], shape: /\d{8}-?[A-Z]/iy, check: checks.spanishNif, needs: "shape" },
	{ kind: "es_nie", first: [1, 9], shape: /[XYZ]-?\d{7}-?[A-Z]/iy, check: checks.spanishNif, needs: "shape" },
	// Agenzia delle Entrate: six letters of the name, year, month letter, day, place, check letter.
	{
		kind: "it_fiscal_code",
		first: [16, 16],
		shape: /[A-Z]{6}[\dLMNP-V]{2}[A-EHLMPRST][\dLMNP-V]{2}[A-Z][\dLMNP-V]{3}[A-Z]/iy,
		check: checks.codiceFiscale,
		needs: "shape",
	},
	{
		kind: "it_fiscal_code",
		first: [16, 16],
		shape: /[A-Z]{6}[\dLMNP-V]{2}[A-EHLMPRST][\dLMNP-V]{2}[A-Z][\dLMNP-V]{3}[A-Z]/iy,
		needs: "bare",
		context: /codice fiscale|\bc\.?f\.?\b|fiscal code/,
	},
	{
		kind: "de_tax_id",
		first: [2, 11],
		shape: /[1-9]\d( ?)\d{3}\1\d{3}\1\d{3}/iy,
		check: checks.germanTaxId,
		needs: "bare",
		context: /steuer|id-?nr|identifikationsnummer|\btin\b|tax id/,
	},
	{
		kind: "de_id_card",
		first: [9, 10],
		shape: /[LMNPRTVWXY][CFGHJ-NPRTV-Z\d]{7}\d{1,2}/iy,
		needs: "context",
		context: /personalausweis|ausweis-?n|identity card|id card/,
	},
	{
		kind: "au_tfn",
		first: [3, 9],
		shape: /\d{3}([- ]?)\d{3}\1\d{3}/iy,
		check: checks.australianTfn,
		needs: "bare",
		context: /\btfn\b|tax file/,
	},
	{
		kind: "sg_fin",
		first: [9, 9],
		shape: /[STFGM]\d{7}[A-Z]/iy,
		check: checks.singaporeNric,
		needs: "shape",
	},
	{ kind: "sg_fin", first: [9, 9], shape: /[A-Z]\d{7}[A-Z]/iy, needs: "bare", context: /\bnric\b|\bfin\b/ },
	{
		kind: "pl_pesel",
		first: [11, 11],
		shape: /\d{11}/iy,
		check: checks.pesel,
		needs: "bare",
		context: /pesel/,
	},
	{
		kind: "fr_nir",
		first: [1, 15],
		shape: /[12]( ?)\d{2}\1(?:0[1-9]|1[0-2]|[2-9]\d)\1(?:\d{2}|2[AB])\1\d{3}\1\d{3} ?\d{2}/iy,
		check: checks.frenchNir,
		needs: "shape",
	},
	{
		kind: "nl_bsn",
		first: [4, 9],
		shape: /\d{4}([. ]?)\d{2}\1\d{3}/iy,
		check: checks.dutchBsn,
		needs: "context",
		context: /\bbsn\b|burgerservice|sofi-?nummer/,
	},
	{
		kind: "be_national_number",
		first: [2, 11],
		shape: /\d{2}\.?\d{2}\.?\d{2}-?\d{3}\.?\d{2}/iy,
		check: checks.belgianNumber,
		needs: "context",
		context: /rijksregister|registre national|national (?:register|number)|\binsz\b|\bniss\b/,
	},
	{
		kind: "be_national_number",
		first: [2, 2],
		shape: /\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}/iy,
		check: checks.belgianNumber,
		needs: "shape",
	},
	{
		kind: "pt_nif",
		first: [3, 9],
		shape: /[1235689]\d{2}( ?)\d{3}\1\d{3}/iy,
		check: checks.portugueseNif,
		needs: "context",
		context: /\bnif\b|contribuinte/,
	},
	{ kind: "br_cpf", first: [3, 3], shape: /\d{3}\.\d{3}\.\d{3}-\d{2}/iy, check: checks.cpf, needs: "shape" },
	{ kind: "br_cpf", first: [11, 11], shape: /\d{11}/iy, check: checks.cpf, needs: "bare", context: /\bcpf\b/ },
	{
		kind: "cn_resident_id",
		first: [18, 18],
		shape: /[1-8]\d{5}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dX]/iy,
		check: checks.chineseResidentId,
		needs: "shape",
	},
	{
		kind: "kr_rrn",
		first: [6, 6],
		shape: /\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-[0-9]\d{6}/iy,
		check: checks.koreanRrn,
		needs: "shape",
	},
	{
		kind: "kr_rrn",
		first: [6, 13],
		shape: /\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-?[0-9]\d{6}/iy,
		needs: "context",
		context: /\brrn\b|주민|resident registration|외국인/,
	},
	{
		kind: "th_national_id",
		first: [1, 1],
		shape: /[1-8]([- ])\d{4}\1\d{5}\1\d{2}\1\d/iy,
		check: checks.thaiNumber,
		needs: "shape",
	},
	{
		kind: "th_national_id",
		first: [13, 13],
		shape: /[1-8]\d{12}/iy,
		check: checks.thaiNumber,
		needs: "bare",
		context: /thai|บัตร|ประชาชน/,
	},
	{
		kind: "tr_national_id",
		first: [11, 11],
		shape: /[1-9]\d{10}/iy,
		check: checks.turkishNumber,
		needs: "bare",
		context: /\btc(?:kn)?\b|kimlik|t\.c\./,
	},
	{
		kind: "za_id",
		first: [13, 13],
		shape: /\d{6}[0-9]\d{3}[01][89]\d/iy,
		check: checks.southAfricanNumber,
		needs: "bare",
		context: /south africa|\bsa id|\bid (?:number|no)|\brsa\b/,
	},
	{
		kind: "se_personnummer",
		first: [6, 12],
		shape: /(?:19|20)?\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[-+]\d{4}/iy,
		check: (value) => checks.luhn(value.slice(-10)),
		needs: "shape",
	},
	{
		kind: "se_personnummer",
		first: [10, 12],
		shape: /(?:19|20)?\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{4}/iy,
		check: (value) => checks.luhn(value.slice(-10)),
		needs: "context",
		context: /person(?:al identity |n(?:umme)?)r?|personal number|swedish/,
	},
	{
		kind: "fi_hetu",
		first: [6, 11],
		shape: /(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]/iy,
		check: checks.finnishHetu,
		needs: "shape",
	},
	{
		kind: "dk_cpr",
		first: [6, 10],
		shape: /(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2}-?\d{4}/iy,
		needs: "context",
		context: /\bcpr\b|personnummer/,
	},
	{
		kind: "national_id",
		first: [6, 14],
		shape: /(?=[A-Z]{0,4}\d)[A-Z\d]{6,14}/iy,
		needs: "context",
		context:
			/national id(?:entity)?(?: card)?(?: number| no\.?| #)?[: ]|\bnin\b|voter(?:'s)? id|\bepic\b|\bcurp\b|\brut\b|cédula|\bcnp\b/,
	},
	{
		kind: "de_id_card",
		first: [10, 10],
		shape: /[LMNPRTVWXY][CFGHJ-NPRTV-Z\d]{8}\d/iy,
		check: checks.icao9303,
		needs: "bare",
		context: /ausweis/,
	},
	{ kind: "in_voter", first: [10, 10], shape: /[A-Z]{3}\d{7}/iy, needs: "bare", context: /voter|\bepic\b/ },
	{
		kind: "vehicle_registration",
		first: [8, 11],
		shape: /[A-Z]{2}\d{1,2}[A-Z]{1,3}\d{4}/iy,
		needs: "bare",
		context: /vehicle|plate|registration|\brto\b/,
	},
	{
		kind: "driver_license",
		first: [10, 10],
		shape: /[A-Z]{2}\d{7}[A-Z]/iy,
		needs: "bare",
		context: LICENCE,
	},
	// ICAO 9303 documents: Germany's alphabet without vowels, then its check digit.
	{
		kind: "passport",
		first: [9, 10],
		shape: /[CFGHJK][CFGHJ-NPRTV-Z\d]{8}/iy,
		check: checks.icao9303,
		needs: "bare",
		context: PASSPORT,
	},
	{ kind: "passport", first: [9, 9], shape: /[CFGHJKL][CFGHJ-NPRTV-Z\d]{8}/iy, needs: "context", context: PASSPORT },
	{ kind: "passport", first: [9, 9], shape: /[A-Z]{2}\d{7}/iy, needs: "bare", context: PASSPORT },
	{ kind: "passport", first: [9, 9], shape: /L(?=\w{0,6}[A-Z])(?=\d)[CFGHJ-NPRTV-Z\d]{8}/iy, needs: "bare" },
	{ kind: "passport", first: [6, 9], shape: /[A-Z]{0,3}\d{5,9}/iy, needs: "context", context: PASSPORT },
	{
		kind: "driver_license",
		first: [5, 16],
		shape: /(?=[A-Z]{0,5}\d)[A-Z\d]{5,16}/iy,
		needs: "context",
		context: LICENCE,
	},
	{
		kind: "driver_license",
		first: [1, 5],
		shape: /[A-Z]\d{3,4}([- ])\d{3,5}\1\d{4,6}/iy,
		needs: "bare",
		context: LICENCE,
	},
	{ kind: "driver_license", first: [8, 9], shape: /[A-Z]\d{7,8}/iy, needs: "bare", context: LICENCE },

	{
		kind: "phone",
		first: [3, 3],
		shape: /[2-9]\d{2}([-.])[2-9]\d{2}\1\d{4}/iy,
		refused: /^(?:8(?:00|88|77|66|55|44|33)|900)/,
		needs: "shape",
	},
	{
		kind: "phone",
		first: [3, 3],
		shape: /[2-9]\d{2}\) ?[2-9]\d{2}[-. ]\d{4}/iy,
		refused: /^(?:8(?:00|88|77|66|55|44|33)|900)/,
		needs: "shape",
	},
	{
		kind: "phone",
		first: [3, 10],
		shape: /[2-9]\d{2}[ -]?[2-9]\d{2}[ -]?\d{4}/iy,
		refused: /^(?:8(?:00|88|77|66|55|44|33)|900)/,
		needs: "context",
		context: PHONE,
	},
	{
		kind: "phone",
		first: [2, 5],
		shape: /0[1-9]\d{0,3}\)?[ /-]{1,2}\d{2,4}(?:[ -]?\d{2,4}){1,3}/iy,
		needs: "context",
		context: PHONE,
	},
	{ kind: "phone", first: [3, 3], shape: /0[5-9]0-\d{4}-\d{4}/iy, needs: "bare", context: PHONE },
	{
		kind: "phone",
		first: [2, 4],
		shape: /\d{2,4}([ .-])\d{2,4}\1\d{2,4}(?:\1\d{2,4}){0,2}/iy,
		check: (value) => value.length >= 8 && value.length <= 12,
		needs: "context",
		context: PHONE,
	},
	{ kind: "phone", first: [9, 11], shape: /0[1-9]\d{7,9}/iy, needs: "context", context: PHONE },

	{
		kind: "postal_address",
		first: [5, 5],
		shape: /\d{5} \p{Lu}\p{L}{2,20}/uy,
		needs: "context",
		context: /(?:stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|damm|ufer) ?\d{1,4} ?[a-z]?,? \d{5}/,
	},
	// Royal Mail's format; without the space too few characters to stand in prose.
	{
		kind: "postcode",
		first: [2, 4],
		shape: /(?:GIR 0AA|(?![QVX])[A-Z](?:\d[A-Z\d]?|[A-HK-Y]\d[A-Z\d]?) \d[ABD-HJLNP-UW-Z]{2})/y,
		needs: "shape",
	},
	{
		kind: "postcode",
		first: [5, 7],
		shape: /(?:GIR0AA|(?![QVX])[A-Z](?:\d[A-Z\d]?|[A-HK-Y]\d[A-Z\d]?)\d[ABD-HJLNP-UW-Z]{2})/iy,
		needs: "bare",
		context: /post ?code|postal/,
	},

	// CMS, "Medicare Beneficiary Identifier format"; no S, L, O, I, B, Z.
	{
		kind: "us_mbi",
		first: [4, 11],
		shape:
			/[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y\d]\d(-?)[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y\d]\d\1[AC-HJKMNP-RT-Y]{2}\d{2}/iy,
		needs: "shape",
	},
	{
		kind: "npi",
		first: [10, 10],
		shape: /[12]\d{9}/iy,
		check: checks.npi,
		refused: /^1(\d)\1{7}/,
		needs: "bare",
		context: /\bnpi\b|provider|prescriber|physician|practitioner/,
	},
	{
		kind: "dea_number",
		first: [9, 9],
		shape: /[A-HJ-MPRSTUX][A-Z9]\d{7}/iy,
		check: checks.dea,
		needs: "bare",
		context: /\bdea\b|prescri|certificate number|controlled|registrant/,
	},
	{
		kind: "de_kvnr",
		first: [10, 10],
		shape: /[A-Z]\d{9}/iy,
		check: checks.kvnr,
		needs: "bare",
		context: /kvnr|kranken|versicher|gesundheitskarte/,
	},
	{
		kind: "au_medicare",
		first: [4, 11],
		shape: /[2-6]\d{3}( ?)\d{5}\1\d(?:[ /-]?\d)?/iy,
		check: checks.australianMedicare,
		needs: "bare",
		context: /medicare/,
	},

	// WHO and CMS, ICD-10-CM: a chapter letter, two places, a dot, up to four more; too like a part number alone.
	{
		kind: "icd10",
		first: [3, 3],
		shape: /[A-TV-Z]\d[\dAB]\.[\dA-Z]{1,4}/y,
		needs: "context",
		context:
			/\bicd\b|icd-?(?:9|10|11)|diagnos|\bdx\b|billing code|encounter|patient|fracture|disorder|disease|syndrome|diabet|depress|condition code|\bpt\b|claim|medical/,
	},
	{ kind: "icd10", first: [3, 7], shape: /[A-TV-Z]\d[\dAB][\dA-Z]{0,4}/y, needs: "context", context: /icd-?10/ },

	// ISO/IEC 7812 issuer ranges as the card networks publish them.
	{
		kind: "credit_card",
		first: [13, 19],
		shape:
			/(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d{2}|7[01]\d|720)\d{12}|3[47]\d{13}|3(?:0[0-59]|[689]\d)\d{11}|6(?:011|4[4-9]\d|5\d{2}|2\d{2})\d{12}|35(?:2[89]|[3-8]\d)\d{12}|50(?:1[89]|[2-3]\d)\d{12}|(?:5[6-8]|6[0379])\d{14}|220[0-4]\d{12})/iy,
		check: checks.luhn,
		refused: SAME_DIGIT,
		needs: "shape",
	},
	{
		kind: "credit_card",
		first: [4, 4],
		shape: /[2-6]\d{3}([- ])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?/iy,
		check: checks.luhn,
		refused: SAME_DIGIT,
		needs: "shape",
	},
	{
		kind: "credit_card",
		first: [4, 4],
		shape: /3[0-9]\d{2}([- ])\d{6}\1\d{4,5}/iy,
		check: checks.luhn,
		needs: "shape",
	},
	{
		kind: "credit_card",
		first: [12, 19],
		shape: /[1-6]\d{11,18}/iy,
		check: checks.luhn,
		refused: SAME_DIGIT,
		needs: "context",
		context: CARD,
	},
	{
		kind: "aba_routing",
		first: [9, 9],
		shape: /(?:0[1-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}/iy,
		check: checks.abaRouting,
		needs: "bare",
		context: ROUTING,
	},
	{
		kind: "aba_routing",
		first: [4, 4],
		shape: /(?:0[1-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{2}-\d{4}-\d/iy,
		check: checks.abaRouting,
		needs: "bare",
		context: ROUTING,
	},
	{ kind: "uk_sort_code", first: [2, 6], shape: /\d{2}([- ]?)\d{2}\1\d{2}/iy, needs: "context", context: /sort ?code/ },
	{ kind: "ein", first: [2, 9], shape: /\d{2}-?\d{7}/iy, needs: "context", context: /\bf?ein\b|employer id/ },
	// The bank's country must be one, and letters alone are too often a word.
	{
		kind: "swift_bic",
		first: [8, 11],
		shape:
			/[A-Z]{4}(?:A[DEGLOTUZ]|B[AEGHRSY]|C[AHLNORYZ]|D[EKOZ]|E[EGS]|F[IR]|G[BEIR]|H[KRU]|I[DELNRST]|J[OP]|K[REWZ]|L[BITUV]|M[ACDEKTUXY]|N[GLOZ]|P[AEHKLT]|QA|R[OSU]|S[AEGIKM]|T[HNRW]|U[AS]|V[GN]|XK|ZA)[A-Z\d]{2}(?:[A-Z\d]{3})?/y,
		needs: "context",
		context: /\bbic\b|swift ?(?:\/|code|bic|:|-)|(?:iban|bank)\b/,
	},
	// Member states' forms: European Commission, "VIES VAT number validation".
	{ kind: "vat_id", first: [2, 11], shape: /DE ?[1-9]\d{2} ?\d{3} ?\d{3}/iy, needs: "shape" },
	{
		kind: "vat_id",
		first: [8, 14],
		shape:
			/(?:ATU\d{8}|BE[01]\d{9}|DK\d{8}|ESX?[A-Z]\d{7}[A-Z\d]|FI\d{8}|FR[A-Z\d]{2}\d{9}|IE\d[A-Z\d]\d{5}[A-Z]{1,2}|IT\d{11}|LU\d{8}|NL\d{9}B\d{2}|PL\d{10}|PT\d{9}|SE\d{10}01|CZ\d{8,10}|GB\d{9}|CHE\d{9})/iy,
		needs: "context",
		context: /\bvat\b|\btva\b|\bu(?:st|id)\b|ust-?id|\biva\b|\bbtw\b|\bmwst\b|\bmoms\b|\bnip\b/,
	},
	{
		kind: "bank_account",
		first: [6, 17],
		shape: /\d{6,17}/iy,
		needs: "context",
		context:
			/(?:bank|checking|savings|current|beneficiary|direct deposit)[ -]?(?:account|acct|a\/c)|acc(?:oun)?t\.? ?(?:number|no|num|#|:)|\baccount \d|kontonummer|numéro de compte|número de cuenta|\bclabe\b/,
	},

	{
		kind: "crypto_address",
		first: [26, 35],
		shape: /[13][1-9A-HJ-NP-Za-km-z]{25,34}/y,
		check: checks.base58Check,
		needs: "shape",
	},
	{
		kind: "crypto_address",
		first: [14, 74],
		shape: /bc1[02-9ac-hj-np-z]{11,71}/y,
		check: checks.bech32,
		needs: "shape",
	},
	{
		kind: "crypto_address",
		first: [42, 42],
		shape: /0x[\da-f]{40}/iy,
		needs: "context",
		context: /wallet|\beth(?:er(?:eum)?)?\b|send|crypto|usd[ct]\b|metamask/,
	},
];

/** The forms to try at a word, by its length; longer words have none but addresses of wallets. */
export const IDENTIFIERS: readonly (readonly Identifier[])[] = Array.from({ length: 80 }, (_, length) =>
	table.filter(({ first: [fewest, most] }) => length >= fewest && length <= most),
);
