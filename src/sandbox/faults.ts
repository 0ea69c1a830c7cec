// Special words in a prompt that make the sandbox misbehave: `[[status 429 retry-after 2]]`, `[[slow 500]]`, `[[cut]]` and others.

export interface Faults {
	/** Answer with this error status. */
	status: number | null;
	retryAfterSeconds: number | null;
	/** Wait before answering. */
	slowMs: number;
	/** Break off in the middle of the body. */
	cut: boolean;
	/** Status 200 and a body that is not JSON. */
	garbage: boolean;
	/** Finished, and nothing said. */
	empty: boolean;
	/** Report more usage than the request allowed. */
	overrun: boolean;
	/** Report no usage. */
	noUsage: boolean;
}

/** Longest wait a prompt can ask for. */
const MAX_SLOW_MS = 120_000;

/** Reads the faults a prompt asks for. */
export function faultsIn(prompt: string): Faults {
	const words = [...prompt.matchAll(/\[\[([^\]]{1,80})\]\]/g)].map((match) => (match[1] ?? "").trim().toLowerCase());
	const number = (pattern: RegExp) => {
		const found = words.map((word) => pattern.exec(word)?.[1]).find((digits) => digits !== undefined);
		return found === undefined ? null : Number(found);
	};
	return {
		status: number(/^status (\d{3})\b/),
		retryAfterSeconds: number(/\bretry-after (\d{1,5})\b/),
		slowMs: Math.min(MAX_SLOW_MS, number(/^slow (\d{1,6})$/) ?? 0),
		cut: words.includes("cut"),
		garbage: words.includes("garbage"),
		empty: words.includes("empty"),
		overrun: words.includes("overrun"),
		noUsage: words.includes("no usage"),
	};
}
