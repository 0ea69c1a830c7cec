// Calls the API with the session's key: the console sees and does what that key may, through the same endpoints as everybody.
import type { ConsoleService } from "./service.ts";
import type { Session } from "./session.ts";

/** Why the API refused a call. */
export interface ApiFailure {
	status: number;
	/** The API's error code. */
	code: string;
	message: string;
	requestId: string;
	/** Seconds until it is worth trying again; null where no time is named. */
	retryAfterSeconds: number | null;
	/** What is wrong with which field, where the API names any. */
	issues: readonly { path: string; message: string }[];
	/** Who had decided before, where the API names it. */
	decided?: ApiDecision;
}

/** A decision on what a run waited for. */
interface ApiDecision {
	decision: "approve" | "edit" | "reject";
	key_id: string;
	at: string;
}

export type ApiAnswer<T> = { ok: true; value: T } | { ok: false; failure: ApiFailure };

export interface Api {
	/** @param path with its query, each part encoded. */
	get<T>(path: string): Promise<ApiAnswer<T>>;
	send<T>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<ApiAnswer<T>>;
	/** The API's own response, for one that streams. */
	open(method: "GET" | "POST", path: string, body?: unknown): Promise<Response>;
	/** Why the session is over, once the API has refused its key; else null. */
	readonly sessionEnd: string | null;
}

interface ErrorBody {
	error?: string | { code?: string; message?: string };
	message?: string;
	detail?: { error?: string; message?: string };
	issues?: { path: string; message: string }[];
	/** Faults of a routing config. */
	errors?: string[];
	/** Of a decision that comes too late; null where nobody decided. */
	decided?: ApiDecision | null;
}

/** Reads an error in the forms that the API gives it: flat, or wrapped for 401 and 429. */
function toApiFailure(response: Response, body: ErrorBody | null): ApiFailure {
	const wrapped = typeof body?.error === "object" ? body.error : undefined;
	const flat = typeof body?.error === "string" ? body.error : undefined;
	const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
	return {
		status: response.status,
		code: flat ?? body?.detail?.error ?? wrapped?.code ?? `http_${response.status}`,
		message: body?.message ?? body?.detail?.message ?? wrapped?.message ?? "the service did not say why",
		requestId: response.headers.get("x-request-id") ?? "",
		retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
		issues: body?.issues ?? (body?.errors ?? []).map((message) => ({ path: "config", message })),
		...(body?.decided ? { decided: body.decided } : {}),
	};
}

/** The JSON of a response; null where it is none. */
async function readJson(response: Response): Promise<unknown> {
	try {
		return await response.json();
	} catch {
		return null;
	}
}

export function apiClient(service: ConsoleService, session: Session): Api {
	let sessionEnd: string | null = null;
	async function open(method: string, path: string, body?: unknown): Promise<Response> {
		const headers = new Headers({
			authorization: `Bearer ${session.key}`,
			// One of them is believed, by where the service runs; both say what the service itself has found out.
			"cf-connecting-ip": service.address,
			"x-forwarded-for": service.address,
			"x-forwarded-proto": service.isSecure ? "https" : "http",
		});
		if (body !== undefined) headers.set("content-type", "application/json");
		const init = { method, headers, signal: service.signal, body: body === undefined ? null : JSON.stringify(body) };
		return service.dispatch(new Request(`${service.origin}${path}`, init), session);
	}
	async function answer<T>(method: string, path: string, body?: unknown): Promise<ApiAnswer<T>> {
		const response = await open(method, path, body);
		const parsed = await readJson(response);
		// The service's own answer, which its endpoint list describes: T is its result there.
		if (response.ok) return { ok: true, value: parsed as T };
		const failure = toApiFailure(response, parsed as ErrorBody | null);
		if (failure.status === 401) sessionEnd = failure.message;
		return { ok: false, failure };
	}
	return {
		get: (path) => answer("GET", path),
		send: (method, path, body) => answer(method, path, body),
		open,
		get sessionEnd() {
			return sessionEnd;
		},
	};
}

/** The values of three answers, or the first failure among them. */
export function joinAnswers<A, B, C>(
	first: ApiAnswer<A>,
	second: ApiAnswer<B>,
	third: ApiAnswer<C>,
): ApiAnswer<readonly [A, B, C]> {
	if (!first.ok) return first;
	if (!second.ok) return second;
	if (!third.ok) return third;
	return { ok: true, value: [first.value, second.value, third.value] };
}

/** A path of the API with a query, without members that are empty. */
export function withQuery(path: string, members: Record<string, string | number | null | undefined>): string {
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries(members))
		if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
	const text = query.toString();
	return text === "" ? path : `${path}?${text}`;
}
