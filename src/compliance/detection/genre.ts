// Tells texts that are published, set as an exercise or played from what is said of somebody; what follows is decided elsewhere.

/** What a text is besides what it says; a text may be several of these or none. */
export interface Genre {
	/** News, an entry of an encyclopaedia, the plot of a film. */
	readonly isPublished: boolean;
	/** A sum, a question with choices, a passage with questions. */
	readonly isExercise: boolean;
	/** A part to play, an invented person. */
	readonly isPlayed: boolean;
}

/** A longer text may hold anything, whatever it begins with. */
const MAX_GENRE_CHARS = 8_192;
/** Shorter texts are no articles. */
const MIN_PUBLISHED_CHARS = 280;

const NONE: Genre = { isPublished: false, isExercise: false, isPlayed: false };

/** "ROME, Italy (CNN) --" */
const DATELINE = /(?:^|\n|: ?|\. )[A-Z][A-Z .'-]{2,24}(?:, [A-Z][A-Za-z. ]{2,24})?,? \([A-Z][\w. ]{1,24}\) ?(?:--|—|–)/;
const OUTLETS =
	/\bLast updated at \d|\bImage (?:caption|copyright)|\bMedia (?:caption|playback)|\b(?:Associated Press|CNN|Reuters|BBC|AFP|Sky Sports|Daily Mail|Press Association|news agency|newspaper|press conference|reporters|spokes(?:man|woman|person)|Wikipedia)\b/;
/** Actors behind the names of their parts. */
const CAST = /\((?:\p{Lu}[\p{L}.'’-]{0,20} ){1,2}\p{Lu}[\p{L}'’-]{1,20}\)/gu;
const REPORTED = /\b(?:said|says|told|added|announced|claimed|according to|argued|wrote|insisted)\b/g;
const PUBLIC_MATTERS =
	/\b(?:prime minister|president|presidential|senators?|congress|parliament|ministers?|ministry|government|elections?|prosecutors?|convicted|sentenced|police|officials?|court|judge|troops|soldiers?|embassy|refugees?|campaign(?:ers)?|league|cup|championships?|season|midfielder|striker|defender|winger|quarterback|squad|coach|manager|wickets?|innings|grand prix|golf\p{L}{0,3}|tournament|coaching|teammates?|team-mates?|charity|studio|starred|film|movie|directed|sequel|episode|album|band|novel|emperor|king|dynasty|born)\b/gu;
const ANNOUNCED =
	/\b(?:summari[sz]e|summary of|read|given|based on|according to|following|above|below|this|of the|use the|from an?|the)\b[^.\n]{0,24}\b(?:articles?|passages?|plot|paragraphs?|movie|film|news|story|wikipedia|encyclop\p{L}{2,6}|reading)\b|\bHighlights:/iu;
/** What somebody writes who writes of one person and not for many. */
const OF_ONE =
	/\b(?:patient|patientin|paciente|paziente|pt|mrn|dob|nhs (?:number|no)|referral|discharge summary|claim(?:ant| number)|policy (?:number|no))\b(?!s)|\b(?:dear|kind regards|best regards|sincerely)\b/i;

/** Choices, in the order of the alphabet: "(A) … (B) …", and "A. … B. …" in lines. */
const CHOICES =
	/\(A\)[^\n]{1,200}\(B\)|(?:^|\n| )A[.):] ?[^\n]{1,200}\s{1,3}B[.):] ?\S|(?:^|\n)- ?\S[^\n]{0,80}\n- ?\S/;
const IS_CHOICE = /\bwhich\b|\bwhat\b|\bwho\b|\bchoose\b|\bselect\b|\boptions?\b|\bchoices\b|\banswer\b|\bsensical\b/i;
const SET =
	/\bnew situation\b|\b(?:given|and) (?:a|the|this) situation\b|\b(?:background|hint) ?(?:about|:)|\bHaving read\b|\b(?:choose|select) (?:the|between|from|one)\b|\banswer (?:the|this|these) (?:following )?questions?\b|\banswer for the question\b|\bQuestion:|\bwhich of the following\b|\bPassage:|\busing only the text\b|\bquestion about the\b|\bgiven the (?:above|paragraph|passage|text)\b|\bincrease or (?:will it )?decrease\b/i;
/** Asked of somebody who is told of, not of the one who asks. */
const SUM_ASKED =
	/\bhow (?:many|much|old|long|far|tall|fast)\b(?! (?:can|could|should|do|would|will|may|must|did) (?:i|we)\b| (?:of my|is my))[^.\n]{1,120}\?|\bwhat (?:is|was|are|were|will be) (?:the )?(?:[\p{L}'’-]{1,14} ){0,4}(?:percent(?:age)?|fraction|total|ratio|average|probability|cost|sum|difference in|number of|amount)\b|\bwhat (?:percent(?:age)?|fraction|portion)\b|\bin terms of\b[^.\n]{0,40}\$|\bfind the (?:total|number|value|amount|percent\p{L}{0,5}|sum|difference)\b|\\(?:frac|dfrac|text|cdot|times|\$)|\$[^$\n]{0,40}[\\^_={}][^$\n]{0,60}\$|\b(?:twice|three times|half) as (?:much|many|long)\b|\b\d{1,2}\/\d{1,2} of (?:the|his|her|their)\b/iu;

const PLAYED =
	/^\W{0,3}(?:imagine|role-?play(?:ing)?|pretend|let['’]s pretend|act as|play the (?:role|part))\b|\b(?:fictional|role-?play|guardian angel|in the style of|main character|kingdom|dungeon|wizard|once upon a time)\b|\bimagine (?:that )?you\b|\byou are (?:a |an |the )?(?:famous|renowned|legendary|fictional|character|famed)\b/i;

function distinct(text: string, words: RegExp): number {
	return new Set(text.toLowerCase().match(words)).size;
}

function isPublished(text: string): boolean {
	if (text.length < MIN_PUBLISHED_CHARS) return false;
	if (DATELINE.test(text)) return true;
	if (OF_ONE.test(text)) return false;
	const signs = [
		OUTLETS.test(text),
		(text.match(CAST) ?? []).length >= 2,
		(text.match(REPORTED) ?? []).length >= 3,
		distinct(text, PUBLIC_MATTERS) >= 2,
		distinct(text, PUBLIC_MATTERS) >= 4,
		ANNOUNCED.test(text),
	];
	return signs.filter(Boolean).length >= 2;
}

function isExercise(text: string): boolean {
	return SET.test(text) || SUM_ASKED.test(text) || (CHOICES.test(text) && IS_CHOICE.test(text));
}

/** The genre of a text; one of more than 8,192 characters has none. Time grows with its length. */
export function genreOf(text: string): Genre {
	if (text.length > MAX_GENRE_CHARS) return NONE;
	return { isPublished: isPublished(text), isExercise: isExercise(text), isPlayed: PLAYED.test(text) };
}
