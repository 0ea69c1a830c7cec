// The table of phrases that identify a person: births, names, addresses, places.
import words from "./lists/personal-words.json" with { type: "json" };
import type { Phrase } from "./phrase.ts";
import { verbose } from "./verbose.ts";

const MONTH = `(?:${words.months.join("|")})[a-zéçńśź]{0,9}`;
/** A year in which somebody alive may have been born. */
const YEAR = "(?:19|20)\\d{2}";
const DATE = `(?:${YEAR}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2}[-/.] ?\\d{1,2}[-/.] ?(?:${YEAR}|\\d{2})|\\d{1,2}(?:st|nd|rd|th|er|º|\\.)? ?(?:of |de |di )?${MONTH},? (?:de |del )?${YEAR}|${MONTH} \\d{1,2}(?:st|nd|rd|th)?,? ${YEAR}|(?:19|20)\\d{6})(?!\\d)`;
const STREET = words.street.join("|");
const RESIDENCE = verbose`
	address
	|lives? (?:at|in)
	|living at
	|resid
	|ship
	|deliver
	|send
	|mail
	|billing
	|\bhome\b
	|moved to
	|apt
	|unit
	|suite
	|\b[A-Z]{2}\b,? \d{5}
	|\b[a-z]{1,2}\d{1,2}[a-z]? \d[a-z]{2}\b
	|\b\d{5}(?:-\d{4})?\b
	|, ?[a-z]{2} \d{5}
`;

/** Births, names, addresses and places. */
export const PERSONAL_PHRASES: readonly Phrase[] = [
	// Words are cut at letters beyond ASCII: née le, nací el, født. Also d.o.b., né(e), ur.
	{
		kind: "date_of_birth",
		words: ["b", "n", "nac", "f", "ur", "nata", "nato"],
		window: [10, 56],
		pattern: new RegExp(
			verbose`
				(?:
					\bd\.o\.b\.?|(?<![\w.])b\.(?= ?\d)|\bnée? (?:à [^\n\d]{2,24} )?le|\bnat[oa] (?:ad? |in |il |nel )
					|\bnac(?:í|ió) (?:en [^\n\d]{2,24} )?el|\bfødt|\bfödd|\bur\.
				)[^\n\d]{0,24}${DATE}
			`,
			"i",
		),
	},
	// The date precedes the verb: "ich bin am 3.5.1979 geboren".
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
		words: words.nameField,
		window: [0, 56],
		pattern: new RegExp(
			verbose`
				^(?:
					(?:first|last|full)(?:[_ -]?name|Name)|surname|lname|fname|vorname|nachname|apellidos?|prenom|cognome
					|sobrenome|achternaam|nazwisko
				)["']?[:=] ?["']?\p{Lu}[\p{Ll}'’]{1,24}(?=["',;&\s]|$| \p{Lu})
			`,
			"u",
		),
		unless:
			/name["']?[:=] ?["']?(?:john|jane|doe|string|text|required|optional|first|last|full|name|your|the|user|field|varchar|none|null|true|false|test|foo|string\()\b/,
	},
	// Somebody introduces themselves: any name counts.
	{
		kind: "person_name",
		words: words.introduction,
		window: [20, 48],
		pattern: new RegExp(
			verbose`
				(?:
					\b[Mm]y (?:full |legal )?name(?: is|'s|’s)|\b[Mm]ein Name ist|\b[Ii]ch hei(?:ß|ss)e|\b[Jj]e m['’]appelle
					|\b[Mm]on nom est|\b[Mm]e llamo|\b[Mm]i nombre es|\b[Mm]i chiamo|\b[Ii]l mio nome è|\b[Mm]eu nome é
					|\b[Cc]hamo-me|\b[Mm]e chamo|\b[Ii]k heet|\b[Mm]ijn naam is|\b[Nn]azywam się|\b[Mm]am na imię|\bJa[gj] heter
					|\bJeg (?:heter|hedder)
				)[: ]{1,2}\p{Lu}\p{L}{1,24}
			`,
			"u",
		),
	},
	{
		kind: "postal_address",
		words: words.street.map((word) => word.toLowerCase()),
		window: [64, 72],
		pattern: new RegExp(
			`(?:^|[^\\w.])\\d{1,5}[A-Za-z]? (?:[NSEW]\\.? )?(?:[A-Z][\\w'.]{0,20} |\\d{1,3}(?:st|nd|rd|th) ){1,4}(?:${STREET})\\b`,
		),
		near: new RegExp(RESIDENCE),
	},
	{
		kind: "geolocation",
		words: words.location,
		window: [72, 96],
		pattern: /-?\d{1,2}\.\d{3,10}°?[ NS]{0,2}[,;" ]{1,3}(?:lo?ng?(?:itude)?["':= ]{1,4})?-?\d{1,3}\.\d{3,10}/i,
		near: /\bhome\b|user|customer|patient|driver|employee|resid|lives|\bmy\b|\bhis\b|\bher\b|\btheir\b|phone|device of|rider|courier|victim|suspect/,
	},
	// A mailbox spelled out to hide it from machines.
	{
		kind: "email",
		words: ["at"],
		window: [48, 48],
		pattern: new RegExp(
			verbose`
				[\w.-]{2,32} ?(?:\(at\)|\[at\]|\{at\}) ?[\w-]{2,32} ?(?:\.|\(dot\)|\[dot\]|\{dot\}| dot | punkt ) ?[a-z]{2,12}
				|(?:reach|mail|contact|write|email)[^\n@]{0,24} [\w.-]{2,32} at [\w-]{2,32} dot [a-z]{2,12}\b
			`,
			"i",
		),
	},
	{
		kind: "ip_address",
		words: ["ip", "ipv6", "ipv4", "connecting", "connected", "client", "visitor", "remoteaddr", "clientip"],
		window: [0, 72],
		pattern:
			/^\w{2,10}(?: address)?(?: from| is| was)?["':= ]{1,4}(?:\d{1,3}(?:\.\d{1,3}){3}(?!\/)\b|(?:[\da-f]{1,4})?::?[\da-f:]{1,39})/i,
		unless: /bind|listen|subnet|cidr|\b0\.0\.0\.0\b/,
	},
	// HL7 version 2, segment PID: field 5 is the name.
	{
		kind: "person_name",
		words: ["pid"],
		window: [0, 96],
		pattern: /^PID\|[^\n]{0,64}\|[A-Z]{2,24}\^[A-Z]{2,24}/i,
	},
];
