// Finds postal addresses by the house number: the name of a street stands before or after it. Forms of many countries.
import { verbose } from "./verbose.ts";

/** Forms: Universal Postal Union, "Addressing systems of member countries"; Deutsche Post, La Poste, Pochta Rossii, Japan Post. */
interface AddressForm {
	/** Matched against what precedes the number, to its end. */
	readonly before?: RegExp;
	/** Sticky, tried at the number. */
	readonly after?: RegExp;
	/** The form alone may be something else: the number of a ring, a way. A postcode, a flat or a person must be near. */
	readonly isWeak?: true;
}

/** Capitalised words of a name, with the small words between them. */
const STREET_NAME =
	"(?:(?:d[eiou]|da|do|dos|das|del|della|dello|dei|la|le|les|las|los|l'|d'|du|des|van|von|der|den|al|el|santa|san) ?){0,3}[\\p{Lu}\\d][\\p{L}\\p{M}.'’-]{1,20}(?: [\\p{L}\\p{M}.'’-]{1,16}){0,3}";

const ADDRESS_FORMS: readonly AddressForm[] = [
	// German, Dutch, Scandinavian: the street is one word with its type at the end, the number follows.
	{
		before: new RegExp(
			verbose`
				\p{Lu}[\p{L}-]{2,24}(?:
					straße|strasse|str\.|gasse|allee|straat|laan|gracht|kade|singel|gatan|gränd|vägen|stigen|veien|gaten|gade|katu
					|strasse
				)[ ]{1,2}$
				|(?<!\p{L})\p{Lu}[\p{L}-]{2,24} (?:Straße|Strasse|Str\.|Allee|Gasse) $
			`,
			"u",
		),
	},
	{
		before: /\p{Lu}[\p{L}-]{2,24}(?:weg|platz|damm|ufer|ring|steig|pfad|plein|dijk|hof|plads|vej|torget|tie|plan) $/u,
		isWeak: true,
	},
	// Romance languages, Polish: the type, the name, the number.
	{
		before: new RegExp(
			verbose`
				(?<![\p{L}\d])(?:
					[Cc]alle|C/|[Aa]venida|[Aa]vda\.?|[Pp]aseo|[Pp]laza|[Cc]arrer|[Cc]amino|[Rr]ua|[Tt]ravessa|[Aa]lameda|[Pp]raça
					|[Ee]strada|[Vv]ia(?:le)?|[Cc]orso|[Pp]iazza|[Vv]icolo|[Ll]argo|[Rr]ue|[Uu]l\.|[Uu]lica|[Uu]licy|[Aa]leja|[Aa]l\.|[Oo]s\.
				) ?${STREET_NAME},? ?(?:n[.º°o]{0,2} ?|nr\.? ?)?$
			`,
			"u",
		),
	},
	// Slavic languages in Cyrillic script.
	{
		before: new RegExp(
			verbose`
				(?<![\p{L}\d])(?:
					ул\.?|улиц\p{L}{1,2}|пр-т|пр\.|просп\.|проспект\p{L}{0,2}|пер\.|переулок|б-р|бульвар\p{L}{0,1}|шоссе|наб\.|набережн\p{L}{2}
					|пл\.|площадь|проезд|мкр\.?|микрорайон|вул\.?|вулиц\p{L}{1,2}|бул\.
				) ?[\p{L}\d][\p{L}\p{M}\d. -]{2,32},? ?(?:д\.? ?|дом ?|буд\.? ?)?$
			`,
			"iu",
		),
	},
	// French: the number comes first.
	{
		after: new RegExp(
			verbose`
				\d{1,4}(?: ?(?:bis|ter|quater))?,? (?:
					rue|avenue|av\.|boulevard|bd|impasse|allée|chemin|quai|place|cours|passage|route|square|sentier|ruelle
				) ${STREET_NAME}
			`,
			"uy",
		),
	},
	// Turkish: the quarter or street, its type, the number.
	{
		before:
			/\p{L}{2,20} (?:mahallesi|mah\.?|mh\.|sokak|sokağı|sok\.|sk\.|caddesi|cad\.?|cd\.|bulvarı|blv\.|apartmanı|apt\.?|sitesi)[ ,]{1,2}(?:no ?[:.]? ?|numara ?:? ?)?$/iu,
	},
	// Chinese, Japanese and Korean: from the large to the small, the number at the end.
	{
		before: /[\p{Script=Han}\d]{1,12}(?:路|街|大道|道|巷|弄|胡同|村|镇|鎮|小区|花园|苑|里) ?$/u,
		after: /\d{1,5} ?(?:号|號|弄|栋|幢|室|楼|单元|-\d)/uy,
	},
	{
		before: /(?:市|区|區|町|村|郡|丁目|台|条)[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]{0,10}$/u,
		after: /\d{1,3}(?:丁目|番地|番|号|-\d{1,4})/uy,
	},
	{
		before:
			/[가-힣]{1,8}(?:시|도|구|군|읍|면) [가-힣\d ]{0,20}[가-힣]{1,10}\d{0,3}(?:로|길|동|리|가) ?(?:\d{1,4}번?길 ?)?$/u,
	},
	// Arabic, Persian, Hebrew, Hindi and Marathi.
	{
		before: new RegExp(
			verbose`
				(?:
					شارع|طريق|خیابان|کوچه|بلوار|רחוב|רח'|שדרות|שד'
				) [\p{L}\p{M}'"-]{2,16}(?: [\p{L}\p{M}'"-]{2,16}){0,3}[،,]? ?(?:رقم|مبنى|منزل|شقة|پلاک|מספר|דירה)? ?$
				|(?:मकान|फ्लैट|फ़्लैट|प्लॉट|गली|घर|सदनिका)(?: ?(?:नंबर|नं\.?|क्रमांक|क्र\.?|संख्या))?[ :]{1,2}$
			`,
			"u",
		),
	},
	// English without a word for the street: where somebody lives, or a house by its row.
	{
		before:
			/\b(?:lives?|living|lived|resid(?:es?|ing|ed)|stay(?:s|ing)?|home is|address is|address:|moved|deliver(?:ed|y)?|ship(?:ped)?|parcel|pick(?:ed)? (?:me|us|her|him) up)(?: (?:at|to|in|from))?:? $/i,
		after: /\d{1,5}[A-Za-z]? (?:\p{Lu}[\p{L}'’.-]{1,20}[ ,]{0,2}){2,4}/uy,
	},
	{
		after:
			/\d{1,5}[A-Za-z]?,? (?:\p{Lu}[\p{L}'’.-]{1,20} ){1,3}(?:Street|St\.?|Avenue|Ave\.?|Road|Rd\.?|Drive|Dr\.?|Lane|Ln\.?|Boulevard|Blvd\.?|Court|Ct\.?|Terrace|Crescent|Close|Gardens|Mews|Cottages|Grove|Row|Walk|Hill|Parade|Quay|Rise|View),? (?:(?:Apt|Apartment|Flat|Unit|Suite|#)\.? ?\w{1,5},? )?\p{Lu}\p{L}{2,}/uy,
		isWeak: true,
	},
];

/** What makes the weak forms an address: a postcode with a place, a flat, a person. */
const RESIDENT = new RegExp(
	verbose`
		\b\d{4,5} \p{Lu}\p{L}{2}|\b(?:[A-Z]{2},? \d{5}|[A-Z]{1,2}\d{1,2}[A-Z]? \d[A-Z]{2})\b|\b(?:Apt|Flat|Apartment|Wohnung|Whg)\b
		|\b(?:[Mm]y|[Hh]is|[Hh]er|[Tt]heir|I|[Hh]e|[Ss]he|[Mm]e|[Mm]ein\p{L}{0,2}|[Ii]ch|[Ww]ohn\p{L}{1,3}|[Aa]dresse|[Aa]ddress|[Ll]ives?|[Aa]unt|[Uu]ncle|Mrs?|Ms|Frau|Herrn?|[Pp]atient|[Cc]ustomer|[Tt]enant|[Dd]eliver\p{L}{0,3}|[Ss]hip)\b
		|\p{Lu}\p{Ll}{1,14} \p{Lu}\p{Ll}{1,16}, (?:(?:\d{2}|of|at)\b|$)
	`,
	"u",
);

/** Places that everybody may visit: their addresses are nobody's. */
const PUBLIC_PLACE = new RegExp(
	verbose`
		\b(?:
			office|shop|store|restaurants?|hotel|museum|cafe|café|venue|headquarters|hq|warehouse|church|library|branch|station
			|embassy|theat(?:er|re)|gallery|stadium|town hall|city hall|büro|filiale|geschäft|laden|museum|rathaus|musée|mairie
			|boutique|oficina|tienda|museo|ayuntamiento|ufficio|negozio|museu|loja|kantoor|winkel|sklep|biuro
		)\b
		|офис|магазин|музей|ресторан|公司|商店|餐厅|博物馆|学校|会社|美術館|회사|박물관|متحف|مطعم|شركة
	`,
	"iu",
);

const MAX_CHARS_BEFORE = 64;
const MAX_CHARS_AFTER = 64;
const MAX_HOUSE_DIGITS = 5;

/**
 * Where the address with a house number begins and ends; null if the number is none.
 * @param start of the digits.
 * @param end of the word that they begin.
 */
export function findAddress(text: string, start: number, end: number): readonly [start: number, end: number] | null {
	if (end - start > MAX_HOUSE_DIGITS + 1) return null;
	const before =
		text
			.slice(Math.max(0, start - MAX_CHARS_BEFORE), start)
			.split("\n")
			.at(-1) ?? "";
	for (const form of ADDRESS_FORMS) {
		const match = form.before?.exec(before);
		if (match === null) continue;
		let to = end;
		if (form.after !== undefined) {
			form.after.lastIndex = start;
			if (!form.after.test(text)) continue;
			to = form.after.lastIndex;
		}
		const around = before + text.slice(start, end + MAX_CHARS_AFTER);
		if (PUBLIC_PLACE.test(around) || (form.isWeak && !RESIDENT.test(around))) continue;
		return [start - (match === undefined ? 0 : before.length - match.index), to];
	}
	return null;
}
