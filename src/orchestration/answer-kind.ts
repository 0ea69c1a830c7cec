// Reads from prompt and signals what answers a task can have: one that can be compared, several parts, or an open text.
// The intents decide first; the prompt's shape only refines them. How answers are read is final-answer.ts's. Pure.
import type { Intent } from "../catalog/vocabulary.ts";
import type { Signals } from "../routing/signals.ts";
import { HARD } from "./confidence.ts";
import type { AnswerKind } from "./final-answer.ts";
import type { Task } from "./strategy.ts";

/** What is read of a prompt's signals here. */
export type TaskSignals = Pick<Signals, "intents" | "probabilities" | "difficulty" | "level" | "facts">;

/** The work of these intents is a text or a program: nothing in it is the one answer. */
const OPEN_WORK: readonly Intent[] = ["code", "translation", "text", "creative"];
/** From this probability on, an intent is certain, whatever the prompt's shape is. */
const CERTAIN = 0.5;
/** From this probability on, the intents of open work together make a vote on a final answer doubtful. */
const DOUBTFUL = 0.15;

const CHOICE_LINES = /^[ \t]*\(?([A-J])(?:[.):]\s+|[、．）：]\s*)\S/gm;
const ASKS_NUMBER =
	/\b(?:calculate|compute|evaluate|what (?:is|are) (?:the )?(?:sum|product|total|value|probability|percentage|percent|average|mean|area|volume|difference|ratio)|solve for|find the (?:value|sum|number|total))\b|\d\s?[+*/×÷^]\s?\d/i;
/** "How many" in several languages. */
const HOW_MANY =
	/\bhow (?:many|much|far|long|old|tall|fast|deep)\b|(?<!\p{L})(?:wie ?(?:viele?|oft|hoch|alt|weit|lange?)|combien|cuánt[oa]s?|quanti|quante|quant[oa]s|hoeveel|hur många|сколько|скільки)(?!\p{L})|多少|几个|几只|幾個|いくつ|いくら|何[人個本枚円]|몇|얼마/iu;
/** The words that a question for one name, date or place begins with. */
const ONE_FACT =
	/(?<!\p{L})(?:who(?:se)? (?!should|would|could)|when (?:did|was|were|is|does)|where (?:is|was|were)|which (?!of |is better|are|would|should)|(?:in|on) (?:which|what) |what (?:is|was) (?:the |its |his |her )?(?:\p{L}+ ){0,2}(?:capital|name|population|symbol|point|height|length|speed|currency|language|number|formula|temperature|distance|largest|smallest|tallest|longest|highest|oldest|first|last|next|date|year|age|colou?r)(?!\p{L})|what (?:colou?r|year|day|time|number)|wer |wann |welche[nmrs]? |wie heißt |qui (?:a|est|était) |quand |quelle? (?:est|était) |en quelle? |¿?(?:quién|cuándo|dónde|cuál es|en qué año) |chi (?:ha|è|era) |quem |qual é |wie (?:is|was) de |wanneer |кто |когда |в каком )|谁|哪一?年|什么时候|誰|いつ|どこ/iu;
const YES_OR_NO = /\byes or no\b|\btrue or false\b|\bja oder nein\b|\boui ou non\b|\bsí o no\b|是或否/i;
/** What is shown, explained or weighed has no short answer. */
const ASKS_TEXT =
	/(?<!\p{L})(?:prove|proof|show that|explain|describe|discuss|derive|justify|analy[sz]e|compare|why|beweise|zeige|erkläre|begründe|warum|démontre[rz]?|montre[rz]?|explique[rz]?|pourquoi|demuestra|muestra|explica|por qué|dimostra|spiega|perché|докажи|объясни|почему)(?!\p{L})|证明|解释|为什么|証明|説明/iu;
/** Two sides are weighed, which gains from several views. */
const WEIGHS =
	/(?<!\p{L})(?:pros (?:and|&|\/) cons|(?:dis)?advantages|vor- und nachteile|vor und nachteile|avantages|inconvénients|ventajas|desventajas|vantaggi|svantaggi|vantagens|voor- en nadelen|плюсы|преимущества)(?!\p{L})|优缺点|利弊|メリット/iu;

/** A numbered part that begins within a line. */
const INLINE_ITEM = /(?<=[.;:,!?]) (?:and )?(?=(?:\d{1,2}[.)]|\([a-h]\)) )/g;
const ITEM = /^[ \t]*(?:\d{1,2}[.)]|\(?[a-h]\)|[-*•])[ \t]+(\S.*)$/;
const QUESTION_END = /[?？](?=\s|$)/g;
/** A shorter question belongs to the one before it. */
const MIN_QUESTION_CHARS = 15;
/** A line before a list that makes requests of its items. */
const LEAD =
	/(?<!\p{L})(?:questions?|tasks|things|each|need|work out|solve|fragen|aufgaben|brauche|preguntas|tareas|domande|perguntas|vragen|вопросы)(?!\p{L})|问题|質問/iu;
const REQUEST =
	/^(?:explain|describe|give|list|compare|summari[sz]e|write|name|define|suggest|draft|plan|tell|discuss|outline|find|show|what|why|how|who|when|where|erkläre|beschreibe|nenne|vergleiche|schreibe|was|warum|wie|explique|décris|donne|compare|explica|describe|da)(?!\p{L})/iu;
/** A longer question brings a document with it. */
const MAX_QUESTION_CHARS = 2_000;

/** Questions of a sentence's length. */
function countQuestions(prompt: string): number {
	const ends = [...prompt.matchAll(QUESTION_END)].map(({ index }) => index);
	return ends.filter((end, at) => end - (ends[at - 1] ?? -1) > MIN_QUESTION_CHARS).length;
}

/** Whether the prompt lists requests or asks several questions. The items of a document are no requests. */
function hasParts(prompt: string, { intents: [top = "chat"], probabilities }: TaskSignals): boolean {
	if (OPEN_WORK.includes(top) && probabilities[top] >= CERTAIN) return false;
	const lines = prompt.replace(INLINE_ITEM, "\n").split("\n");
	const items = lines.flatMap((line) => ITEM.exec(line)?.[1] ?? []);
	if (items.length >= 2) {
		const lead = lines
			.slice(
				0,
				lines.findIndex((line) => ITEM.test(line)),
			)
			.join("\n");
		const requests = items.filter((item) => /[?？]$/.test(item.trimEnd()) || REQUEST.test(item));
		return LEAD.test(lead) || requests.length * 2 > items.length;
	}
	const isTalk = top === "factual" || top === "advice" || top === "reasoning";
	return isTalk && prompt.length <= MAX_QUESTION_CHARS && countQuestions(prompt) >= 2;
}

/** Short questions in one line are answered together: nobody splits "Who was Ada Lovelace? And what did she write?". */
const MAX_LINE_CHARS = 300;

function isOneLine(prompt: string): boolean {
	return prompt.length <= MAX_LINE_CHARS && !/\n|(?:^|\s)(?:1[.)]|\(a\))\s/.test(prompt.trim());
}

/** Whether the prompt ends in choices that begin with letters. */
function offersChoices(prompt: string): boolean {
	const found = [...prompt.matchAll(CHOICE_LINES)];
	const letters = new Set(found.map(([, letter]) => letter));
	const last = prompt.slice(found.at(-1)?.index ?? 0);
	return letters.has("A") && letters.has("B") && last.trim().split("\n").length <= 2;
}

/** The last sentences of a prompt, where the question is. */
function lastSentences(prompt: string): string {
	return prompt
		.split(/(?<=[.!?。？])\s+|\n+/)
		.filter((sentence) => sentence.trim() !== "")
		.slice(-2)
		.join(" ");
}

/**
 * The kind of answer that a prompt asks for: `none` unless it asks for one short answer that can be compared.
 * @param isVote the client wants a vote: then only programs and texts have no such answer.
 */
export function detectAnswerKind(prompt: string, signals: TaskSignals, isVote = false): AnswerKind {
	const kind = readKind(prompt, signals);
	const [top = "chat"] = signals.intents;
	return kind === "none" && isVote && !OPEN_WORK.includes(top) && !signals.facts.asksForJson ? "any" : kind;
}

function readKind(prompt: string, signals: TaskSignals): AnswerKind {
	const { intents, probabilities, facts } = signals;
	const [top = "chat"] = intents;
	if (facts.asksForJson || ["translation", "text", "creative"].includes(top)) return "none";
	if (offersChoices(prompt)) return "choice";
	if (intents.some((intent) => OPEN_WORK.includes(intent)) || prompt.length > MAX_QUESTION_CHARS) return "none";
	if (OPEN_WORK.reduce((sum, intent) => sum + probabilities[intent], 0) >= DOUBTFUL) return "none";
	const asked = lastSentences(prompt);
	if (ASKS_TEXT.test(asked) || WEIGHS.test(prompt) || hasParts(prompt, signals)) return "none";
	if (top === "math") {
		if (HOW_MANY.test(asked) || ASKS_NUMBER.test(prompt)) return "number";
		return probabilities.math >= CERTAIN || ONE_FACT.test(asked) ? "any" : "none";
	}
	if (top !== "factual" && top !== "reasoning") return "none";
	if (HOW_MANY.test(asked)) return "number";
	return ONE_FACT.test(asked) || YES_OR_NO.test(asked) ? "any" : "none";
}

/** A proof is wanted, in several languages. */
const ASKS_PROOF =
	/(?<!\p{L})(?:prove|proof|show that|derive|beweise?|zeige,? dass|démontre[rz]?|prouve[rz]?|demuestr[ae]|demonstr[ae]|dimostra(?:re)?|udowodnij|докажи(?:те)?)(?!\p{L})|证明|證明|証明/iu;

/**
 * What a prompt demands. It is as hard as the router expects, from 1 to 3, and no less than HARD where it calls the prompt hard, or where a
 * text must argue: a proof, mathematics, reasoning. Such a prompt may be as short as "prove it", so that its expected difficulty says
 * little. A hard one without a short answer needs a text.
 */
export function readDemand(prompt: string, signals: Signals): Pick<Task, "difficulty" | "needsText"> {
	const { intents, difficulty, expectedDifficulty } = signals;
	const isText = readKind(prompt, signals) === "none";
	const isArgued = intents.includes("math") || intents[0] === "reasoning" || ASKS_PROOF.test(prompt);
	const isHard = difficulty === "hard" || (isText && isArgued);
	return {
		difficulty: isHard ? Math.max(HARD, expectedDifficulty) : expectedDifficulty,
		needsText: isText && (isHard || expectedDifficulty >= HARD),
	};
}

/** What the planner knows of a prompt. */
export interface PromptTraits {
	/** The prompt's main intent. */
	intent: Intent;
	kind: AnswerKind;
	/** Small talk, a well-known fact or a phrase to translate: one cheap model does it. */
	isSimple: boolean;
	/** Nothing in it needs more than the least that its policy does. */
	isTrivial: boolean;
	/** It has two or more parts that are worth answering one by one. */
	hasParts: boolean;
	/** Two sides are weighed. */
	weighs: boolean;
}

/** A phrase of at most this many characters is simple to translate. */
const PHRASE_CHARS = 60;

/** Reads everything that the choice of a strategy depends on. */
export function readTraits(prompt: string, signals: TaskSignals): PromptTraits {
	const { intents, difficulty, level, facts } = signals;
	const [top = "chat"] = intents;
	const kind = detectAnswerKind(prompt, signals);
	const isTrivialTalk = difficulty === "trivial" && (top === "chat" || kind !== "none");
	const isPhrase = top === "translation" && level === 1 && facts.chars <= PHRASE_CHARS;
	// A program that computes something is read as both.
	const intent = top === "math" && intents.includes("code") ? "code" : top;
	const isSimple = isTrivialTalk || isPhrase;
	return {
		...{ intent, kind, isSimple, isTrivial: isSimple || difficulty === "trivial", weighs: WEIGHS.test(prompt) },
		hasParts: kind === "none" && !isOneLine(prompt) && hasParts(prompt, signals),
	};
}
