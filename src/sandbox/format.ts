// What a wire format of the sandbox has to offer, so that faults and streams are handled once for all of them.
import type { SandboxAnswer, SandboxRequest } from "./answer.ts";

/** A request as it came in. */
export interface WireRequest {
	/** First segment of the path. */
	provider: string;
	/** Second part of the path where the format names the model there: `<model>:<verb>`. */
	modelAndVerb: string;
	query: URLSearchParams;
	headers: Headers;
	/** Null when it is not JSON. */
	body: unknown;
}

/** An error answer: `message` in the format's own body, unless the format has a special body for it. */
export class Refusal extends Error {
	status: number;
	body: Record<string, unknown> | null;
	constructor(status: number, message: string, body: Record<string, unknown> | null = null) {
		super(message);
		this.status = status;
		this.body = body;
	}
}

/** A request that was accepted, and how its answer is written. */
export interface AcceptedRequest {
	asked: SandboxRequest;
	/** The unstreamed body. */
	body(answer: SandboxAnswer): Record<string, unknown>;
	/** Null for an unstreamed request. Called more than once per answer, and lazily read. */
	stream: SandboxStream | null;
}

export interface SandboxStream {
	contentType: string;
	/** The stream's events, each as it goes over the wire. */
	frames(answer: SandboxAnswer): Iterable<string>;
	/** An event that is not what it should be. */
	garbage: string;
	/** The event for a failure after the head. */
	error: string;
	/** What the format says in a long silence. */
	ping: string;
}

export interface SandboxFormat {
	/** @throws {Refusal} for what an upstream would not accept. */
	read(request: WireRequest): AcceptedRequest;
	/** The body and headers of an error status. */
	failure(
		status: number,
		message: string,
		retryAfterSeconds: number | null,
		provider: string,
	): { body: Record<string, unknown>; headers: Record<string, string> };
	/** Status of an overloaded upstream. */
	overloaded: number;
}

/** One server-sent event. */
export function sse(data: unknown, event?: string): string {
	return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}
