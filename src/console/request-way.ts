// The way that a request took, as steps on one line of time. Pure.

/** A call of a provider, as the API shows it. */
export interface WayAttempt {
	provider: string;
	model: string;
	status: number | null;
	error: string | null;
	started_ms: number;
	first_token_ms: number | null;
	ms: number;
}

export interface WayStep {
	kind: "admission" | "attempt" | "settlement";
	label: string;
	/** What came of it. */
	result: string;
	isFailure: boolean;
	/** From the request's arrival, ms. */
	startMs: number;
	ms: number;
	/** From the request's arrival to the first token of this step, ms; null where there is none. */
	firstTokenMs: number | null;
}

interface Way {
	steps: WayStep[];
	/** The end of the line, ms. */
	wholeMs: number;
}

function toAttemptStep(attempt: WayAttempt, nth: number, count: number): WayStep {
	const { provider, model, status, error, started_ms, first_token_ms, ms } = attempt;
	return {
		kind: "attempt",
		label: `${count > 1 ? `Call ${nth + 1}: ` : "Call: "}${model} of ${provider}`,
		result:
			error === null
				? `answered${status === null ? "" : `, ${status}`}`
				: `${error.replaceAll("_", " ")}${status === null ? "" : `, ${status}`}`,
		isFailure: error !== null,
		startMs: started_ms,
		ms,
		firstTokenMs: first_token_ms === null ? null : started_ms + first_token_ms,
	};
}

/** The steps of a request in their order. @param isBilled whether a receipt was made of it. */
export function toWay(latencyMs: number, attempts: readonly WayAttempt[], isBilled: boolean): Way {
	const calls = attempts.map((attempt, nth) => toAttemptStep(attempt, nth, attempts.length));
	const firstCallMs = Math.min(latencyMs, ...calls.map(({ startMs }) => startMs));
	const lastEndMs = Math.max(0, ...calls.map(({ startMs, ms }) => startMs + ms));
	const admission: WayStep = {
		kind: "admission",
		label: "Admission and routing",
		result: calls.length === 0 && !isBilled ? "refused" : "admitted",
		isFailure: calls.length === 0 && !isBilled,
		startMs: 0,
		ms: calls.length === 0 ? latencyMs : firstCallMs,
		firstTokenMs: null,
	};
	const settlement: WayStep = {
		kind: "settlement",
		label: "Settlement and receipt",
		result: "sealed",
		isFailure: false,
		startMs: Math.min(lastEndMs, latencyMs),
		ms: Math.max(0, latencyMs - lastEndMs),
		firstTokenMs: null,
	};
	const steps = [admission, ...calls, ...(isBilled && calls.length > 0 ? [settlement] : [])];
	return { steps, wholeMs: Math.max(1, latencyMs, lastEndMs) };
}
