// The ways to read a conversation across its texts: a message's parts together, an answer with its question, a value with the
// message that explains it, the fields of a tool's result. Each costs at most a small multiple of the texts that it reads. Pure.
import type { Conversation, PlacedText } from "./conversation.ts";
import { eachClinicalTerm } from "./detection/clinical-terms.ts";
import { type DataKind, findClass, isStatement } from "./detection/kinds.ts";
import {
	explanationStatement,
	findBackReference,
	isAboutSomebody,
	isNameLabel,
	measureStatement,
	statementsFor,
} from "./detection/prompts.ts";
import { JoinedText, type SourceSpan } from "./joined-text.ts";

export interface ConversationReading {
	readonly joined: JoinedText;
	/** Whether what is found counts. Only a part of the sense may be in the reading. */
	accepts(kind: DataKind, spans: readonly SourceSpan[]): boolean;
}

/** A text with its index in the conversation. */
interface IndexedText extends PlacedText {
	readonly index: number;
}

const acceptAll = () => true;

/** Characters on each side of a seam between two parts. No identifier or its context is longer. */
const SEAM_CHARS = 160;

/** The start of a slice, moved to the next space, so that no part of a word seems to be one. */
function toWordStart(text: string, start: number): number {
	if (start <= 0) return 0;
	const space = text.slice(start, start + 24).search(/\s/);
	return space < 0 ? start : start + space + 1;
}

function* seamReadings(parts: readonly IndexedText[], separator: string): Generator<ConversationReading> {
	// Without a separator, the words at the seam are run together, and nearly any run may be a password.
	const accepts: ConversationReading["accepts"] = (kind, spans) =>
		separator === ""
			? kind !== "generic_secret" && new Set(spans.map(({ text }) => text)).size > 1
			: !isStatement(kind) || new Set(spans.map(({ text }) => text)).size > 1;
	let joined = new JoinedText();
	for (const { text, index } of parts) {
		if (joined.sourceCount > 0) joined.addWords(separator);
		if (text.length <= 2 * SEAM_CHARS) {
			joined.addSpan(text, index, 0, text.length);
			continue;
		}
		joined.addSpan(text, index, 0, SEAM_CHARS);
		if (joined.sourceCount > 1) yield { joined, accepts };
		joined = new JoinedText();
		joined.addSpan(text, index, toWordStart(text, text.length - SEAM_CHARS), text.length);
	}
	if (joined.sourceCount > 1) yield { joined, accepts };
}

/** The parts of one message, read across their seams: a value may be split between two. */
function* partReadings(message: readonly IndexedText[]): Generator<ConversationReading> {
	const parts = message.filter(({ place }) => place === "text" || place === "tool_result");
	if (parts.length < 2) return;
	yield* seamReadings(parts, "");
	yield* seamReadings(parts, " ");
}

/** A longer message is no answer to a question. */
const MAX_ANSWER_CHARS = 240;
/** What a question says last. */
const QUESTION_CHARS = 160;
/** A longer message is not only a value. */
const MAX_VALUE_CHARS = 80;

/** Words before the answer proper. */
const ANSWER_BEGINNING =
	/^(?:\s{0,3}(?:sure|yes|yep|yeah|ok|okay|of course|it['’]?s|it is|that['’]?s|i['’]?m on|is|ja|klar|oui|sí|si|claro|sì|sim|tak|evet|да|好的|是的?|はい|네)(?![\p{L}\d])[\s,:.!–-]{0,4}){1,3}/iu;

function readAnswer(says: string, { text, index }: IndexedText, start: number): ConversationReading {
	const joined = new JoinedText();
	joined.addWords(says);
	joined.addSpan(text, index, start, text.length);
	return { joined, accepts: acceptAll };
}

/** The last sentence of a question and its first words, with a colon for its question mark. */
function toQuestion(text: string): string {
	return text
		.slice(-QUESTION_CHARS)
		.trim()
		.replace(/[?？؟.!…]{1,3}$/, "");
}

/** An answer with what its question asks for. */
function* answerReadings(asked: string, answer: IndexedText): Generator<ConversationReading> {
	if (answer.text.length > MAX_ANSWER_CHARS) return;
	const question = toQuestion(asked);
	const start = ANSWER_BEGINNING.exec(answer.text)?.[0].length ?? 0;
	yield readAnswer(`${question}: `, answer, start);
	const sentence = question.split(/[.!?？؟\n]\s/).at(-1) ?? question;
	for (const says of statementsFor(sentence)) yield readAnswer(says, answer, start);
	const measure = measureStatement(sentence);
	if (measure !== null && /^\W{0,3}\d/.test(answer.text.slice(start))) yield readAnswer(measure, answer, start);
}

/** A value with the later message that says what it is. */
function* explanationReadings(value: IndexedText, later: string): Generator<ConversationReading> {
	if (value.text.length > MAX_VALUE_CHARS || !/\d/.test(value.text)) return;
	const explained = later.slice(0, QUESTION_CHARS);
	const after = new JoinedText();
	after.addSpan(value.text, value.index, 0, value.text.length);
	after.addWords(`, ${explained}`);
	yield { joined: after, accepts: acceptAll };
	yield readAnswer(`${explained.slice(0, MAX_VALUE_CHARS)}: `, value, 0);
	const says = explanationStatement(explained);
	if (says !== null) yield readAnswer(says, value, 0);
}

const TOPIC_QUESTION =
	/^\W{0,3}(?:(?:so |and )?(?:what|is|are|can|could|how|does|do|why)|was|ist|wie|kann|c['’]est|qu['’]est|est-ce|qué|que|es|cos|che|o que|wat)(?!\p{L})/iu;
const TOPIC_GROUPS = new Set(["condition", "medicine", "treatment"]);

/** The illness or medicine that a short question is about; null if there is none. */
function findTopic(question: string): string | null {
	if (question.length > QUESTION_CHARS || !TOPIC_QUESTION.test(question)) return null;
	const lower = question.toLowerCase();
	if (lower.length !== question.length) return null;
	let topic: string | null = null;
	eachClinicalTerm(lower, ({ group, start, end }) => {
		if (topic === null && TOPIC_GROUPS.has(group)) topic = question.slice(start, end);
	});
	return topic;
}

/** A message that says of somebody what the question before it was about: "My sister has it, too." */
function* topicReadings(question: string, later: IndexedText): Generator<ConversationReading> {
	const { text, index } = later;
	if (text.length > MAX_ANSWER_CHARS) return;
	const reference = findBackReference(text);
	const topic = reference && findTopic(question);
	if (!reference || topic === null) return;
	const [start, end] = reference;
	const joined = new JoinedText();
	joined.addSpan(text, index, 0, start);
	joined.addReplaced(topic, { text: index, start, end });
	joined.addSpan(text, index, end, text.length);
	yield { joined, accepts: (kind) => findClass(kind) === "PHI" };
}

const JSON_FIELD =
	/"(?<name>[^"\\\n]{1,40})"\s{0,4}:\s{0,4}(?:"(?<text>[^"\\\n]{1,120})|(?<number>-?\d[\d.,]{0,30}))/dg;
const LINE_FIELD =
	/(?<=^|[\n;,&|])[ \t]{0,8}(?<name>[\p{L}_][\p{L}\w '-]{0,30})\s?[=:][ \t]{0,3}(?<text>[^\n;,&|"{}]{1,120})/dgu;

/** The name of a field as words: `grossMonth` and `gross_month` as "gross month". */
function toWords(name: string): string {
	return name
		.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
		.replace(/[_.-]/g, " ")
		.trim()
		.toLowerCase();
}

/** The values of the fields of a tool's result, each with what its name says. */
function* fieldReadings({ text, index }: IndexedText): Generator<ConversationReading> {
	const joined = new JoinedText();
	for (const fields of [JSON_FIELD, LINE_FIELD])
		for (const { groups, indices } of text.matchAll(fields)) {
			const span = indices?.groups?.["text"] ?? indices?.groups?.["number"];
			if (span === undefined) continue;
			for (const says of statementsFor(toWords(groups?.["name"] ?? ""))) {
				joined.addWords(says);
				joined.addSpan(text, index, span[0], span[1]);
				joined.addWords("\n");
			}
		}
	if (joined.sourceCount > 0) yield { joined, accepts: acceptAll };
}

const MAX_HEADER_CHARS = 400;
const MAX_ROW_CHARS = 4_096;
const MAX_COLUMN_CHARS = 32;

/** The separator of a table, and what each column says of its cells. */
interface TableHeader {
	readonly separator: string;
	readonly says: readonly (readonly string[])[];
	/** The same without statements about somebody, for rows that name nobody in full. */
	readonly numbers: readonly (readonly string[])[];
}

interface Cell {
	readonly start: number;
	readonly end: number;
}

/** The cells of a line of a table; one that is quoted may have separators. */
function splitCells(text: string, start: number, end: number, separator: string): Cell[] {
	const cells: Cell[] = [];
	let isQuoted = false;
	let from = start;
	for (let at = start; at <= end; at++) {
		const character = text.charAt(at);
		if (at < end && character === '"') isQuoted = !isQuoted;
		if (at < end && (isQuoted || character !== separator)) continue;
		cells.push({ start: from, end: at });
		from = at + 1;
	}
	return cells;
}

/** A first name and a surname. Sample tables have first names only. */
const NAME_CELL = /\p{Lu}\p{L}{1,24},? \p{Lu}\p{L}{1,24}/u;

/** What the columns of a header say of their cells, by position; null if the line is no header. */
function readHeader(text: string, start: number, end: number): TableHeader | null {
	if (end - start > MAX_HEADER_CHARS) return null;
	const line = text.slice(start, end);
	const separator = ["\t", ";", "|", ","].find((each) => line.includes(each));
	if (separator === undefined) return null;
	const names = splitCells(text, start, end, separator).map((cell) => text.slice(cell.start, cell.end).trim());
	if (names.some((name) => name.length > MAX_COLUMN_CHARS || /\d{3}|[.?!]$/.test(name))) return null;
	const says = names.map((name) => statementsFor(toWords(name.replace(/^"|"$/g, ""))));
	const numbers = says.map((each) => each.filter((statement) => !isAboutSomebody(statement)));
	return says.some((each) => each.length > 0) ? { separator, says, numbers } : null;
}

/** The cells of a table, each with what its column says. */
function* tableReadings({ text, index }: IndexedText): Generator<ConversationReading> {
	const joined = new JoinedText();
	const addCell = (says: string, { start, end }: Cell) => {
		joined.addWords(says);
		joined.addSpan(text, index, start + (text.charAt(start) === '"' ? 1 : 0), end);
		joined.addWords("\n");
	};
	const isFullName = ({ start, end }: Cell | undefined = { start: 0, end: 0 }) =>
		NAME_CELL.test(text.slice(start, Math.min(end, start + MAX_COLUMN_CHARS)));
	const addRow = ({ says, numbers }: TableHeader, cells: readonly Cell[]) => {
		const namesSomebody = says.some((each, column) => each.some(isNameLabel) && isFullName(cells[column]));
		const columns = namesSomebody ? says : numbers;
		for (const [column, cell] of cells.entries()) for (const each of columns[column] ?? []) addCell(each, cell);
	};
	let header: TableHeader | null = null;
	for (let start = 0; start < text.length; ) {
		const newline = text.indexOf("\n", start);
		const end = newline < 0 ? text.length : newline;
		const cells: Cell[] = header && end - start < MAX_ROW_CHARS ? splitCells(text, start, end, header.separator) : [];
		if (header !== null && header.says.length === cells.length) addRow(header, cells);
		else header = readHeader(text, start, end);
		start = end + 1;
	}
	if (joined.sourceCount > 0) yield { joined, accepts: acceptAll };
}

/** Texts by message, in order. Those outside messages are left out. */
function splitIntoMessages(texts: readonly PlacedText[]): IndexedText[][] {
	const messages: IndexedText[][] = [];
	let last: number | null = null;
	for (const [index, placed] of texts.entries()) {
		if (placed.message === null) continue;
		if (placed.message !== last) messages.push([]);
		last = placed.message;
		messages.at(-1)?.push({ ...placed, index });
	}
	return messages;
}

const isSaid = ({ place }: PlacedText) => place === "text" || place === "tool_result";

/** The readings of a message with those before it. */
function* turnReadings(
	messages: readonly (readonly IndexedText[])[],
	position: number,
): Generator<ConversationReading> {
	const answer = messages[position]?.find(isSaid);
	const before = messages[position - 1]?.findLast(isSaid);
	if (answer === undefined || before === undefined) return;
	if (answer.role !== "assistant") {
		const earlier = messages[position - 2]?.findLast(isSaid)?.text ?? "";
		const context = before.text.length < QUESTION_CHARS / 2 ? earlier.slice(-QUESTION_CHARS / 2) : "";
		yield* answerReadings(before.text, answer);
		if (context !== "" && answer.text.length <= MAX_VALUE_CHARS)
			yield readAnswer(`${toQuestion(context)}. ${toQuestion(before.text)}: `, answer, 0);
	}
	const value = before.role === "assistant" ? messages[position - 2]?.findLast(isSaid) : before;
	if (value === undefined || answer.role !== "user") return;
	yield* explanationReadings(value, answer.text);
	yield* topicReadings(value.text, answer);
}

/** A longer message is not only the rest of a number. */
const MAX_REST_CHARS = 80;
/** What ends with the beginning of a number, and what begins with its rest. Few words stand between. */
const NUMBER_BEGINNING = /[A-Z\d][\d ./-]{0,24}\d[-./]?(?=[\s\p{P}]{0,3}(?:\p{L}[\p{L}\s,.…-]{0,24})?$)/u;
const NUMBER_REST = /^\P{Nd}{0,40}?(?=\p{Nd}{2})/u;

/** A number that the user writes in two messages, whatever is answered between them. */
function* splitNumberReadings(messages: readonly (readonly IndexedText[])[]): Generator<ConversationReading> {
	const said = messages.flatMap((message) => message.filter((text) => text.role === "user" && isSaid(text)));
	for (const [position, rest] of said.entries()) {
		const beginning = said[position - 1];
		if (beginning === undefined || beginning.message === rest.message || rest.text.length > MAX_REST_CHARS) continue;
		const from = toWordStart(beginning.text, beginning.text.length - SEAM_CHARS);
		const number = NUMBER_BEGINNING.exec(beginning.text.slice(from));
		const lead = NUMBER_REST.exec(rest.text)?.[0].length;
		if (number === null || lead === undefined) continue;
		const joined = new JoinedText();
		joined.addSpan(beginning.text, beginning.index, from, from + number.index + number[0].length);
		joined.addWords(/[-./]$/.test(number[0]) || /^[-./]/.test(rest.text.slice(lead)) ? "" : " ");
		joined.addSpan(rest.text, rest.index, lead, rest.text.length);
		yield { joined, accepts: acceptSplitNumber };
	}
}

/** Two numbers of two messages stand side by side by chance: what counts has check digits, or a word that says what it is. */
const acceptSplitNumber: ConversationReading["accepts"] = (kind, spans) =>
	!isStatement(kind) && kind !== "generic_secret" && new Set(spans.map(({ text }) => text)).size > 1;

/** All readings of a conversation across its texts. */
export function* conversationReadings({ texts }: Conversation): Generator<ConversationReading> {
	for (const [index, placed] of texts.entries()) {
		const text = { ...placed, index };
		if (placed.place === "tool_result") yield* fieldReadings(text);
		if (isSaid(placed)) yield* tableReadings(text);
	}
	const messages = splitIntoMessages(texts);
	for (const [position, message] of messages.entries()) {
		yield* partReadings(message);
		yield* turnReadings(messages, position);
	}
	yield* splitNumberReadings(messages);
}
