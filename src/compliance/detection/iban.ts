// Reads an international bank account number: the country's length, separators, MOD 97-10.
import { iban } from "./checksums.ts";
import { standsAlone } from "./identify.ts";
import { isWordAt } from "./words.ts";

/** Characters by country. SWIFT, IBAN Registry, release 99. */
const LENGTHS: ReadonlyMap<string, number> = new Map(
	(
		"AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 " +
		"FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 " +
		"LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 " +
		"RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
	)
		.split(" ")
		.map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Where the IBAN that begins at a word ends, −1 if none does; groups may be separated by one space or hyphen. */
export function ibanAt(text: string, start: number): number {
	if (text.charCodeAt(start) < 65) return -1;
	const length = LENGTHS.get(text.slice(start, start + 2).toUpperCase());
	if (length === undefined) return -1;
	let value = "";
	let at = start;
	while (value.length < length && at < text.length) {
		const character = text.charAt(at);
		if (isWordAt(text, at)) value += character;
		else if ((character !== " " && character !== "-") || !isWordAt(text, at - 1) || value.length < 4) return -1;
		at++;
	}
	return value.length === length && standsAlone(text, start, at) && iban(value.toUpperCase()) ? at : -1;
}
