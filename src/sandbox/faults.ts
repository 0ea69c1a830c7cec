// Special words in a prompt that make the sandbox misbehave.
//
//   [[status 429 retry-after 2]]   an error status, with a wait in the format's own place
//   [[slow 500]]                   so many ms before the head
//   [[think 500]]                  so many ms between the head and the first word
//   [[drip 50]]                    so many ms before each later piece of the body
//   [[stall 500]]                  so many ms in the middle of the body
//   [[ping 100]]                   a sign of life this often in all waits after the head
//   [[cut]] [[garbage]] [[error]]  in the middle: the connection breaks, something unreadable comes, the format's own error
//   [[empty]] [[long 300]]         an answer of nothing, of so many words
//   [[overrun]] [[no usage]] [[cached 40]]   more usage than was allowed, none, so many tokens from a cache
//
// `[[word @provider]]` counts at that provider only; `[[fail provider]]` is its status 503. Waits are at most two minutes each.

export interface SandboxFaults {
	/** Answer with this error status. */
	status: number | null;
	retryAfterSeconds: number | null;
	/** Wait before answering. */
	slowMs: number;
	/** Wait between the head and the body. */
	thinkMs: number;
	/** Wait before each piece of the body but the first. */
	dripMs: number;
	/** Wait in the middle of the body. */
	stallMs: number;
	/** A sign of life this often in waits after the head; 0 is none. */
	pingMs: number;
	/** Break off in the middle of the body. */
	cut: boolean;
	/** An event in the middle of the stream that is not JSON; unstreamed, status 200 and a body that is not JSON. */
	garbage: boolean;
	/** The format's own error event in the middle of the stream; unstreamed, the same error as a status. */
	error: boolean;
	/** Finished, and nothing said. */
	empty: boolean;
	/** Report more usage than the request allowed. */
	overrun: boolean;
	/** Report no usage. */
	noUsage: boolean;
	/** Length of the answer in words; 0 leaves it as it is. */
	longWords: number;
	/** Prompt tokens that are reported as read from a cache. */
	cachedTokens: number;
}

/** Longest wait a prompt can ask for. */
const MAX_WAIT_MS = 120_000;

/** Longest answer a prompt can ask for. */
const MAX_LONG_WORDS = 200_000;

/** The words in double brackets that count at a provider. */
function findWords(prompt: string, provider: string): string[] {
	return [...prompt.matchAll(/\[\[([^\]]{1,80})\]\]/g)]
		.map((match) => (match[1] ?? "").trim().toLowerCase())
		.map((word) => word.replace(/^fail (\S+)$/, "status 503 @$1"))
		.map((word) => /^(.*?)(?:\s+@(\S+))?$/.exec(word))
		.filter((match) => match?.[2] === undefined || match[2] === provider)
		.map((match) => match?.[1] ?? "");
}

/** Reads the faults a prompt asks of a provider. */
export function parseFaults(prompt: string, provider: string): SandboxFaults {
	const words = findWords(prompt, provider);
	const number = (pattern: RegExp) => {
		const found = words.map((word) => pattern.exec(word)?.[1]).find((digits) => digits !== undefined);
		return found === undefined ? null : Number(found);
	};
	const waitMs = (word: string) => Math.min(MAX_WAIT_MS, number(new RegExp(`^${word} (\\d{1,6})$`)) ?? 0);
	return {
		status: number(/^status ([3-5]\d{2})\b/),
		retryAfterSeconds: number(/\bretry-after (\d{1,5})\b/),
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
		longWords: Math.min(MAX_LONG_WORDS, number(/^long (\d{1,6})$/) ?? 0),
		cachedTokens: number(/^cached (\d{1,6})$/) ?? 0,
	};
}
