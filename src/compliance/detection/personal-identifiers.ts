// The table of other identifiers of people: identity documents, licences, telephone numbers, postcodes.
import * as checks from "./checksums.ts";
import type { Identifier } from "./identifier.ts";
import { verbose } from "./verbose.ts";

const PASSPORT =
	/passport|travel document|reisepass|pasaporte|passeport|passaporto|paspoort|passaporte|paszport|pass-?nr/;
const LICENCE = new RegExp(verbose`
	driv\w{0,5}['’]?s? ?licen[cs]e
	|driving licen
	|\bd\.?l\.? ?(?:#|no|num)
	|führerschein
	|permis de conduire
	|carnet de conducir
	|rijbewijs
	|patente di guida
	|prawo jazdy
	|\bdl ?[:#] ?[a-z]
	|\blicen[cs]e:? (?:no\.? |number |#)?[a-z]\d{6}
`);
const PHONE = new RegExp(verbose`
	phone
	|\btext (?:me|him|her|them|us|\+|\()
	|\btlf\b
	|\brufen\b
	|\bruf mich
	|erreichbar
	|anruf
	|(?:meine|seine|ihre|deine|neue) nummer
	|(?:mon|son|votre|ton) numéro
	|(?:mi|su|tu|meu|seu|o) número
	|(?:mio|suo) numero
	|\bllám[ae]
	|\bllamar?\b
	|appele[rz]
	|\bbellen\b
	|zadzwo
	|\bligue
	|\bligar
	|chiamare
	|chiamami
	|emergency contact
	|contact:
	|\btel\b
	|tél\b
	|rückruf
	|telefon
	|téléphone
	|teléfono
	|telefone
	|mobile
	|\bcell\b
	|\bcall\b(?! (?:the |a |this |that |your )?(?:\w{1,16} )?(?:function|method|api|endpoint|procedure|stack|constructor|handler|service)\b)
	|whatsapp
	|\bsms\b
	|\bfax\b
	|handy
	|móvil
	|celular
	|portable
	|rufnummer
	|puhelin
	|\bring\b
	|\bdial\b
	|reach (?:me|him|her|them|us)
	|\b(?:
		united states|usa?|united kingdom|uk|germany|deutschland|france|india|brazil|brasil|japan|italy|italia|spain
		|españa|israel|mexico|canada|australia|china|fr|br|jp|gb
	): ?[(+\d]
	|(?:
		my|his|her|their|your|us|uk|american|japanese|german|french|british|indian|australian|home|work|office|contact
	) number
`);

/** Documents, telephone numbers in national form, and places. */
export const PERSONAL_IDENTIFIERS: readonly Identifier[] = [
	{
		kind: "de_id_card",
		first: [10, 10, "letter"],
		shape: /[LMNPRTVWXY][CFGHJ-NPRTV-Z\d]{8}\d/iy,
		check: checks.icao9303,
		needs: "bare",
		context: /ausweis/,
	},
	{ kind: "in_voter", first: [10, 10, "letter"], shape: /[A-Z]{3}\d{7}/iy, needs: "bare", context: /voter|\bepic\b/ },
	{
		kind: "vehicle_registration",
		first: [2, 11, "letter"],
		shape: /[A-Z]{2}( ?)\d{1,2}\1[A-Z]{1,3}\1\d{4}/iy,
		needs: "bare",
		context: /vehicle|plate|registration|\brto\b/,
	},
	{
		kind: "driver_license",
		first: [10, 10, "letter"],
		shape: /[A-Z]{2}\d{7}[A-Z]/iy,
		needs: "bare",
		context: LICENCE,
	},
	// United Kingdom: five letters of the surname, date of birth, initials. DVLA.
	{
		kind: "driver_license",
		first: [16, 16],
		shape: /[A-Z9]{5}\d[0156]\d[0-3]\d{2}[A-Z9]{2}\d[A-Z]{2}/iy,
		needs: "shape",
	},
	// Germany's licence, social insurance and vehicles; Britain's plates since 2001.
	{
		kind: "driver_license",
		first: [11, 11, "letter"],
		shape: /[A-Z]\d{2}[A-Z\d]{6}\d[A-Z\d]/iy,
		needs: "context",
		context: LICENCE,
	},
	{
		kind: "national_id",
		first: [12, 12, "digit"],
		shape: /\d{2}(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{2}[A-Z]\d{3}/iy,
		needs: "bare",
		context: /sozialversicherung|rentenversicherung|\bsvnr\b|\brvnr\b/,
	},
	{
		kind: "vehicle_registration",
		first: [4, 7, "letter"],
		shape: /[A-HJ-PR-Y]{2}\d{2} ?[A-HJ-PR-Z]{3}/y,
		needs: "context",
		context: /vehicle|plate|\breg(?:istration)?\b|\bcar\b|\bvan\b|\bmot\b/,
	},
	{
		kind: "vehicle_registration",
		first: [1, 3, "letter"],
		shape: /[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2} ?\d{1,4}[EH]?/y,
		needs: "context",
		context: /kennzeichen|nummernschild/,
	},
	{
		kind: "national_id",
		first: [9, 9],
		shape: /(?:[A-Z]{2}\d{5}[A-Z]{2}|\d{7}[A-Z]{2}|[A-Z]{2}\d{7})/iy,
		needs: "context",
		context: /carta d['’]identità|identity card|documento d['’]identità/,
	},
	// ICAO 9303 documents: Germany's alphabet without vowels, then its check digit.
	{
		kind: "passport",
		first: [9, 10, "letter"],
		shape: /[CFGHJ-NPRTV-Z][CFGHJ-NPRTV-Z\d]{8}/iy,
		check: checks.icao9303,
		needs: "bare",
		context: PASSPORT,
	},
	{
		kind: "passport",
		first: [9, 9, "letter"],
		shape: /[CFGHJKL][CFGHJ-NPRTV-Z\d]{8}/iy,
		needs: "context",
		context: PASSPORT,
	},
	{ kind: "passport", first: [9, 9, "letter"], shape: /[A-Z]{2}\d{7}/iy, needs: "bare", context: PASSPORT },
	{
		kind: "passport",
		first: [9, 9, "digit"],
		shape: /\d{2}[A-Z]{2}\d{5}/iy,
		needs: "context",
		context: PASSPORT,
	},
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
		first: [1, 5, "letter"],
		shape: /[A-Z]\d{3,4}([- ])\d{3,5}\1\d{4,6}/iy,
		needs: "bare",
		context: LICENCE,
	},
	{ kind: "driver_license", first: [8, 9, "letter"], shape: /[A-Z]\d{7,8}/iy, needs: "bare", context: LICENCE },

	{
		kind: "phone",
		first: [3, 3, "digit"],
		shape: /[2-9]\d{2}([-.])[2-9]\d{2}\1\d{4}/iy,
		refused: /^(?:8(?:00|88|77|66|55|44|33)|900)/,
		needs: "shape",
	},
	{
		kind: "phone",
		first: [3, 3, "digit"],
		shape: /[2-9]\d{2}\) ?[2-9]\d{2}[-. ]\d{4}/iy,
		refused: /^(?:8(?:00|88|77|66|55|44|33)|900)/,
		needs: "shape",
	},
	{
		kind: "phone",
		first: [3, 10, "digit"],
		between: false,
		shape: /[2-9]\d{2}[ -]?[2-9]\d{2}[ -]?\d{4}/iy,
		refused: /^(?:8(?:00|88|77|66|55|44|33)|900)/,
		needs: "context",
		context: PHONE,
	},
	{
		kind: "phone",
		first: [2, 5, "digit"],
		shape: /0[1-9]\d{0,3}\)?[ /-]{1,2}\d{2,4}(?:[ -]?\d{2,4}){1,3}/iy,
		needs: "context",
		context: PHONE,
	},
	// National forms that a first zero and the grouping make unmistakable: United Kingdom, Australia, France.
	{
		kind: "phone",
		first: [3, 5, "digit"],
		shape:
			/0(?:7\d{3} \d{3} ?\d{3}|7\d{4} \d{3} \d{3}|1\d{2,3} \d{3} \d{3,4}|20 [378]\d{3} \d{4}|4\d{2} \d{3} \d{3})/iy,
		check: (value) => value.length >= 10,
		needs: "shape",
	},
	{
		kind: "phone",
		first: [2, 2, "digit"],
		shape: /0[67]([ .])\d{2}\1\d{2}\1\d{2}\1\d{2}(?![ .]\d)/iy,
		refused: /^0607080910|^0708091011/,
		needs: "shape",
	},
	// Area code in brackets, as in Brazil and Germany.
	{
		kind: "phone",
		first: [2, 5, "digit"],
		shape: /(?:[1-9]\d\) ?9?\d{4}-\d{4}|0\d{2,4}\) ?\d{3,4}[ -]?\d{3,5})/iy,
		needs: "shape",
	},
	// India, and mobile numbers of Germany, Spain, Portugal and Poland without a country code.
	{
		kind: "phone",
		first: [3, 10, "digit"],
		shape: /(?:0?[6-9]\d{4} ?\d{5}|01[5-7]\d[ /-]?\d{7,8}|[5-9]\d{2} \d{2} \d{2} \d{2}|0\d{2,4}[ /-]\d{6,8})/iy,
		needs: "context",
		context: PHONE,
	},
	{ kind: "phone", first: [3, 3, "digit"], shape: /0[5-9]0-\d{4}-\d{4}/iy, needs: "bare", context: PHONE },
	{
		kind: "phone",
		first: [2, 4, "digit"],
		// Not a date, and not a network address.
		shape:
			/(?!(?:19|20)\d{2}[-.]\d{2}[-.]\d{2}(?!\d)|\d{2}[-.]\d{2}[-.](?:19|20)\d{2}(?!\d)|\d{1,3}(?:\.\d{1,3}){3}(?![.\d]))\d{2,4}([ .-])\d{2,4}\1\d{2,4}(?:\1\d{2,4}){0,2}/iy,
		check: (value) => value.length >= 8 && value.length <= 12,
		needs: "context",
		context: PHONE,
	},
	{ kind: "phone", first: [9, 11, "digit"], shape: /0[1-9]\d{7,9}/iy, needs: "context", context: PHONE },
	{
		kind: "phone",
		first: [1, 1, "digit"],
		shape: /1[-. ]\(?[2-9]\d{2}\)?[-. ][2-9]\d{2}[-. ]\d{4}/iy,
		refused: /^1(?:8(?:00|88|77|66|55|44|33)|900)/,
		needs: "context",
		context: PHONE,
	},
	// Any digits after words for a telephone number.
	{
		kind: "phone",
		first: [8, 11, "digit"],
		shape: /\d{8,11}/iy,
		needs: "context",
		context:
			/(?:phone|mobile|cell|\btel|whatsapp|handy|móvil|celular|teléfono|telefone|téléphone|telefon)(?:[ _-]?(?:no|number|nr|num|#))?\.?["']?(?: is|:|=){1,2} ?["']?\d/,
	},

	{
		kind: "postcode",
		first: [3, 3, "letter"],
		shape: /[A-CEGHJ-NPR-TVXY]\d[A-Z] \d[A-Z]\d/y,
		needs: "context",
		context: /post(?:al)? ?code|code postal|\b(?:on|bc|ab|qc|mb|sk|ns|nb|nl|pe|yt|nt|nu),? [a-z]\d[a-z] \d/,
	},
	// Number and street, then a postcode and a place: German, Dutch, Scandinavian, Polish.
	{
		kind: "postal_address",
		first: [2, 5, "digit"],
		shape: /(?:\d{4,5}(?: [A-Z]{2})?|\d{3} \d{2}|\d{2}-\d{3}) \p{Lu}\p{L}{2,20}/uy,
		needs: "context",
		context: new RegExp(
			verbose`
				(?:
					stra(?:ß|ss)e|str\.|weg|platz|allee|gasse|damm|ufer|straat|gracht|laan|plein|kade|singel|dijk|gatan|vägen|gade
					|vej|gata|veien|ul\.? \p{L}{3,20}|ulica \p{L}{3,20}
				) ?\d{1,4} ?[a-z]?(?:[/-]\d{1,4})?,? (?:\d{4,5}|\d{3} \d{2}|\d{2}-\d{3}) `,
			"u",
		),
	},
	// The format of Royal Mail. Without the space it has too few characters to count within prose.
	{
		kind: "postcode",
		first: [2, 4, "letter"],
		shape: /(?:GIR 0AA|(?![QVX])[A-Z](?:\d[A-Z\d]?|[A-HK-Y]\d[A-Z\d]?) \d[ABD-HJLNP-UW-Z]{2})/y,
		needs: "shape",
	},
	{
		kind: "postcode",
		first: [5, 7, "letter"],
		shape: /(?:GIR0AA|(?![QVX])[A-Z](?:\d[A-Z\d]?|[A-HK-Y]\d[A-Z\d]?)\d[ABD-HJLNP-UW-Z]{2})/iy,
		needs: "bare",
		context: /post ?code|postal/,
	},
];
