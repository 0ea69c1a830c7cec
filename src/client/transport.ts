// Sends requests and reads answers: addresses, headers, time limits, tries, errors. Knows endpoints only by their routes.
import { spreadPairs } from "../http/pairs.ts";
import { type EndpointTypes, ROUTES } from "./endpoint-types.ts";
import { isLateError, SvcError, toSvcError } from "./errors.ts";
import { retryDelayMs } from "./retry.ts";
import { readServerEvents, type ServerEvent } from "./server-events.ts";
import type { ServiceConnection } from "./settings.ts";

/** The id of an endpoint, as the OpenAPI document has it. */
export type EndpointId = keyof EndpointTypes;
/** What an endpoint takes: `params`, `query` and `body`, as far as it has them. */
export type EndpointArguments<Id extends EndpointId> = Omit<EndpointTypes[Id], "result">;
/** What an endpoint answers. */
export type EndpointAnswer<Id extends EndpointId> = EndpointTypes[Id]["result"];

/** The body that an endpoint takes. */
export type EndpointBody<Id extends EndpointId> =
	EndpointArguments<Id> extends { body?: infer Body } ? Exclude<Body, undefined> : never;
/** The query that an endpoint takes. */
export type EndpointQuery<Id extends EndpointId> =
	EndpointArguments<Id> extends { query?: infer Query } ? Exclude<Query, undefined> : never;

/** Options of one call. */
export interface CallSettings {
	/** Stops the request and its further tries. */
	signal?: AbortSignal;
	/** Whether it may be sent again although it may have arrived. Default: whether the endpoint changes nothing by it. */
	isRepeatable?: boolean;
}

export interface TransportOptions extends ServiceConnection {
	fetch: typeof fetch;
	/** Further tries after the first. */
	maxRetries: number;
	/** Most milliseconds until the head of an answer, of each try. */
	timeoutMs: number;
	/** Sent with every request. */
	headers: Readonly<Record<string, string>>;
}

interface RequestParts {
	params?: Record<string, unknown>;
	query?: Record<string, unknown>;
	body?: unknown;
}

function toPath(path: string, params: Record<string, unknown> = {}): string {
	return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
}

function toSearch(query: Record<string, unknown> = {}): string {
	const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
	const search = new URLSearchParams(given.flatMap(([name, value]) => spreadPairs(name, value, String)));
	return given.length > 0 ? `?${search}` : "";
}

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** Why a parsed text is no answer of an endpoint whose answers have a member; null where it may be one. */
function findFault(body: unknown, member: string | undefined): string | null {
	if (typeof body !== "object" || body === null || Array.isArray(body)) return "the answer is no JSON object";
	return member === undefined || Object.hasOwn(body, member) ? null : `the answer has no ${member}`;
}

/** Waits. @throws the signal's reason when it aborts. */
export function sleepUntilAborted(ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		signal?.throwIfAborted();
		const stop = () => {
			clearTimeout(timer);
			reject(signal?.reason);
		};
		const timer = setTimeout(() => {
			signal?.removeEventListener("abort", stop);
			resolve();
		}, ms);
		signal?.addEventListener("abort", stop, { once: true });
	});
}

/** The errors of `fetch` as the client's. @throws the caller's own reason when it is the caller who stopped. */
function toConnectionError(error: unknown, origin: string, signal?: AbortSignal): SvcError {
	signal?.throwIfAborted();
	const { name, message, cause } = Object(error) as { name?: string; message?: string; cause?: { code?: string } };
	if (name === "TimeoutError")
		return new SvcError({ code: "timed_out", message: `${origin} did not answer in time`, cause: error });
	const reason = cause?.code ?? message ?? "";
	return new SvcError({ code: "connection_failed", message: `${origin} cannot be reached: ${reason}`, cause: error });
}

/** The connection to one service. */
export class Transport {
	readonly #options: TransportOptions;

	constructor(options: TransportOptions) {
		this.#options = options;
	}

	get origin(): string {
		return this.#options.origin;
	}

	#toRequest(id: EndpointId, { params, query, body }: RequestParts): [url: string, init: RequestInit] {
		const { origin, apiKey, headers } = this.#options;
		const { method, path } = ROUTES[id];
		return [
			`${origin}${toPath(path, params)}${toSearch(query)}`,
			{
				method,
				headers: {
					accept: "application/json, text/plain, text/event-stream",
					...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
					...(body === undefined ? {} : { "content-type": "application/json" }),
					...headers,
				},
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			},
		];
	}

	/** One try: a response whatever its status, or the error of the connection. The time limit ends with the head. */
	async #attempt(url: string, init: RequestInit, signal?: AbortSignal): Promise<Response | SvcError> {
		const { fetch, timeoutMs, origin } = this.#options;
		const limit = new AbortController();
		const timer = setTimeout(() => limit.abort(new DOMException("no answer in time", "TimeoutError")), timeoutMs);
		try {
			return await fetch(url, { ...init, signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal });
		} catch (error) {
			return toConnectionError(error, origin, signal);
		} finally {
			clearTimeout(timer);
		}
	}

	/** Sends a request, again where that is allowed, and returns a successful response. @throws SvcError */
	async send<Id extends EndpointId>(
		id: Id,
		given: EndpointArguments<Id>,
		settings: CallSettings = {},
	): Promise<Response> {
		const { maxRetries } = this.#options;
		const { signal, isRepeatable = ROUTES[id].isRepeatable === true } = settings;
		const [url, init] = this.#toRequest(id, given as RequestParts);
		for (let attempt = 0; ; attempt++) {
			const outcome = await this.#attempt(url, init, signal);
			if (outcome instanceof Response && outcome.ok) return outcome;
			const isAnswer = outcome instanceof Response;
			const failed = {
				status: isAnswer ? outcome.status : null,
				headers: isAnswer ? outcome.headers : null,
				attempt,
				isRepeatable,
				jitter: Math.random(),
			};
			const delayMs = attempt < maxRetries ? retryDelayMs(failed, Date.now()) : null;
			if (delayMs === null) throw isAnswer ? await this.#toError(outcome) : outcome;
			if (isAnswer) await outcome.body?.cancel();
			await sleepUntilAborted(delayMs, signal);
		}
	}

	async #toError(response: Response): Promise<SvcError> {
		const text = await response.text().catch(() => "");
		return toSvcError(parseJson(text), response.status, response.headers.get("x-request-id"));
	}

	/** A whole answer as the text that it came as. @throws SvcError */
	async text<Id extends EndpointId>(
		id: Id,
		given: EndpointArguments<Id>,
		settings: CallSettings = {},
	): Promise<string> {
		const response = await this.send(id, given, settings);
		try {
			return await response.text();
		} catch (error) {
			throw toConnectionError(error, this.origin, settings.signal);
		}
	}

	/**
	 * A whole answer.
	 * @throws SvcError also for an error that comes late in a 200, and `invalid_answer` for a 2xx that is not this endpoint's answer, as
	 * a proxy's page is not.
	 */
	async call<Id extends EndpointId>(
		id: Id,
		given: EndpointArguments<Id>,
		settings: CallSettings = {},
	): Promise<EndpointAnswer<Id>> {
		const response = await this.send(id, given, settings);
		const text = await response.text().catch((error: unknown) => {
			throw toConnectionError(error, this.origin, settings.signal);
		});
		const { status, headers } = response;
		const { member } = ROUTES[id];
		const isText = member === undefined && /^text\/(?:plain|csv)\b/.test(headers.get("content-type") ?? "");
		const body = isText ? text : parseJson(text);
		const requestId = headers.get("x-request-id");
		if (isLateError(body)) throw toSvcError(body, status, requestId);
		const fault = isText ? null : findFault(body, member);
		if (fault !== null)
			throw new SvcError({ code: "invalid_answer", message: `${this.origin}: ${fault}`, status, requestId });
		// The boundary: the types are generated from the schemas that the service answers by.
		return body as EndpointAnswer<Id>;
	}

	/** The events of a streamed answer. @throws SvcError also for a connection that breaks on the way. */
	async *events<Id extends EndpointId>(
		id: Id,
		given: EndpointArguments<Id>,
		settings: CallSettings = {},
	): AsyncGenerator<ServerEvent & { requestId: string | null }> {
		const { body, headers } = await this.send(id, given, settings);
		const requestId = headers.get("x-request-id");
		if (!body) return;
		try {
			for await (const event of readServerEvents(body)) yield { ...event, requestId };
		} catch (error) {
			throw error instanceof SvcError ? error : toConnectionError(error, this.origin, settings.signal);
		}
	}
}
