// Recognises what is said of public or invented people: in news, stories and exercises, and beside words of public life.
import type { DataKind } from "./kinds.ts";
import { verbose } from "./verbose.ts";

/** A longer text has no genre: it may contain anything, however it begins. */
const MAX_STORY_CHARS = 8_192;
/** Shorter texts are no articles, plots or passages. */
const MIN_RETOLD_CHARS = 120;

/** News by its dateline or outlet, and texts that are handed over with questions about them. */
const RETOLD = new RegExp(
	verbose`
		\((?:CNN|Reuters|AP|AFP|BBC)\)|\bLast updated at \d|\bImage (?:caption|copyright)
		|\b(?:[Ff]ollowing|[Bb]elow|[Aa]bove|[Tt]his|[Gg]iven|[Tt]he|[Aa]n?|[Nn]ews|[Bb]ackground|[Nn]ew)\b[^.\n]{0,24}\b(?:
			articles?|passages?|plot|paragraphs?|movie|film|story|background|situation|wikipedia|encyclop\p{L}{2,6}
		)\b
		|(?:^|\n)(?:Article|Passage|Context|Background|Movie plot|Title|Options|Question) ?:
	`,
	"u",
);

/** The question of a word problem, and the fewest numbers of one. */
const SUM_QUESTION =
	/\bhow (?:many|much|old|long|far|tall|fast)\b(?! (?:can|could|should|do|would|will|may|must|did) (?:i|we)\b| (?:of my|is my))[^.\n]{1,120}\?/i;
const MIN_SUM_NUMBERS = 3;

function isWordProblem(text: string): boolean {
	return SUM_QUESTION.test(text) && (text.match(/\d[\d.,]{0,20}/g) ?? []).length >= MIN_SUM_NUMBERS;
}

/** Whether a text retells what is public or invented. */
export function isStory(text: string): boolean {
	if (text.length > MAX_STORY_CHARS) return false;
	return (text.length >= MIN_RETOLD_CHARS && RETOLD.test(text)) || isWordProblem(text);
}

/** Words of public life. What is said of somebody beside them is known to everybody. */
const PUBLIC_LIFE = new RegExp(
	verbose`
		\b(?:
			the press|newspapers?|tabloids?|the media|fans|famous|celebrit(?:y|ies)|public figures?|biograph(?:y|ies|er)|memoirs?
			|wikipedia|nobel|oscar|grammy|emmy|singers?|actors?|actress(?:es)?|film|movie|album|band|rock star|pop star|musicians?
			|composers?|painters?|poets?|novelists?|author of|playwrights?|physicists?|philosophers?|mathematicians?|astronauts?
			|presidents?|presidency|prime minister|chancellor|senators?|king|queen|emperors?|empress|pope|dynasty|general secretary
			|footballers?|strikers?|midfielders?|defenders?|goalkeepers?|batsm[ae]n|championships?|tournament|spokes(?:man|woman|person)
			|reporters|quarterback|olympic\w{0,2}|world champion|tennis player|historians?|history of|century|first lady
		)\b
		|знаменит|певиц|певец|актёр|актер|актрис|президент|писател|поэт|композитор|歌手|演员|演員|作家|总统|皇帝|俳優|首相|가수|배우|대통령|작가|ممثل|مغني|رئيس|شاعر|गायक|अभिनेता|राष्ट्रपति|लेखक|şarkıcı|oyuncu|cumhurbaşkanı
		|\b(?:sänger(?:in)?|schauspieler(?:in)?|bundeskanzler(?:in)?|dichter|maler|chanteu(?:r|se)|acteur|actrice|peintre|écrivain|président|cantante|actor|actriz|pintor|escritora?|presidente|attore|attrice|pittore|scrittore|ator|atriz|zanger(?:es)?|schrijver|aktor(?:ka)?|pisarz|piosenkar(?:z|ka)|prezydent)\b
	`,
	"iu",
);

/** What is said of somebody rather than known by a number. */
const SAID_KINDS: ReadonlySet<DataKind> = new Set([
	"diagnosis_context",
	"prescription",
	"lab_result",
	"date_of_birth",
	"person_name",
	"salary_context",
	"credit_context",
]);

/** Records, and people whom the writer knows. Beside them a statement is about somebody, whatever the text is. */
const OF_RECORD = new RegExp(
	verbose`
		\b(?:
			patients?|pt|mrn|dob|nhs|record (?:no|number)|referral|discharge|claimant|insured|policy (?:no|number)|employee|payroll
			|applicant|borrower|account holder|dear|regards|prescri\w{1,6}|\d{1,4} ?(?:mg|mcg|µg|ml)|date of birth|birth ?date|born \d
			|i(?:['’]m|['’]ve)?|my|our|we
			|(?:his|her|their) (?:wife|husband|mother|father|mom|mum|dad|son|daughter|brother|sister|baby|child|aunt|uncle)(?:['’]s)? (?:is|was|has|had|takes)
		)\b
		|\b(?:bp|hr|temp|spo2|phq-?9|gad-?7|mmse|score):? ?\d
	`,
	"i",
);
/** Somebody named in full of whom something is said. */
const NAMED_SUBJECT =
	/(?<!\p{L})\p{Lu}\p{Ll}[\p{L}'’-]{1,20} \p{Lu}\p{Ll}[\p{L}'’-]{1,22},? (?:\p{Ll}{2,12} )?(?:was|is|has|had|takes|took|suffers|suffered|underwent)(?!\p{L})[^.\n]{0,120}$/u;

/** Programs and their parts: what is said of their health is a figure of speech. */
const SOFTWARE =
	/\b(?:functions?|methods?|variables?|modules?|classes|compiler|parser|scripts?|servers?|databases?|queries|query|apis?|endpoints?|builds?|pipelines?|code|codebase|bugs?|commits?|deploys?|deployments?|containers?|clusters?|backend|frontend|framework|library|laptop|pc|computer|printer|router|app|website)\b/;

const SENTENCE_END = /[.!?](?=\s)|\n/;
const CHARS_AROUND = 160;

/** What the surroundings of a place say. Places of one bucket share it, so that a list of names costs no more than prose. */
interface Surroundings {
	readonly isRecord: boolean;
	readonly isPublicLife: boolean;
	readonly isSoftware: boolean;
}

const BUCKET_CHARS = 64;

function readSurroundings(text: string, bucket: number): Surroundings {
	const from = bucket * BUCKET_CHARS;
	const around = text.slice(Math.max(0, from - CHARS_AROUND), from + BUCKET_CHARS + CHARS_AROUND);
	return {
		isRecord: OF_RECORD.test(around),
		isPublicLife: PUBLIC_LIFE.test(around),
		isSoftware: SOFTWARE.test(around),
	};
}

/** Whether the sentence of a finding has a word of public life. */
function isInPublicSentence(text: string, start: number, end: number): boolean {
	const before = text
		.slice(Math.max(0, start - CHARS_AROUND), start)
		.split(SENTENCE_END)
		.at(-1);
	return PUBLIC_LIFE.test(`${before} ${text.slice(end, end + CHARS_AROUND).split(SENTENCE_END)[0]}`);
}

/** Whether a finding in one text is about a public or invented person, or about a program. */
type PublicKnowledgeRule = (kind: DataKind, start: number, end: number) => boolean;

/**
 * The rule for one text. It lowers what is merely said of somebody; it never overrides a name, a record, a drug that somebody
 * takes, or the writer's own people.
 */
export function createPublicKnowledgeRule(text: string): PublicKnowledgeRule {
	const story = isStory(text);
	let lastBucket = -1;
	let surroundings: Surroundings = { isRecord: false, isPublicLife: false, isSoftware: false };
	return (kind, start, end) => {
		if (!SAID_KINDS.has(kind)) return false;
		const bucket = Math.floor(start / BUCKET_CHARS);
		if (bucket !== lastBucket) surroundings = readSurroundings(text, bucket);
		lastBucket = bucket;
		const { isRecord, isPublicLife, isSoftware } = surroundings;
		if (isRecord || !(story || isPublicLife || isSoftware)) return false;
		if (kind === "diagnosis_context" && isSoftware) return true;
		if (isPublicLife && isInPublicSentence(text, start, end)) return true;
		return (story || isPublicLife) && !NAMED_SUBJECT.test(text.slice(Math.max(0, start - CHARS_AROUND), start));
	};
}
