// The table of health identifiers: numbers of patients and prescribers, codes of diagnoses.
import * as checks from "./checksums.ts";
import type { Identifier } from "./identifier.ts";

/** Numbers of patients and prescribers, and codes of diagnoses. */
export const HEALTH_IDENTIFIERS: readonly Identifier[] = [
	// CMS, "Medicare Beneficiary Identifier format": without S, L, O, I, B, Z.
	{
		kind: "us_mbi",
		first: [4, 11, "digit"],
		between: false,
		shape:
			/[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y\d]\d(-?)[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y\d]\d\1[AC-HJKMNP-RT-Y]{2}\d{2}/iy,
		needs: "shape",
	},
	{
		kind: "npi",
		first: [10, 10, "digit"],
		shape: /[12]\d{9}/iy,
		check: checks.npi,
		refused: /^1(\d)\1{7}/,
		needs: "bare",
		context: /\bnpi\b|provider|prescriber|physician|practitioner/,
	},
	{
		kind: "dea_number",
		first: [9, 9, "letter"],
		shape: /[A-HJ-MPRSTUX][A-Z9]\d{7}/iy,
		check: checks.dea,
		needs: "bare",
		context: /\bdea\b|prescri|certificate number|controlled|registrant/,
	},
	{
		kind: "de_kvnr",
		first: [10, 10, "letter"],
		shape: /[A-Z]\d{9}/iy,
		check: checks.kvnr,
		needs: "bare",
		context: /kvnr|kranken|versicher|gesundheitskarte/,
	},
	{
		kind: "au_medicare",
		first: [4, 11, "digit"],
		shape: /[2-6]\d{3}( ?)\d{5}\1\d(?:[ /-]?\d)?/iy,
		check: checks.australianMedicare,
		needs: "bare",
		context: /medicare/,
	},

	// WHO and CMS, ICD-10-CM: a chapter letter, two characters, a dot, up to four more. Alone it may be a part number.
	{
		kind: "icd10",
		first: [3, 3, "letter"],
		shape: /[A-TV-Z]\d[\dAB]\.[\dA-Z]{1,4}/y,
		needs: "context",
		context:
			/\bicd\b|icd-?(?:9|10|11)|diagnos|\bdx\b|billing code|encounter|patient|fracture|disorder|disease|syndrome|diabet|depress|condition code|\bpt\b|claim|medical/,
	},
	{
		kind: "icd10",
		first: [3, 7, "letter"],
		shape: /[A-TV-Z]\d[\dAB][\dA-Z]{0,4}/y,
		needs: "context",
		context: /icd-?10/,
	},
];
