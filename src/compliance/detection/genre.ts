// Recognises published texts, exercises and role-play, which are about nobody in particular. What follows from that is decided elsewhere.
import { verbose } from "./verbose.ts";

/** What sort of text it is: several of these, or none. */
export interface Genre {
	/** News, an encyclopaedia entry, the plot of a film. */
	readonly isPublished: boolean;
	/** A word problem, a multiple-choice question, a passage with questions. */
	readonly isExercise: boolean;
	/** A role to play, an invented person. */
	readonly isPlayed: boolean;
}

/** A longer text has no genre: it may contain anything, however it begins. */
const MAX_GENRE_CHARS = 8_192;
/** Shorter texts are not articles. */
const MIN_PUBLISHED_CHARS = 280;

const NO_GENRE: Genre = { isPublished: false, isExercise: false, isPlayed: false };

/** "ROME, Italy (CNN) --" */
const DATELINE = /(?:^|\n|: ?|\. )[A-Z][A-Z .'-]{2,24}(?:, [A-Z][A-Za-z. ]{2,24})?,? \([A-Z][\w. ]{1,24}\) ?(?:--|—|–)/;
const NEWS_OUTLET = new RegExp(verbose`
	\bLast updated at \d
	|\bImage (?:caption|copyright)
	|\bMedia (?:caption|playback)
	|\b(?:
		Associated Press|CNN|Reuters|BBC|AFP|Sky Sports|Daily Mail|Press Association|news agency|newspaper
		|press conference|reporters|spokes(?:man|woman|person)|Wikipedia
	)\b
`);
/** An actor after the name of a role. */
const CAST = /\((?:\p{Lu}[\p{L}.'’-]{0,20} ){1,2}\p{Lu}[\p{L}'’-]{1,20}\)/gu;
const REPORTING_VERB = /\b(?:said|says|told|added|announced|claimed|according to|argued|wrote|insisted)\b/g;
const PUBLIC_MATTERS = new RegExp(
	verbose`
		\b(?:
			prime minister|president|presidential|senators?|congress|parliament|ministers?|ministry|government|elections?
			|troops|soldiers?|embassy|refugees?|campaign(?:ers)?|premier league|world cup|championships?|season|midfielder
			|striker|defender|winger|quarterback|squad|wickets?|innings|grand prix|golf\p{L}{0,3}|tournament|teammates?
			|team-mates?|studio|starred|directed|sequel|episode|album|novel|emperor|dynasty
		)\b
	`,
	"gu",
);
const ARTICLE_MENTION = new RegExp(
	verbose`
		\b(?:
			summari[sz]e|summary of|read|given|based on|according to|following|above|below|this|of the|use the|from an?|the
		)\b[^.\n]{0,24}\b(?:articles?|passages?|plot|paragraphs?|movie|film|news|story|wikipedia|encyclop\p{L}{2,6}|reading)\b
	`,
	"iu",
);
/** Words of records and letters, which concern one person and are not published. */
const RECORD_WORD = new RegExp(
	verbose`
		\b(?:
			patient|patientin|paciente|paziente|pt|mrn|dob|nhs (?:number|no)|referral|discharge summary|claimant|the insured
			|adjuster|claim number|policy (?:number|no)|payroll|payslip|applicant|borrower|policyholder|account holder
			|employee
		)\b(?!s)
		|\b(?:dear|kind regards|best regards|sincerely)\b
	`,
	"i",
);
/** What the writer says about themselves or people close to them. */
const WRITER_OWN = new RegExp(verbose`
	\b(?:[Mm]y|[Oo]ur) (?:[\w-]{2,12} ){0,2}(?:
		mother|father|m[ou]m|dad|parents?|wife|husband|spouse|son|daughter|brother|sister|partner|child|kids?|baby|toddler
		|aunt|uncle|cousin|niece|nephew|gran\w{0,10}|girlfriend|boyfriend|fianc[eé]e?|ex|friend|neighbou?r|boss|colleague
		|co-?worker|hire|intern|employee|assistant|client|customer|tenant|student|doctor|gp|therapist|salary|pay|income
		|wages?|pension|mortgage|loan|debts?|blood|heart|back|knee|head|chest|symptoms?|diagnosis|medication|medicine
		|period|surgery
	)\b
	|\bI(?:
		['’](?:m|ve|d) | (?:am|was|had|take|took|got|saw|feel|felt|suffer|earn|owe|make|live|can['’]t|cannot) | have (?!
			a (?:new|question|situation|doubt|story|problem)\b|to\b|been given|this|the|some
			|an? (?:article|passage|paragraph|document|text)\b
		)
	)
`);
/** A quotation is not the writer's own statement. */
const QUOTATION = /["“][^"“”\n]{0,600}["”]/g;

/** Choices by letter. Initials of names look the same, but are not in alphabetical order. */
const CHOICE_MARKS = [/(?:^|\s)A[.):]\s?\S/, /(?:^|\s)B[.):]\s?\S/, /(?:^|\s)C[.):]\s?\S/] as const;
const CHOICE_PROMPT = /\?|\b(?:which|choose|select|answer|options?|choices)\b/i;
/** Wording of exercises only. */
const EXERCISE_WORDING =
	/\bnew situation\b|\b(?:given|and) (?:a|the|this) situation\b|\bhint ?:|\bHaving read\b|\busing only the text\b|\b(?:in|de)crease or (?:will )?(?:it )?(?:will )?(?:in|de)crease\b/i;
/** Wording of exercises, and of shorter texts that ask about a matter of the writer. */
const QUESTION_WORDING = new RegExp(
	verbose`
		\b(?:background|hint) (?:about|knowledge|paragraph|passage)
		|\b(?:choose|select) (?:the|between|from|one)\b
		|\bquestion about the\b
		|\b(?:OPTIONS|Choices|Options):
		|\bwho (?:has|had|is|was|will|would)\b[^.\n]{1,60}\?
	`,
	"i",
);
const MIN_QUESTION_CHARS = 200;
/** A word problem has at least this many numbers. */
const MIN_NUMBERS = 3;
const NUMBER = /\d[\d.,]{0,20}|\b(?:twice|half|two|three|four|five|six|seven|eight|nine|ten|third|quarter|double)\b/gi;

/** The question of a word problem: about the people in it, not about the writer. */
const SUM_QUESTION = new RegExp(
	verbose`
		\bhow (?:many|much|old|long|far|tall|fast)\b(?!
			 (?:can|could|should|do|would|will|may|must|did) (?:i|we)\b| (?:of my|is my)
		)[^.\n]{1,120}\?
		|\bwhat (?:is|was|are|were|will be) (?:the )?(?:[\p{L}'’-]{1,14} ){0,4}(?:
			percent(?:age)?|fraction|total|ratio|average|probability|cost|sum|difference in|number of|amount
		)\b
		|\bwhat (?:percent(?:age)?|fraction|portion)\b
		|\bfind the (?:total|number|value|amount|percent\p{L}{0,5}|sum|difference)\b
		|\\(?:frac|dfrac|text|cdot|times|\$)
		|\$[^$\n]{0,40}[\\^_={}][^$\n]{0,60}\$
		|\b(?:twice|three times|half) as (?:much|many|long)\b
		|\b\d{1,2}\/\d{1,2} of (?:the|his|her|their)\b
	`,
	"iu",
);

const ROLE_PLAY = new RegExp(
	verbose`
		^\W{0,3}(?:imagine|role-?play(?:ing)?|pretend|let['’]s pretend|act as|play the (?:role|part))\b
		|\b(?:fictional|role-?play|in the style of|main character|kingdom|dungeon|wizard|once upon a time)\b
		|\bimagine (?:that )?you\b
		|\byou are (?:a |an |the )?(?:famous|renowned|legendary|fictional|character|famed)\b
	`,
	"i",
);

function countDistinct(text: string, words: RegExp): number {
	return new Set(text.toLowerCase().match(words)).size;
}

function isPublished(text: string): boolean {
	if (text.length < MIN_PUBLISHED_CHARS) return false;
	const matters = countDistinct(text, PUBLIC_MATTERS);
	const signs = [NEWS_OUTLET.test(text), (text.match(CAST) ?? []).length >= 2, matters >= 2, matters >= 4].filter(
		Boolean,
	);
	if (signs.length === 0 || signs.length >= 2) return signs.length > 0;
	return ARTICLE_MENTION.test(text) || (text.match(REPORTING_VERB) ?? []).length >= 3;
}

/** Whether a text has choices in alphabetical order: two in brackets, or three otherwise. */
function hasChoices(text: string): boolean {
	if (!CHOICE_PROMPT.test(text)) return false;
	const bracketed = text.indexOf("(A)");
	if (bracketed >= 0 && text.indexOf("(B)", bracketed) > 0) return true;
	let rest = text;
	for (const choice of CHOICE_MARKS) {
		const at = rest.search(choice);
		if (at < 0) return false;
		rest = rest.slice(at + 2);
	}
	return true;
}

function isExercise(text: string): boolean {
	if (hasChoices(text)) return true;
	if (text.length >= MIN_QUESTION_CHARS && QUESTION_WORDING.test(text)) return true;
	return SUM_QUESTION.test(text) && (text.match(NUMBER) ?? []).length >= MIN_NUMBERS;
}

/** The genre of a text; none if it is longer than 8,192 characters. Time grows linearly with its length. */
export function detectGenre(text: string): Genre {
	if (text.length > MAX_GENRE_CHARS) return NO_GENRE;
	const isPlayed = ROLE_PLAY.test(text);
	if (DATELINE.test(text)) return { isPublished: true, isExercise: isExercise(text), isPlayed };
	const isOwn = RECORD_WORD.test(text) || WRITER_OWN.test(text.replace(QUOTATION, ""));
	return {
		isPublished: !isOwn && isPublished(text),
		isExercise: EXERCISE_WORDING.test(text) || (!isOwn && isExercise(text)),
		isPlayed,
	};
}
