// The table of values behind labels: how a name, a date, a number, a sum or a password is written. labels.ts has the labels.
import type { DataKind } from "./kinds.ts";
import type { LabelGroup } from "./labels.ts";
import { FULL_NAME, isFullName } from "./names.ts";
import { isPlaceholder } from "./placeholders.ts";
import { verbose } from "./verbose.ts";

/** How a value is written after its label. */
export interface LabelledValue {
	readonly kind: DataKind;
	/** Sticky, bounded, with a group `value`; tried at the end of the label. */
	readonly shape: RegExp;
	readonly isValid?: (value: string, label: string) => boolean;
}

const digitCount = (value: string) => value.replace(/\D/g, "").length;
const hasDigits = (fewest: number, most: number) => (value: string) => {
	const count = digitCount(value);
	return count >= fewest && count <= most;
};

/** Words for "is" and signs, between a label and its value. */
const EQUATING = verbose`
	(?:
		[:：=→|]|->|[-–—](?= )|是|为|為|は|이|가|은|는|(?<!\p{L})(?:
			is|are|was|ist|lautet|est|es|é|è|to|er|är|là|adalah|είναι|jest|este|это|هو|هي|است|היא|הוא|है
		)(?!\p{L})
	)`;
const QUOTE = "[\"'`“”„«»「『( ]";

/** A date, with months by name in any script. */
const LABELLED_DATE = verbose`
	(?:
		(?:19|20)\d{2} ?[-/.年년] ?\d{1,2} ?[-/.月월] ?\d{1,2}[日일]?
		|\d{1,2} ?[-/.] ?\d{1,2} ?[-/.] ?(?:(?:19|20)\d{2}|\d{2})(?!\d)
		|\d{1,2}(?:st|nd|rd|th|er|º|\.)?[ -](?:of |de |di )?\p{L}[\p{L}\p{M}]{2,11}\.?,?[ -](?:de |del )?(?:19|20)\d{2}
		|\p{L}[\p{L}\p{M}]{2,11}\.? \d{1,2}(?:st|nd|rd|th)?,? (?:19|20)\d{2}
	)`;

/** One to four words of a name: capitalised where the script has capitals. */
const NAME = verbose`
	(?:
		\p{Lu}[\p{L}\p{M}'’-]{1,24}(?:,? \p{Lu}[\p{L}\p{M}'’.-]{0,24}){0,3}
		|[\p{Script=Hangul}]{2,5}
		|[\p{Script=Han}\p{Script=Katakana}]{2,8}
		|[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Thai}]{2,20}(?: [\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}\p{Script=Bengali}]{2,20}){0,2}
	)`;

/** Asked for, to be filled in, or a word that begins a sentence on something else. */
const NOT_A_NAME =
	/^(?:क्या|کیا|چیست|ما\b|מה\b|[你您他她它了不车車个人外出救]|列表|不明|미상|Field|Unknown|Test|John Doe|Jane Doe|Max Mustermann|Erika Mustermann|Иван Иванов|Имя|Фамилия|Отчество|Vorname|Nachname|Nombre|Apellidos?|Nom|Prénom|Cognome|First|Last|Your|姓名|名字|Name|Null|None|String|Please)/u;

/** Labels that introduce somebody: one word of a name is enough. After the others a sign or two words are needed. */
const INTRODUCES =
	/^(?:my|i am|ich|mein|je|mon|me|mi|chamo|meu|o meu|il mio|ik|mijn|nazywam|mam|jag|mitt|jeg|benim|adım|ismim|меня|мо|мене|我|本人|私|제|내|اسمي|إسمي|أنا|انا|اسم من|نام من|اسمم|שמי|קוראים|मेरा|माझ|আমার|ฉัน|ผม|ดิฉัน|tên t|tôi|nama saya)/u;

export const SUM = verbose`
	(?<value>
		(?:(?:[$€£¥₹₽₺₩₪₴]|r\$|us\$|rs\.?|inr|eur|usd|gbp|chf|pln|tl|try|sar|aed|\u20bd) ?)?\d{1,3}(?:[., '’\u00a0]\d{3}){1,3}(?:[.,]\d{1,2})?
		|(?:(?:[$€£¥₹₽₺₩₪₴]|r\$|us\$|rs\.?|inr|eur|usd|gbp|chf|pln|tl|try|sar|aed) ?)?\d{1,9}(?:[.,]\d{1,2})?
	)(?<unit> ?(?:
		[$€£¥₹₽₺₩₪₴]|k\b|m\b|mil\b|mila\b|mille\b|tsd|tausend|tys|тыс|млн|к\b|万|萬|만|억|千|亿|億|円|元|块|원|ألف|الف|آلاف|مليون|ریال|ريال|درهم|دينار|جنيه|تومان|هزار|میلیون|हज़ार|हजार|लाख|करोड़|रुपय|रुपए|bin\b|milyon|lira|tl\b|eur|usd|gbp|chf|pln|zł|руб|р\b|грн|kr\b|sek|nok|dkk|euro|dollar|pound|peso|reais|rupee|franc|lakh|crore|שקל|ש"ח|אלף|tỷ|triệu|đồng|juta|rupiah|บาท|ευρώ|kč|lei|ft\b
	))?`;
const CREDENTIAL_VALUE = "(?<value>(?=\\S{0,48}\\d)[!#-&(-+\\-.-:=?-_a-z{|}~\\u00c0-\\u024f\\u0400-\\u04ff]{4,64})";

/** Whether a value can be a password: it has a digit beside letters or signs, and nobody takes it for an example. */
function isCredential(value: string): boolean {
	if (isPlaceholder(value) || /^https?:|^[\w.+-]+@[\w-]+\./.test(value)) return false;
	return /\d/.test(value) && (/[^\d.,:/-]/.test(value) ? value.length >= 6 : /^[\d#*]{4,12}$/.test(value));
}

/** Where nothing equates the label and the value, the value itself must look like a password. */
function isUnmistakable(value: string): boolean {
	if (!isCredential(value) || value.length < 7 || !/[A-Za-z]/.test(value)) return false;
	return /[!#$%^&*@~+?=_-]/.test(value) || (/[A-Z]/.test(value) && /[a-z]/.test(value) && digitCount(value) >= 3);
}

/** The same with words between the label and the value. */
function isStrikinglySo(value: string): boolean {
	return isUnmistakable(value) && /[!#$%^&*@~+?=]/.test(value);
}

function isAccessCode(value: string): boolean {
	return digitCount(value) >= (/[A-Z#*]/.test(value) ? 3 : 4);
}

export const LABELLED_VALUES: Readonly<Record<Exclude<LabelGroup, "seed">, readonly LabelledValue[]>> = {
	name: [
		{
			kind: "person_name",
			shape: new RegExp(`${QUOTE}{0,2}(?:${EQUATING}\\s?)?${QUOTE}{0,2}(?<value>${NAME})`, "duy"),
			isValid: (value, label) =>
				!NOT_A_NAME.test(value) &&
				(INTRODUCES.test(label) || /[ ,]/.test(value) || !/^[\p{Lu}\p{Script=Han}]/u.test(value)),
		},
		{
			kind: "person_name",
			shape: new RegExp(
				`${QUOTE}{0,2}${EQUATING}\\s?${QUOTE}{0,2}(?<value>[\\p{Script=Han}\\p{Script=Katakana}]{2,8})`,
				"duy",
			),
			isValid: (value) => !NOT_A_NAME.test(value),
		},
	],
	relation: [
		{
			kind: "person_name",
			shape: new RegExp(
				verbose`
					(?:['’]s)?(?:,| is| was| named| called| is called| is named| heißt| namens| s'appelle| se llama| si chiama| se chama| heet
						| nazywa się| ma na imię| heter|,? которую? зовут| зовут| —| -|:)? (?<value>${FULL_NAME})
				`,
				"duy",
			),
			isValid: isFullName,
		},
	],
	birth: [{ kind: "date_of_birth", shape: new RegExp(`[^\\n\\d]{0,24}(?<value>${LABELLED_DATE})`, "diuy") }],
	phone: [
		{
			kind: "phone",
			shape: /[^\n\d+.!?]{0,20}(?<value>\+?\(?\d[\d ().-]{6,18}\d)(?![\d%])/dy,
			isValid: (value) =>
				hasDigits(8, 15)(value) &&
				!/^(?:19|20)\d{2}[-.]\d{2}[-.]\d{2}|^\d{1,3}(?:\.\d{1,3}){3}$|^\d{1,3}(?:[., ]\d{3}){2,}$/.test(value),
		},
	],
	nationalId: [
		{
			kind: "national_id",
			shape: /[^\n\d.!?]{0,16}(?<![A-Z])(?<value>[A-Z]{0,4}[-. ]?\d[\dA-Z .\-/]{3,20}[\dA-Z])(?![\dA-Z])/dy,
			isValid: (value) => hasDigits(5, 16)(value) && !/^(?:19|20)\d{2}[-.]\d{2}[-.]\d{2}/.test(value),
		},
	],
	recordNumber: [
		{
			kind: "mrn",
			shape: /[^\n\d.!?]{0,16}(?<![A-Z])(?<value>[A-Z]{0,5}[-/]?\d[\dA-Z\-/]{2,16})(?![\dA-Z])/dy,
			isValid: hasDigits(4, 16),
		},
	],
	account: [
		{
			kind: "bank_account",
			shape:
				/[^\n\d.!?]{0,16}(?<![A-Z]{2}(?:\d{2}(?: ?[A-Z\d]{4}){0,6} ?)?)(?<value>\d[\d -]{4,26}\d)(?![\d%]|[.,:]\d)/dy,
			isValid: (value) => hasDigits(6, 24)(value) && !/^(?:19|20)\d{2}-\d{2}-\d{2}/.test(value),
		},
	],
	card: [
		{ kind: "credit_card", shape: /[^\n\d.!?]{0,16}(?<value>\d[\d -]{10,21}\d)(?!\d)/dy, isValid: hasDigits(14, 19) },
	],
	cardCode: [
		{
			kind: "card_cvv",
			shape:
				/[\s"']{0,2}(?:code|kod|код)?[\s"':：=#]{0,4}(?:is |ist |est |es |это |は|는|是)?(?<value>\d{3,4})(?![\d.,])/diuy,
		},
	],
	income: [{ kind: "salary_context", shape: new RegExp(`[^\\n.!?。！？؟\\d]{0,28}?${SUM}`, "diuy") }],
	debt: [{ kind: "credit_context", shape: new RegExp(`[^\\n.!?。！？؟\\d]{0,28}?${SUM}`, "diuy") }],
	owed: [{ kind: "credit_context", shape: new RegExp(`[^\\n.!?。！？؟\\d]{0,28}?${SUM}`, "diuy") }],
	password: [
		{
			kind: "generic_secret",
			shape: new RegExp(`[^\\n.!?;,。\\d@/\\\\=(){}<>]{0,40}?${EQUATING}${QUOTE}{0,3}${CREDENTIAL_VALUE}`, "diuy"),
			isValid: isCredential,
		},
		{
			kind: "generic_secret",
			shape: new RegExp(`[\\p{L}\\p{M}]{0,8}${QUOTE}{1,3}${CREDENTIAL_VALUE}`, "diuy"),
			isValid: isUnmistakable,
		},
		{
			kind: "generic_secret",
			shape: new RegExp(`[^\\n.!?;,。\\d@/\\\\=(){}<>"']{1,36}?[\\s"'\`]${CREDENTIAL_VALUE}(?!\\S)`, "diuy"),
			isValid: isStrikinglySo,
		},
	],
	// The name of a network and its password: "wifi: NAME / password".
	network: [
		{
			kind: "generic_secret",
			shape: new RegExp(`[^\\n:=]{0,48}[:=] ?[^\\n/|,]{2,32} ?[/|,] ?${CREDENTIAL_VALUE}(?![\\w/])`, "diuy"),
			isValid: (value) => isCredential(value) && /\p{L}/u.test(value) && !/^\d+(?:[.,]\d+)? ?\p{L}{1,4}$/u.test(value),
		},
	],
	// What opens a lock, without a word for the code: "the safe opens with 38-12".
	lock: [
		{
			kind: "generic_secret",
			shape: new RegExp(
				verbose`
					[^\n.!?;\d]{0,32}?(?<!\p{L})(?:
						(?:opens?|unlocks?|disarms?|(?:is|was) (?:opened|unlocked|disarmed|armed|set)|disarm it|unlock it|switch(?:es)? off) (?:with|by|to|using)
						|öffnet (?:sich )?mit|geht (?:auf )?mit|s'ouvre avec|se abre con|se desactiva con|abre com|si apre con|gaat open met
						|otwiera się kodem|öppnas med|açılıyor|открывается|отключается
					)(?!\p{L})[:\s"'\x60]{1,3}(?:the code |code |кодом )?(?<value>\p{Lu}{0,2}[#*]?\d(?:[\d\p{Lu}#*-]| (?=\d\d)){2,11})(?![\p{L}%]|[.,:]\d)
				`,
				"diuy",
			),
			isValid: isAccessCode,
		},
	],
	accessCode: [
		{
			kind: "generic_secret",
			shape:
				/[^\n\d.!?;,]{0,28}?["'`“«„「 ]?(?<value>\p{Lu}{0,2}[#*]?\d(?:[\d\p{Lu}#*-]| (?=\d\d)){2,11})(?![\p{L}%]|[.,:]?\d)/duy,
			isValid: isAccessCode,
		},
	],
};
