// Special words in a prompt that make the sandbox misbehave. What the words mean for an answer is answer.ts's and stream.ts's.
//
//   [[status 429 retry-after 2]]   an error status, with a wait where the format states it
//   [[overflow]]                   the format's error for a prompt beyond the context window
//   [[unserved]] [[forbidden]]     the format's errors for a model that is not served, for an account without permission
//   [[disliked]]                   a 403 for a prompt that the provider dislikes, as xAI words it
//   [[slow 500]]                   wait so many ms before the head
//   [[think 500]]                  wait so many ms between the head and the first word
//   [[drip 50]]                    wait so many ms before each later piece of the body
//   [[stall 500]]                  wait so many ms in the middle of the body
//   [[ping 100]]                   a keep-alive this often during all waits after the head
//   [[cut]] [[garbage]] [[error]]  in the middle: a broken connection, something unreadable, the format's error event
//   [[empty]] [[long 300]]         an empty answer, one of so many words
//   [[unwilling]] [[filtered]]     a refusal in words, and one by the format's own sign
//   [[toolless]]                   a refusal for want of access
//   [[echo]] [[blank]]             the prompt again, and invisible characters
//   [[overloaded]] [[thinking]]    an error message as text, and reasoning in tags that never ends
//   [[loose json]] [[unfit json]]  prose where JSON is asked for, and JSON that fits no schema. In the system message: in a repair, too
//   [[overrun]] [[no usage]] [[cached 40]]   more usage than allowed, no usage, so many cached prompt tokens
//
//   [[one short]] [[merged]]       of vectors, results or ranks: one too few, only one for all inputs
//   [[short vectors]] [[shuffled]] vectors with a number too few; in another order than the inputs, by their index
//
// Words for what is no answer may name the stage of a workflow or the kind of a run's step: `[[unwilling aggregate]]`,
// `[[unwilling final]]`, `[[unwilling subtask 2]]`.
// `[[word @provider]]` holds for that provider only; `[[fail provider]]` is its status 503. A wait takes at most two minutes.

/** What the sandbox refuses, in the words of the providers. */
export const REFUSALS = ["unserved", "forbidden", "disliked"] as const;
export type SandboxRefusal = (typeof REFUSALS)[number];

/** What the sandbox says instead of an answer. */
const INSTEAD = ["unwilling", "filtered", "toolless", "echo", "blank", "overloaded", "thinking"] as const;
const UNFIT_JSON = ["loose json", "unfit json"] as const;

export interface SandboxFaults {
	/** What is said instead of an answer; at a stage, or at all of them. */
	instead: { word: (typeof INSTEAD)[number]; stage: string | null }[];
	/** What is written where JSON is asked for. */
	unfitJson: (typeof UNFIT_JSON)[number] | null;
	/** Answer with this error status. */
	status: number | null;
	retryAfterSeconds: number | null;
	/** Answer that the prompt does not fit the context window. */
	overflow: boolean;
	/** Answer with a refusal of the model, of the account or of the prompt. */
	refusal: SandboxRefusal | null;
	/** Wait before answering. */
	slowMs: number;
	/** Wait between the head and the body. */
	thinkMs: number;
	/** Wait before each piece of the body but the first. */
	dripMs: number;
	/** Wait in the middle of the body. */
	stallMs: number;
	/** A keep-alive this often during waits after the head; 0 is none. */
	pingMs: number;
	/** Break off in the middle of the body. */
	cut: boolean;
	/** An event in the middle of the stream is not JSON. Unstreamed: status 200 and a body that is not JSON. */
	garbage: boolean;
	/** The format's error event in the middle of the stream. Unstreamed: the same error as a status. */
	error: boolean;
	/** An empty answer. */
	empty: boolean;
	/** Report more usage than the request allowed. */
	overrun: boolean;
	/** Report no usage. */
	noUsage: boolean;
	/** One vector, result or rank is missing; or there is one for all inputs. */
	oneShort: boolean;
	merged: boolean;
	/** Vectors have a number too few. */
	shortVectors: boolean;
	/** Vectors stand in another order, each with its index. */
	shuffled: boolean;
	/** Length of the answer in words; 0 for the usual one. */
	longWords: number;
	/** Prompt tokens reported as cached. */
	cachedTokens: number;
}

/** Longest wait a prompt can ask for. */
const MAX_WAIT_MS = 120_000;

/** Longest answer a prompt can ask for. */
const MAX_LONG_WORDS = 200_000;

/** The words in double brackets that hold for a provider. */
function findWords(prompt: string, provider: string): string[] {
	return [...prompt.matchAll(/\[\[([^\]]{1,80})\]\]/g)]
		.map((match) => (match[1] ?? "").trim().toLowerCase())
		.map((word) => word.replace(/^fail (\S+)$/, "status 503 @$1"))
		.map((word) => /^(.*?)(?:\s+@(\S+))?$/.exec(word))
		.filter((match) => match?.[2] === undefined || match[2] === provider)
		.map((match) => match?.[1] ?? "");
}

/** Reads the faults that a prompt asks for at a provider. @param systemText says what holds for later turns as well. */
export function parseFaults(prompt: string, provider: string, systemText = ""): SandboxFaults {
	const words = findWords(prompt, provider);
	const standing = findWords(systemText, provider);
	const number = (pattern: RegExp) => {
		const found = words.map((word) => pattern.exec(word)?.[1]).find((digits) => digits !== undefined);
		return found === undefined ? null : Number(found);
	};
	const waitMs = (word: string) => Math.min(MAX_WAIT_MS, number(new RegExp(`^${word} (\\d{1,6})$`)) ?? 0);
	const instead = words.flatMap((said) => {
		const [name, ...at] = said.split(" ");
		const word = INSTEAD.find((one) => one === name);
		return word ? [{ word, stage: at.length === 0 ? null : at.join(" ") }] : [];
	});
	return {
		instead,
		unfitJson: UNFIT_JSON.find((word) => words.includes(word) || standing.includes(word)) ?? null,
		status: number(/^status ([3-5]\d{2})\b/),
		retryAfterSeconds: number(/\bretry-after (\d{1,5})\b/),
		overflow: words.includes("overflow"),
		refusal: REFUSALS.find((word) => words.includes(word)) ?? null,
		slowMs: waitMs("slow"),
		thinkMs: waitMs("think"),
		dripMs: waitMs("drip"),
		stallMs: waitMs("stall"),
		pingMs: waitMs("ping"),
		cut: words.includes("cut"),
		garbage: words.includes("garbage"),
		error: words.includes("error"),
		empty: words.includes("empty"),
		overrun: words.includes("overrun"),
		noUsage: words.includes("no usage"),
		oneShort: words.includes("one short"),
		merged: words.includes("merged"),
		shortVectors: words.includes("short vectors"),
		shuffled: words.includes("shuffled"),
		longWords: Math.min(MAX_LONG_WORDS, number(/^long (\d{1,6})$/) ?? 0),
		cachedTokens: number(/^cached (\d{1,6})$/) ?? 0,
	};
}
