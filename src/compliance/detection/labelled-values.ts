// Reads the value behind a label: a name, a date of birth, a number, a sum, a password. Also people by what follows their name.
import type { DataKind } from "./kinds.ts";
import { LABELLED_VALUES, type LabelledValue, SUM } from "./labelled-shapes.ts";
import { eachLabel, type LabelGroup, toLabelText } from "./labels.ts";
import { FULL_NAME, isFullName } from "./names.ts";
import { SeedFinder } from "./seed-phrases.ts";
import type { StretchReader } from "./stretches.ts";
import { verbose } from "./verbose.ts";

/** Receives the kind of a value and its offsets; the end is exclusive. */
type ReportValue = (kind: DataKind, start: number, end: number) => void;

/** What is said of a person behind their name: their age, their life, where they live and work. */
const NAMED_PERSON = new RegExp(
	verbose`
		(?<![\p{L}\d-])(${FULL_NAME})(?:
			,? \((?:\d{1,2}|born|geb\.?|née?)(?![\p{L}\d])
			|, (?:aged? |now )?\d{1,2}(?=[,;.) ]+(?:since|of|from|who|lives?|and|is|has|seit|aus|wohn|an)?|$)
			|,? (?:who|she|he) (?:lives?|works?|lived|worked|is my|was my|moved)
			|, (?:a |an )?(?:retired|widow(?:er|ed)?|single mother|single father|married|divorced|separated|born|née|geb\.|geboren|verheiratet
				|geschieden|verwitwet|wohnhaft|divorcée?|veuve|retraitée?|jubilad[oa]|viud[oa]|pensionat[oa]|vedov[oa])(?!\p{L})
			|,? (?:lives?|living|resides?|residing|wohnt|habite|demeurant|vive|reside|abita|mora|woont|mieszka|bor) (?:at|in|on|above|near|next|am|auf|au|à|en|a|na|op|w|nr)(?!\p{L})
			|,? (?:of|at) \d{1,4}[a-z]? \p{Lu}
			|(?:[,:;] ?| [-–—(] ?)\(?(?:
				(?:IBAN|RIB|DOB|SSN|MRN|NHS|DNI|NIE|NIF|CPF|RUT|PESEL|BSN|NINO|CURP|SIN|AHV|СНИЛС|ИНН|born|geb\.|geboren|née?|nat[oa]|nacid[oa]
				|Konto(?:nummer)?|[Aa]cc(?:oun)?t|[Cc]ard|[Tt]el|[Pp]hone|[Mm]obile|[Cc]ell|[Hh]andy|тел|телефон|[Pp]assport|Passnummer)(?![\p{L}])
				|[\w.+-]{2,40}@[\w-]{2,30}\.|\+\d{2}|\(?0\d{2,4}\)?[ /-]?\d{3}|\d{1,4}[a-z]?,? (?:rue|avenue|boulevard|chemin|impasse|allée|quai|bis)
				|(?:calle|rua|via|viale|corso|ul\.|ул\.) \p{Lu}|\p{Lu}\p{L}{3,24}(?:straße|strasse|str\.|weg|gasse|allee|straat|laan|gatan|vägen) \d
			)
		)
	`,
	"gu",
);

/** What a number counts that is no sum. */
const NOT_MONEY =
	/^ ?(?:%|percent|years?|months?|weeks?|days?|hours?|hrs?|times?|am\b|pm\b|uhr|jahre?|monate?|tage?|stunden?|ans\b|mois|jours?|años|meses|anos|anni|mesi|jaar|lat\b|lata|лет|год|месяц|дн|час|年|月|日|天|歳|岁|년|개월|일|살|سن|شهر|يوم|साल|महीन|दिन|yıl|ay\b|gün|yaş|[/:]\d|\d)/;

/** A sum of money: with its currency, in thousands, or at least three digits that count nothing else. */
function isMoney(match: RegExpExecArray, text: string, end: number): boolean {
	const { value = "", unit = "" } = match.groups ?? {};
	if (unit !== "" || /[^\d.,'’\s]/.test(value)) return true;
	return Number(value.replace(/\D/g, "")) >= 100 && !NOT_MONEY.test(text.slice(end, end + 12));
}

/** Whose debt it is: the writer's. */
const DEBTOR = new RegExp(
	verbose`
		(?<!\p{L})(?:
			i|i'(?:m|ve)|we|we've|my|our|ich|wir|mein\p{L}{0,2}|unser\p{L}{0,2}|je|j'ai|nous|mon|ma|mes|tengo|tenemos|mi|mis|debo|ho|abbiamo|mio|mia
			|miei|tenho|temos|meu|minha|ik|wij|heb|hebben|mijn|mam|mamy|mój|moje|mojego|jag|jeg|vi har|har jag|min|mina|mitt|borcum\p{L}{0,3}
			|kredim\p{L}{0,3}|borcumuz|у меня|у нас|мой|моя|моего|моей|мне|я
		)(?!\p{L})
		|我|俺|私|僕|うち|제|내|저|우리|علي|عليّ|لدي|عندي|मुझ|मेर|मला|माझ|יש לי|שלי|אנחנו|دارم|tôi|saya|ฉัน|ผม
	`,
	"u",
);
/** Whether a debt is the writer's, or a field of a form. */
function isSomebodysDebt(lower: string, start: number, end: number, sumStart: number): boolean {
	if (DEBTOR.test(lower.slice(Math.max(0, start - 40), sumStart))) return true;
	return (
		/(?:^|\n)[\s"'-]{0,3}$/.test(lower.slice(Math.max(0, start - 4), start)) &&
		/^[\s"']{0,3}[:\t=]/.test(lower.slice(end, end + 5))
	);
}

const LAST_FULL_NAME = new RegExp(`(?<![\\p{L}])(${FULL_NAME})[^!?\\n]{0,96}$`, "u");

/** Whether somebody was named in full shortly before. */
function isOfNamed(text: string, at: number): boolean {
	const name = LAST_FULL_NAME.exec(text.slice(Math.max(0, at - 140), at))?.[1];
	return name !== undefined && isFullName(name);
}

/** A sum right before a word for a debt: "14.000 euro schuld". */
const SUM_BEFORE = new RegExp(`${SUM}\\.?[^\\n.!?。！？؟\\d]{0,20}$`, "diu");

/** Reports a sum that stands before a word for a debt. */
function reportSumBefore(lower: string, start: number, end: number, report: ReportValue): void {
	const from = Math.max(0, start - 40);
	const match = SUM_BEFORE.exec(lower.slice(from, start));
	if (match?.groups?.["unit"] === undefined || !DEBTOR.test(lower.slice(Math.max(0, start - 64), end + 40))) return;
	report("credit_context", from + match.index, end);
}

/** A name and what follows it are not longer. */
const MAX_NAMED_CHARS = 160;

/** A label and what it announces, by its place in the lower-cased text. */
interface FoundLabel {
	readonly group: LabelGroup;
	readonly start: number;
	readonly end: number;
}

/** What a value is, and its span. */
interface FoundValue {
	readonly kind: DataKind;
	readonly start: number;
	readonly end: number;
}

const MONEY_KINDS: ReadonlySet<DataKind> = new Set(["salary_context", "credit_context"]);

/** Where a password ends: the punctuation of its sentence is not part of it. */
function trimPassword(text: string, start: number, end: number): number {
	return end > start + 4 && /[.,;:!?)]/.test(text.charAt(end - 1)) ? end - 1 : end;
}

/** The value of a form behind a label; null if there is none. */
function readValue(text: string, lower: string, label: FoundLabel, form: LabelledValue): FoundValue | null {
	const { kind, shape, isValid } = form;
	shape.lastIndex = label.end;
	const match = shape.exec(text);
	const span = match?.indices?.groups?.["value"];
	if (match === null || span === undefined) return null;
	const [start, end] = span;
	if (isValid?.(text.slice(start, end), lower.slice(label.start, label.end)) === false) return null;
	if (kind === "generic_secret") return { kind, start, end: trimPassword(text, start, end) };
	if (!MONEY_KINDS.has(kind)) return { kind, start, end };
	if (!isMoney(match, lower, shape.lastIndex)) return null;
	if (label.group === "owed" && !isSomebodysDebt(lower, label.start, label.end, start) && !isOfNamed(text, label.start))
		return null;
	// The last word of the label says what the sum is: "earn" in "I earn".
	return { kind, start: label.start + lower.slice(label.start, label.end).lastIndexOf(" ") + 1, end: shape.lastIndex };
}

/** Reports people by what follows their name: an age, a life, an address, a number. */
function reportNamedPeople(text: string, from: number, to: number, report: ReportValue): void {
	for (const { index, 1: name = "" } of text.slice(from, to + MAX_NAMED_CHARS).matchAll(NAMED_PERSON))
		if (from + index < to && isFullName(name)) report("person_name", from + index, from + index + name.length);
}

/** Reports the values behind the labels of a text, and people by what follows their name. Each label costs a constant. */
export function createLabelReader(text: string, report: ReportValue): StretchReader {
	const lower = toLabelText(text);
	const seeds = new SeedFinder(text, (start, end) => report("seed_phrase", start, end));
	const visit = (group: LabelGroup, start: number, end: number) => {
		if (group === "seed") {
			seeds.searchAround(start, end);
			return;
		}
		if (group === "owed") reportSumBefore(lower, start, end, report);
		for (const form of LABELLED_VALUES[group]) {
			const value = readValue(text, lower, { group, start, end }, form);
			if (value === null) continue;
			report(value.kind, value.start, value.end);
			return;
		}
	};
	let from = 0;
	return (to) => {
		eachLabel(lower, from, to, visit);
		reportNamedPeople(text, from, to, report);
		if (to === text.length) seeds.searchWhole();
		from = to;
	};
}
