// The table of financial identifiers: cards, bank routing, companies, wallets. identify.ts reads IBANs.
import * as checks from "./checksums.ts";
import type { Identifier } from "./identifier.ts";
import { verbose } from "./verbose.ts";

const ONE_DIGIT_REPEATED = /^(\d)\1+$/;
const ROUTING = /\baba\b|routing|\brtn\b|wire transfer|bank|ach\b/;
const PARTITA_IVA = /partita iva|\bp\.? ?iva\b|\bpiva\b/;
const CARD =
	/card|visa|master ?card|amex|american express|diners|discover|jcb|maestro|uatp|tarjeta|carte|karte|cartão|\bpan\b|charge/;

/** Cards, banks, companies and wallets. */
export const FINANCIAL_IDENTIFIERS: readonly Identifier[] = [
	// ISO/IEC 7812 issuer ranges as the card networks publish them.
	{
		kind: "credit_card",
		first: [13, 19, "digit"],
		shape: new RegExp(
			verbose`
				(?:
					4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d{2}|7[01]\d|720)\d{12}|3[47]\d{13}
					|3(?:0[0-59]|[689]\d)\d{11}|6(?:011|4[4-9]\d|5\d{2}|2\d{2})\d{12}|35(?:2[89]|[3-8]\d)\d{12}
					|50(?:1[89]|[2-3]\d)\d{12}|(?:5[6-8]|6[0379])\d{14}|220[0-4]\d{12}
				)
			`,
			"iy",
		),
		check: checks.luhn,
		refused: ONE_DIGIT_REPEATED,
		needs: "shape",
	},
	{
		kind: "credit_card",
		first: [4, 4, "digit"],
		shape: /[2-6]\d{3}([- ])\d{4}\1\d{4}\1\d{4}(?:\1\d{3})?/iy,
		check: checks.luhn,
		refused: ONE_DIGIT_REPEATED,
		needs: "shape",
		context: CARD,
	},
	{
		kind: "credit_card",
		first: [4, 4, "digit"],
		shape: /3[0-9]\d{2}([- ])\d{6}\1\d{4,5}/iy,
		check: checks.luhn,
		needs: "shape",
		context: CARD,
	},
	{
		kind: "credit_card",
		first: [12, 19, "digit"],
		shape: /[1-6]\d{11,18}/iy,
		check: checks.luhn,
		refused: ONE_DIGIT_REPEATED,
		needs: "context",
		context: CARD,
	},
	{
		kind: "aba_routing",
		first: [9, 9, "digit"],
		shape: /(?:0[1-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}/iy,
		check: checks.abaRouting,
		needs: "bare",
		context: ROUTING,
	},
	{
		kind: "aba_routing",
		first: [4, 4, "digit"],
		shape: /(?:0[1-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{2}-\d{4}-\d/iy,
		check: checks.abaRouting,
		needs: "bare",
		context: ROUTING,
	},
	{
		kind: "uk_sort_code",
		first: [2, 6, "digit"],
		between: false,
		shape: /\d{2}([- ]?)\d{2}\1\d{2}/iy,
		needs: "context",
		context: /sort ?code/,
	},
	// Australia: bank, state and branch. India: four letters of the bank, a zero, six of the branch.
	{
		kind: "bank_account",
		first: [3, 6, "digit"],
		between: false,
		shape: /\d{3}[- ]?\d{3}/iy,
		needs: "context",
		context: /\bbsb\b/,
	},
	{
		kind: "bank_account",
		first: [11, 11, "letter"],
		shape: /[A-Z]{4}0[A-Z\d]{6}/iy,
		needs: "context",
		context: /\bifsc\b|\bneft\b|\brtgs\b|bank|\ba\/c\b/,
	},
	{
		kind: "ein",
		first: [2, 9, "digit"],
		between: false,
		shape: /\d{2}-?\d{7}/iy,
		needs: "context",
		context: /\bf?ein\b|employer id/,
	},
	// The country of the bank must exist. Letters alone are too often a word, so a context word is needed.
	{
		kind: "swift_bic",
		first: [8, 11, "letter"],
		shape: new RegExp(
			verbose`
				[A-Z]{4}(?:
					A[DEGLOTUZ]|B[AEGHRSY]|C[AHLNORYZ]|D[EKOZ]|E[EGS]|F[IR]|G[BEIR]|H[KRU]|I[DELNRST]|J[OP]|K[REWZ]|L[BITUV]
					|M[ACDEKTUXY]|N[GLOZ]|P[AEHKLT]|QA|R[OSU]|S[AEGIKM]|T[HNRW]|U[AS]|V[GN]|XK|ZA
				)[A-Z\d]{2}(?:[A-Z\d]{3})?
			`,
			"y",
		),
		needs: "context",
		context: /\bbic\b|swift ?(?:\/|code|bic|:|-)|(?:iban|bank)\b/,
	},
	// The forms of the member states: European Commission, "VIES VAT number validation".
	{ kind: "vat_id", first: [2, 11, "letter"], shape: /DE ?[1-9]\d{2} ?\d{3} ?\d{3}/iy, needs: "shape" },
	{
		kind: "vat_id",
		first: [8, 14, "letter"],
		shape: new RegExp(
			verbose`
				(?:
					ATU\d{8}|BE[01]\d{9}|DK\d{8}|ESX?[A-Z]\d{7}[A-Z\d]|FI\d{8}|FR[A-Z\d]{2}\d{9}|IE\d[A-Z\d]\d{5}[A-Z]{1,2}
					|IT\d{11}|LU\d{8}|NL\d{9}B\d{2}|PL\d{10}|PT\d{9}|SE\d{10}01|CZ\d{8,10}|GB\d{9}|CHE\d{9}
				)
			`,
			"iy",
		),
		needs: "context",
		context: /\bvat\b|\btva\b|\bu(?:st|id)\b|ust-?id|\biva\b|\bbtw\b|\bmwst\b|\bmoms\b|\bnip\b/,
	},
	{
		kind: "vat_id",
		first: [11, 11, "digit"],
		shape: /\d{11}/iy,
		check: checks.luhn,
		needs: "bare",
		context: PARTITA_IVA,
	},
	{ kind: "vat_id", first: [11, 11, "digit"], shape: /\d{11}/iy, needs: "context", context: PARTITA_IVA },
	{
		kind: "vat_id",
		first: [2, 11, "digit"],
		between: false,
		shape: /[1-9]\d( ?)\d{3}\1\d{3}\1\d{3}/iy,
		check: checks.australianBusiness,
		needs: "bare",
		context: /\babn\b|business number/,
	},
	{
		kind: "vat_id",
		first: [15, 15, "digit"],
		shape: /(?:[0-2]\d|3[0-8])[A-Z]{5}\d{4}[A-Z][A-Z\d]Z[A-Z\d]/iy,
		needs: "shape",
	},
	{
		kind: "vat_id",
		first: [3, 10, "digit"],
		between: false,
		shape: /\d{3}-?\d{3}-?\d{2}-?\d{2}/iy,
		needs: "context",
		context: /\bnip\b/,
	},
	{
		kind: "vat_id",
		first: [2, 14, "digit"],
		between: false,
		shape: /\d{2}\.?\d{3}\.?\d{3}\/?\d{4}-?\d{2}/iy,
		needs: "context",
		context: /\bcnpj\b/,
	},
	// Digits in groups after words for an account.
	{
		kind: "bank_account",
		first: [2, 6, "digit"],
		shape: /\d{2,6}(?:[ -]\d{2,6}){1,4}/iy,
		check: (value) => value.length >= 7 && value.length <= 18,
		needs: "context",
		context: new RegExp(verbose`
			\b(?:bank|checking|savings|current|beneficiary) (?:account|acct|a\/c)
			|\ba\/c (?:no|num|#)
			|\bbsb\b
			|sort ?code
			|kontonummer
			|\bkonto[:-]
			|rekeningnummer
			|numéro de compte
			|número de cuenta
			|numer (?:konta|rachunku)
			|conta corrente
			|\biban\b
			|\bbic\b
		`),
	},
	{
		kind: "bank_account",
		first: [6, 17, "digit"],
		shape: /\d{6,17}/iy,
		needs: "context",
		context: new RegExp(verbose`
			(?:bank|checking|savings|current|beneficiary|direct deposit)[ -]?(?:account|acct|a\/c)
			|\ba\/c (?:no|num|#)
			|acc(?:oun)?t\.? ?(?:number|no|num|#|:)
			|conto corrente
			|numer (?:konta|rachunku)
			|rekeningnummer
			|conta corrente
			|\baccount \d
			|kontonummer
			|numéro de compte
			|número de cuenta
			|\bclabe\b
		`),
	},

	{
		kind: "crypto_address",
		first: [26, 35, "digit"],
		shape: /[13][1-9A-HJ-NP-Za-km-z]{25,34}/y,
		check: checks.base58Check,
		needs: "shape",
	},
	{
		kind: "crypto_address",
		first: [14, 74, "letter"],
		shape: /bc1[02-9ac-hj-np-z]{11,71}/y,
		check: checks.bech32,
		needs: "shape",
	},
	{
		kind: "crypto_address",
		first: [42, 42, "digit"],
		shape: /0x[\da-f]{40}/iy,
		needs: "context",
		context: /wallet|\beth(?:er(?:eum)?)?\b|send|crypto|usd[ct]\b|metamask/,
	},
];
