// The interface of the sandbox's wire formats. Faults and streams are handled once, for all of them.
import * as z from "zod";
import type { SandboxAnswer, SandboxRequest } from "./answer.ts";
import type { SandboxRefusal } from "./faults.ts";

/** A JSON object of any members. */
export const jsonFields = z.record(z.string(), z.unknown());
export type JsonFields = z.infer<typeof jsonFields>;

/** A request as it arrived. */
export interface WireRequest {
	/** First segment of the path. */
	provider: string;
	/** Second segment, `<model>:<verb>`, if the format names the model in the path. */
	modelAndVerb: string;
	/** Segments of their own, likewise. */
	modelId: string;
	verb: string;
	url: string;
	query: URLSearchParams;
	headers: Headers;
	/** Null if it is not JSON. */
	body: unknown;
	/** The body as it was sent. */
	text: string;
}

/** An error response. `message` stands in the format's error body, unless `body` replaces it. */
export class Refusal extends Error {
	status: number;
	body: Record<string, unknown> | null;
	/** The kind of error, where the status does not say it. */
	code: string | null;
	constructor(
		status: number,
		message: string,
		body: Record<string, unknown> | null = null,
		code: string | null = null,
	) {
		super(message);
		this.status = status;
		this.body = body;
		this.code = code;
	}
}

/** A valid request, and how its answer is written. */
export interface AcceptedRequest {
	request: SandboxRequest;
	/** The unstreamed body. */
	body(answer: SandboxAnswer): Record<string, unknown>;
	/** Null for an unstreamed request. */
	stream: SandboxStream | null;
}

/** A piece of a body as it is sent: text, or bytes. */
export type BodyPiece = string | Uint8Array;

interface SandboxStream {
	contentType: string;
	/** The stream's events, each as it is sent. It is called more than once per answer, and read lazily. */
	frames(answer: SandboxAnswer): Iterable<BodyPiece>;
	/** A malformed event. */
	garbage: BodyPiece;
	/** The event for a failure after the head. */
	error: BodyPiece;
	/** The format's keep-alive. */
	ping: BodyPiece;
}

export interface SandboxFormat {
	/** @throws {Refusal} for a request that an upstream would not accept. */
	read(request: WireRequest): AcceptedRequest;
	/** The body and headers of an error status. */
	failure(
		status: number,
		message: string,
		retryAfterSeconds: number | null,
		provider: string,
		code: string | null,
	): { body: Record<string, unknown>; headers: Record<string, string> };
	/** The error for a prompt that does not fit the context window. */
	overflow(provider: string): Refusal;
	/** The errors for a model, an account or a prompt that is refused. */
	refusals: Readonly<Record<SandboxRefusal, (model: string, provider: string) => Refusal>>;
	/** Status of an overloaded upstream. */
	overloaded: number;
}

/** A prompt and a context window, in tokens, as errors of overflow name them. */
export const OVERFLOW = { promptTokens: 250_000, windowTokens: 200_000 };

/** What a provider says of a prompt that it dislikes. */
export const DISLIKED = "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_SANDBOX";

/** Whether a text is in a frame such as `<system>`: instructions that come with a turn, and are no question of the user's. */
export function isFramed(text: string): boolean {
	return /^<(system(?:-reminder)?)>[\s\S]*<\/\1>\s*$/.test(text);
}

/** One server-sent event. */
export function sse(data: unknown, event?: string): string {
	return `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}
