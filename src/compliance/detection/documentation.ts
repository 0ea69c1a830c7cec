// Recognises the examples of documentation: values that publishers, test suites and tutorials use, where a text presents them as such.

import type { DataKind } from "./kinds.ts";
import documented from "./lists/documentation-values.json" with { type: "json" };
import { verbose } from "./verbose.ts";

const toPlain = (value: string) => value.toUpperCase().replace(/[^\p{L}\p{N}]/gu, "");

/** Published examples by their letters and digits: cards, accounts, numbers of people, names, streets. */
const DOCUMENTED: ReadonlySet<string> = new Set(Object.values(documented).flat().map(toPlain));
const DOCUMENTED_STREETS: readonly string[] = documented.addresses.map(toPlain);

/**
 * Ranges that are reserved for examples: domains (RFC 2606), networks (RFC 5737, RFC 3849), telephone numbers (NANPA 555-01XX,
 * Ofcom's and ARCEP's numbers for drama).
 */
const RESERVED = new RegExp(
	verbose`
		@(?:[\w-]{1,40}\.){0,3}(?:example(?:\.(?:com|org|net|edu|de|co\.uk))?|test|invalid|localhost|domain\.com|company\.com|acme\.com)$
		|^(?:192\.0\.2|198\.51\.100|203\.0\.113)\.|^2001:0?db8:
		|^(?:\+?1?[-. (]{0,2}\d{3}[-. )]{0,2})?555[-. ]?01\d\d$|^\+?1?[-. (]{0,2}555[-. )]{0,2}\d{3}[-. ]?\d{4}$
		|^(?:\+44 ?|0)(?:1632 ?960|7700 ?900|20 ?7946 ?0|808 ?157 ?0)|^(?:\+33 ?|0)1 ?99 ?00|^(?:\+61 ?|0)491 ?57\d
	`,
	"i",
);

/** Mailboxes that tests write at anybody's domain: nobody is called so, or the domain is a word for nothing. */
const TEST_MAILBOX =
	/^(?:test(?:ing|er|user|mail|account)?|user|usr|foo|bar|baz|qux|dummy|fake|sample|demo|someone|somebody|nobody|no-?reply|qa)[\d._-]{0,4}(?:\+\w{1,20})?@|@(?:test|testing|foo|bar|baz|foobar|domain|yourdomain|mydomain|somewhere|email|site|website|fake)\.(?:com|org|net|io|dev)$/i;

/** Country, check digits and the groups behind them. */
const IBAN_BEGINNING = /[A-Z]{2}(?:\d{2}(?: ?[A-Z\d]{4}){0,6} ?)?$/;
/** Longer spans are no single value. */
const MAX_EXAMPLE_CHARS = 256;
const MIN_PATTERNED_DIGITS = 7;
/** The share of neighbouring digits that are equal or in order. In random digits it is three in ten. */
const MIN_PATTERNED_SHARE = 0.75;

/** Whether the digits of a value follow a pattern, as those of made-up numbers do: 1234 5678, 1111 2222. */
function isPatterned(value: string): boolean {
	const digits = value.replace(/\D/g, "");
	if (digits.length < MIN_PATTERNED_DIGITS) return false;
	let ordered = 0;
	for (let at = 1; at < digits.length; at++) {
		const step = Math.abs(digits.charCodeAt(at) - digits.charCodeAt(at - 1));
		if (step <= 1 || step === 9) ordered++;
	}
	return ordered >= MIN_PATTERNED_SHARE * (digits.length - 1);
}

/** Whether a value is one that documentation uses. */
function isDocumented(value: string): boolean {
	const plain = toPlain(value);
	if (DOCUMENTED.has(plain) || RESERVED.test(value) || TEST_MAILBOX.test(value) || isPatterned(value)) return true;
	return DOCUMENTED_STREETS.some((street) => plain.startsWith(street));
}

/** Says that a value is an example, or what kind of text uses examples: tests, code, rules, documents. An address says nothing. */
const EXAMPLE_WORD = new RegExp(
	verbose`
		(?<![\p{L}@.])(?:
			examples?|e\.g|eg\.|sample|dummy|placeholders?|fake|mock(?:ed|s)?|fixtures?|stub|test(?:s|ing|ed)?|unit tests?|docs?
			|documentation|docstring|readme|tutorial|schema|openapi|swagger|regex|regexp|validat\p{L}{1,4}|validity|checksum
			|check digits?|luhn|mod ?97|format|reserved|specification|rfc|column|assert\p{L}{0,6}|expect|pytest|jest|seed data|demo
			|muster\p{L}{0,12}|beispiel\p{L}{0,6}|doku|prüfziffern?|gültig\p{L}{0,3}|exemples?|factice|valide|ejemplos?|prueba|válid[oa]
			|esempi[o]?|prova|valid[oa]|exemplos?|teste|voorbeeld\p{L}{0,3}|geldig|przykład\p{L}{0,4}|testow\p{L}{1,3}|exempel|örnek
			|geçerli|пример\p{L}{0,3}|тестов\p{L}{1,3}|документаци\p{L}{1,2}
		)(?!\p{L}|\.(?:com|org|net|edu|test|de)(?!\p{L}))
		|例|示例|样例|测试|文档|サンプル|テスト|예시|예제|테스트|مثال|تجريبي|اختبار|نمونه|مثلا|דוגמה|לדוגמה|उदाहरण|नमूना|परीक्षण
	`,
	"iu",
);

/** Code around a value. JSON alone is none: it may be data. */
const CODE_SIGN = new RegExp(
	verbose`
		===|!==|=>|\b(?:const|let|var|def|class|func|fn|import|void|static|enum|struct|interface)\x20\w|\bfunction\b|\breturn\b
		|\bselect\b.{1,60}\bfrom\b|\binsert\x20into\b|\bvalues ?\(|console\.|print(?:ln|f)?\(|\w\((?:\w{1,24} ?= ?)?["']|\w ?:?= ?[[{(]
		|#include|\`\`\`|<\/?\w{1,16}>|\bcurl\x20-|\w ?\{\x20["']|\x20do\n
	`,
	"i",
);

/** Asks what something means, whether it is right, what it looks like. */
const QUESTION = new RegExp(
	verbose`
		(?<!\p{L})(?:
			what (?:does|do|is|are|kind|type|would)|which|why (?:is|does|do|are)|how (?:is|does|do|are|would)|is (?:it|this|that)|means?
			|stands? for|meaning of|difference|explain|was (?:bedeutet|ist|heißt)|que (?:signifie|veut)|qué (?:significa|es)
			|o que (?:significa|é)|(?:cosa|che) significa|wat (?:betekent|is)|co (?:oznacza|to)|ne demek|vad betyder
			|что (?:значит|означает|такое)
		)(?!\p{L})
		|什么意思|是什么|とは|何です|무슨|뜻|ماذا|ما هو|ما معنى|یعنی چه|مה זה|का मतलब|क्या है|म्हणजे काय
	`,
	"iu",
);

/** Somebody's: then an example counts. "My test" is not somebody. */
const OWNER = new RegExp(
	verbose`
		(?<!\p{L})(?:
			(?:my|our|his|her|their)(?! (?:\p{L}{2,12} ){0,1}(?:tests?|unit|code|regex\p{L}{0,2}|functions?|app|script|parser|validat\p{L}{2,4}|form|docs?|documentation|schema|class|method|project|api|readme|tutorial|example|sample|fixtures?|column|database|query|book|novel|software|page|site|library|program|sandbox|checkout|integration|environment|build|pipeline|config\p{L}{0,8})(?!\p{L}))
			|mine|i(?:'m|’m)|i am|mein\p{L}{0,2}|mir|ich bin|mon|ma|mes
			|mi|mis|mio|mia|miei|meu|minha|mijn|mój|moja|moje|min|mitt|мой|моя|моё|мое|у меня
			|мне|benim|मेरा|मेरी|मेरे|माझ[ाीे]|من
		)(?!\p{L})
		|我的|我|私|僕|제|내 |رقمي|اسمي|لي|שלי
	`,
	"iu",
);

/** Somebody whom a text speaks of. In code these are names of things. */
const OWNER_NOUN =
	/(?<!\p{L})(?:me|customers?|clients?|patients?|employees?|tenants?|members?|kund(?:e|in)|cliente|klient\p{L}{0,2}|клиент\p{L}{0,2}|пациент\p{L}{0,3})(?!\p{L})/iu;

const PERSON =
	/\b(?:patient|pt|he|she|his|her|wife|husband|mother|father|mom|mum|dad|son|daughter|claim|dx|year-old|yo|frau|herr|mr|mrs|ms)\b|\d{4}-\d\d-\d\d/i;

/** Code that tests: it makes up people and passwords. Numbers with check digits and keys with a provider's form count there, too. */
const TEST_CODE =
	/\bdef test_\w|@pytest\b|@(?:Before|After)?(?:Test|Each)\b|\b(?:it|test|describe)\(\s{0,4}["'`]|\bassert(?:That|Equals?|_eq!)?[ (]|\.to(?:Be|Equal|Have)\w{0,16}\(|\bfunc Test[A-Z]|\bself\.assert/;
const FIXTURE_KINDS: ReadonlySet<DataKind> = new Set(["generic_secret", "person_name", "date_of_birth", "mrn"]);
const MAX_TEST_CHARS = 600;

/** The lettered answers of an exam, to a case that is nobody's. */
const EXAM_OPTIONS = /(?:^|\s)\(?A[).:] ?[^\n]{1,160}\s{1,4}\(?B[).:] ?[^\n]{1,160}\s{1,4}\(?C[).:] ?\S/;
const CASE_KINDS: ReadonlySet<DataKind> = new Set(["diagnosis_context", "lab_result", "prescription"]);
const OF_WRITER = /\b(?:I|I['’]m|[Mm]y|[Oo]ur|me)\b/;
const MAX_CASE_CHARS = 1_600;

const CHARS_BEFORE_EXAMPLE = 160;
const CHARS_AFTER_EXAMPLE = 120;

/** The part of a text around a value, without the value, so that it presents nothing by itself. */
function readAround(text: string, start: number, end: number): string {
	const before = text.slice(Math.max(0, start - CHARS_BEFORE_EXAMPLE), start);
	return `${before} ${text.slice(end, end + CHARS_AFTER_EXAMPLE)}`;
}

/**
 * Whether a value is an example of documentation and the text presents it as one: in a test, in code, in a rule, in a question
 * about it. Alone, or as somebody's value, an example counts like any other.
 */
export function isPresentedExample(text: string, kind: DataKind, start: number, end: number): boolean {
	if (kind === "icd10") return isAskedAbout(text, start, end);
	if (CASE_KINDS.has(kind))
		return (
			EXAM_OPTIONS.test(text.slice(Math.max(0, start - MAX_CASE_CHARS), end + MAX_CASE_CHARS)) && !OF_WRITER.test(text)
		);
	if (FIXTURE_KINDS.has(kind)) {
		const around = text.slice(Math.max(0, start - MAX_TEST_CHARS), end + MAX_TEST_CHARS);
		if (TEST_CODE.test(around) && !/\b(?:prod(?:uction)?|real|live|leaked)\b/i.test(around)) return true;
	}
	// The digits of an IBAN with a wrong check are found as those of an account.
	const from =
		kind === "bank_account"
			? start - (IBAN_BEGINNING.exec(text.slice(Math.max(0, start - 36), start))?.[0].length ?? 0)
			: start;
	if (end - start > MAX_EXAMPLE_CHARS || !isDocumented(text.slice(from, end))) return false;
	const around = readAround(text, start, end);
	if (OWNER.test(around)) return false;
	if (CODE_SIGN.test(around) || TEST_CODE.test(around)) return true;
	return !OWNER_NOUN.test(around) && (EXAMPLE_WORD.test(around) || QUESTION.test(around));
}

/** Whether a text asks about a code of a diagnosis, and about nobody who has it. */
function isAskedAbout(text: string, start: number, end: number): boolean {
	const around = readAround(text, start, end);
	return (
		(QUESTION.test(around) || EXAMPLE_WORD.test(around)) &&
		!OWNER.test(around) &&
		!OWNER_NOUN.test(around) &&
		!PERSON.test(around)
	);
}
