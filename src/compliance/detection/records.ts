// Finds what only layout tells: the machine-readable zone of passports, magnetic stripes, bank statements, tables of people.
import { icao9303 } from "./checksums.ts";
import type { DataKind } from "./kinds.ts";
import { isFullName } from "./names.ts";
import type { StretchReader } from "./stretches.ts";
import { verbose } from "./verbose.ts";

type ReportRecord = (kind: DataKind, start: number, end: number) => void;

/** ICAO 9303-4 and -5: the line with the names, and the line with the number, each padded with `<`. */
const MRZ_NAMES = /(?<![A-Z<])[PIACV][A-Z<][A-Z<]{3}[A-Z]{1,30}(?:<[A-Z]{1,30}){0,3}<<[A-Z<]{2,36}/g;
const MRZ_NUMBER = /(?<![A-Z\d<])[A-Z\d<]{9}\d[A-Z<]{3}\d{7}[MFX<]\d{7}[A-Z\d<]{2,16}/g;
/** ISO/IEC 7813: track 1 begins with %B, track 2 with a semicolon. */
const TRACK = /(?:%?B(?<first>\d{13,19})\^[A-Z][A-Z /.'-]{1,26}\^?|;(?<second>\d{13,19})=\d{4,30})/g;

function hasCheckedNumber(line: string): boolean {
	const value = line.replaceAll("<", "0");
	return icao9303(value.slice(0, 10)) || icao9303(value.slice(13, 20)) || icao9303(value.slice(21, 28));
}

const STATEMENT_WORD = new RegExp(
	verbose`
		\b(?:
			balance|statement|overdraft|direct debit|card payment|standing order|kontoauszug|saldo|kontostand|buchung(?:stag)?
			|verwendungszweck|lastschrift|dauerauftrag|gehalt|solde|relevé|virement|prélèvement|extracto|movimientos|nómina|extrato
			|estratto conto|bonifico|afschrift|incasso|wyciąg|przelew|kontoutdrag|hesap özeti|bakiye|salary|payroll|iban
		)\b
		|выписк|остаток|зачислен|списан|余额|账单|流水|残高|明細|振込|잔액|거래내역|이체|رصيد|كشف حساب|موجودی|גיליון|יתרה|शेष|बैलेंस
	`,
	"iu",
);
/** A booking: its day, what it was for, and the sum. */
const BOOKING =
	/^[\s|>*"-]{0,4}(?:(?:19|20)\d{2}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/. ](?:\d{1,2}|\p{L}{3,9})\.?(?:[-/. ](?:19|20)?\d{2})?)[",;|\s:]{1,6}[^\n\d]{0,4}\p{L}[^\n]{1,60}?(?<!\d|\d[.,])[-+−]? ?(?:[$€£¥₹₽₺] ?)?\d{1,3}(?:[., ']?\d{3}){0,3}[.,]\d{2}(?!\d)/gmu;
const MIN_BOOKINGS = 2;

/** A header with somebody's name, or with what is only kept of people. */
const PEOPLE_HEADER = new RegExp(
	verbose`
		^[^\n]{0,120}\b(?:
			employees?|staff|customers?|clients?|patients?|members?|tenants?|students?|guests?|applicants?|holder|payee|full_?name
			|first_?name|last_?name|surname|kunde|mitarbeiter(?:in)?|mieter|vorname|nachname|nom|prénom|prenom|apellidos|nombre|nome|cognome
			|naam|nazwisko|imię|фио|фамилия|name(?=[^\n]{0,80}\b(?:phone|mobile|e-?mail|dob|birth\w{0,4}|salary|gross|net|pay|iban|address|ssn|age|balance|owed)\b)
		)\b[^\n]{0,120}$
	`,
	"gimu",
);
const SEPARATOR = /[,;|\t]/;
const NAME_CELL =
	/(?:^|[,;|\t"'] ?)["']?(\p{Lu}[\p{L}'’-]{1,24},? \p{Lu}[\p{L}'’-]{1,24}(?: \p{Lu}[\p{L}'’-]{1,24})?)["']?(?= ?(?:[,;|\t"']|$))/u;
const FIRST_NAME_CELL = new RegExp(`^${NAME_CELL.source.slice("(?:^|[,;|\\t\"'] ?)".length)}`, "u");
const PEOPLE_COLUMN =
	/name|employee|staff|customer|client|patient|member|tenant|student|guest|kunde|mitarbeiter|mieter|nom|nombre|naam|imi|фио|фамил/iu;
const MAX_ROWS = 200;
const MAX_ROW_CHARS = 400;

/** Calls `visit` for each row below a header, as long as rows have separators. Returns where they end. */
function eachRow(text: string, from: number, visit: (line: string, at: number) => void): number {
	let at = from;
	for (let row = 0; row < MAX_ROWS && at < text.length; row++) {
		const next = text.indexOf("\n", at);
		const end = next < 0 ? text.length : next;
		const line = text.slice(at, Math.min(end, at + MAX_ROW_CHARS));
		if (!SEPARATOR.test(line)) return at;
		visit(line, at);
		at = end + 1;
	}
	return at;
}

/** A stretch of a text in which records are searched. */
interface Stretch {
	readonly text: string;
	readonly from: number;
	readonly to: number;
}

function reportPeople({ text, from, to }: Stretch, report: ReportRecord): void {
	let readTo = 0;
	for (const header of text.slice(from, to).matchAll(PEOPLE_HEADER)) {
		const rows = from + header.index + header[0].length + 1;
		if (rows <= readTo || !SEPARATOR.test(header[0])) continue;
		const isFirstColumn = PEOPLE_COLUMN.test(header[0].split(SEPARATOR)[0] ?? "");
		readTo = eachRow(text, rows, (line, at) => {
			const name = (isFirstColumn ? FIRST_NAME_CELL : NAME_CELL).exec(line)?.[1];
			if (name === undefined || !isFullName(name)) return;
			const start = at + line.indexOf(name);
			report("person_name", start, start + name.length);
		});
	}
}

/** A header with a user and a password, and the rows below it. */
const LOGIN_HEADER =
	/^[^\n]{0,80}\b(?:user(?:name)?|login|account|email|host|site|service|benutzer|usuario|utilisateur|логин)\b[^\n]{0,40}?[,;|\t]\s{0,3}["']?(?:pass(?:word|wd)?|pwd|pw|passwort|contraseña|mot de passe|senha|пароль|密码|secret)\b[^\n]{0,60}$/gimu;

const PASSWORD_COLUMN = /pass|pwd|^\W{0,2}pw\b|contras|mot de|senha|парол|密码|secret/iu;

function isPasswordCell(cell: string): boolean {
	return cell.length >= 6 && /\d/.test(cell) && /\p{L}/u.test(cell) && !/\s|x{3}|\*{3}|\(\d*\)/.test(cell);
}

function reportLogins({ text, from, to }: Stretch, report: ReportRecord): void {
	let readTo = 0;
	for (const header of text.slice(from, to).matchAll(LOGIN_HEADER)) {
		const rows = from + header.index + header[0].length + 1;
		if (rows <= readTo) continue;
		const column = header[0].split(SEPARATOR).findIndex((cell) => PASSWORD_COLUMN.test(cell));
		readTo = eachRow(text, rows, (line, at) => {
			const cell = (line.split(SEPARATOR)[column] ?? "").trim().replace(/^["']|["']$/g, "");
			const start = at + line.indexOf(cell);
			if (isPasswordCell(cell)) report("generic_secret", start, start + cell.length);
		});
	}
}

function reportStatement({ text, from, to }: Stretch, report: ReportRecord): void {
	const stretch = text.slice(from, to);
	if (!STATEMENT_WORD.test(stretch)) return;
	const bookings = [...stretch.matchAll(BOOKING)];
	if (bookings.length < MIN_BOOKINGS) return;
	for (const { index, 0: booking } of bookings) report("bank_statement", from + index, from + index + booking.length);
}

/** Reports the lines of passports and the stripes of cards. */
function reportMachineLines({ text, from, to }: Stretch, report: ReportRecord): void {
	const stretch = text.slice(from, to);
	const add = (kind: DataKind, index: number, line: string) => report(kind, from + index, from + index + line.length);
	if (stretch.includes("<<"))
		for (const { index, 0: line } of stretch.matchAll(MRZ_NAMES)) add("passport", index, line);
	for (const { index, 0: line } of stretch.matchAll(MRZ_NUMBER))
		if (hasCheckedNumber(line)) add("passport", index, line);
	if (stretch.includes("^") || stretch.includes(";"))
		for (const { index, 0: track } of stretch.matchAll(TRACK)) add("credit_card", index, track);
}

/** A record that begins in one stretch is found as far as it is not longer. */
const MAX_RECORD_CHARS = 512;

/** Reports the records of a text. */
export function createRecordReader(text: string, report: ReportRecord): StretchReader {
	let from = 0;
	return (to) => {
		const stretch: Stretch = { text, from, to: Math.min(text.length, to + MAX_RECORD_CHARS) };
		reportMachineLines(stretch, report);
		if (text.slice(from, stretch.to).includes("\n")) {
			reportStatement(stretch, report);
			reportPeople(stretch, report);
			reportLogins(stretch, report);
		}
		from = to;
	};
}
