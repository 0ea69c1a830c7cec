// What is asked of a meter about its user's sessions, and what it answers. Pure.
import type { NumberRange } from "./request-number.ts";

/** A page of sessions. */
export interface SessionsQuery {
	/** Only sessions whose newest request arrived then or later, ms since the epoch. */
	sinceMs: number;
	/** Only sessions whose newest request arrived before this time. */
	beforeMs: number;
	/** Requests of these API keys; null for all. */
	apiKeyIds: readonly string[] | null;
	limit: number;
}

/** Sessions by their newest requests. */
export interface SessionHeads {
	/** Latest first. */
	sessions: string[];
	/** All sessions of later times are among them; null where all are. */
	readToMs: number | null;
}

/** What the requests of a session come to. */
export interface SessionRequests {
	sessionId: string;
	/** That were billed, runs included. */
	requests: number;
	/** Runs among them. */
	runs: number;
	/** That got no answer and cost nothing. */
	failed: number;
	costNanoUsd: number;
	tokens: number;
	/** When the first one that counts arrived, ms since the epoch. */
	firstMs: number;
	lastMs: number;
	/** It has more requests than are counted: the newest are. */
	isCut: boolean;
}

/** What a meter's requests of sessions come to, and where others are. */
export interface HeldSessionRequests {
	sums: SessionRequests[];
	/** Archives that may have others, with numbers of this range: those outside of it are none, or are counted here. */
	archives: number[];
	archived: NumberRange;
}

/** The sums of one session from several stores, none of which has requests of another. */
export function addSessionRequests(parts: readonly SessionRequests[]): SessionRequests[] {
	const bySession = Map.groupBy(parts, ({ sessionId }) => sessionId);
	return [...bySession].map(([sessionId, same]) => ({
		sessionId,
		requests: same.reduce((sum, { requests }) => sum + requests, 0),
		runs: same.reduce((sum, { runs }) => sum + runs, 0),
		failed: same.reduce((sum, { failed }) => sum + failed, 0),
		costNanoUsd: same.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0),
		tokens: same.reduce((sum, { tokens }) => sum + tokens, 0),
		firstMs: Math.min(...same.map(({ firstMs }) => firstMs)),
		lastMs: Math.max(...same.map(({ lastMs }) => lastMs)),
		isCut: same.some(({ isCut }) => isCut),
	}));
}
