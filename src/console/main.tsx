// The console's entry: assets, sign-in and sign-out, then the session, the page and its frame.
import { apiClient } from "./api.ts";
import { findAsset } from "./assets.ts";
import { isFromOwnPage, toOwnPath } from "./origin.ts";
import { type ConsolePage, type PageAnswer, SECTIONS } from "./page.ts";
import { CONSOLE_PAGES } from "./pages.ts";
import { documentResponse, errorDocument, plainDocument } from "./respond.tsx";
import { matchRoute } from "./routes.ts";
import type { ConsoleService, PageTaken } from "./service.ts";
import {
	findSessionCookie,
	readSession,
	renderEndedCookie,
	renderSession,
	renderSessionCookie,
	type Session,
	sessionEndsAtMs,
} from "./session.ts";
import { Layout } from "./views/layout.tsx";
import { SignIn } from "./views/sign-in.tsx";
import { countWaiting } from "./waiting.ts";

const SIGN_IN_PATH = "/console/sign-in";
const SIGN_OUT_PATH = "/console/sign-out";

const NO_FORM = new URLSearchParams();

function redirect(to: string, cookie?: string): Response {
	const headers = new Headers({ location: to, "cache-control": "no-store" });
	if (cookie !== undefined) headers.set("set-cookie", cookie);
	return new Response(null, { status: 303, headers });
}

function signInDocument(service: ConsoleService, next: string, message: string | null, status = 200): Response {
	const response = plainDocument("Sign in", <SignIn next={next} message={message} />, status);
	if (status === 429) response.headers.set("retry-after", "10");
	// Whatever session there was is over.
	response.headers.set("set-cookie", renderEndedCookie(service.isSecure));
	return response;
}

/** Begins a session with a key. A wrong one counts as a guess of its address. */
async function signIn(form: URLSearchParams, request: Request, service: ConsoleService): Promise<Response> {
	const next = toOwnPath(form.get("next"));
	const key = (form.get("key") ?? "").trim();
	if (key === "") return signInDocument(service, next, "Paste an API key: it begins with svc_sk_.", 422);
	// The second time, the key is looked up anew: this isolate may have known an earlier version of it.
	for (let attempt = 0; ; attempt++) {
		const caller = await service.identify(key);
		if (!caller.ok) return signInDocument(service, next, `${caller.message}.`, caller.status);
		const session: Session = { id: service.newSessionId(), key, ...caller.value, issuedAtMs: service.nowMs };
		const taken = await service.takePage(session);
		if (taken.state === "limited") return limitedDocument(taken, service);
		const usage = await apiClient(service, session).get("/v1/usage");
		if (usage.ok || usage.failure.status !== 401) {
			const sealed = await service.seal(renderSession(session));
			// The browser forgets the session that it had, which nobody could end after that.
			const before = await findSession(request, service);
			if (before) await service.endSession(before, sessionEndsAtMs(before));
			return redirect(next, renderSessionCookie(sealed, service.isSecure));
		}
		if (attempt > 0) return signInDocument(service, next, `${usage.failure.message}.`, 401);
	}
}

async function findSession(request: Request, service: ConsoleService): Promise<Session | null> {
	const sealed = findSessionCookie(request.headers.get("cookie"), service.isSecure);
	const text = sealed === null ? null : await service.unseal(sealed);
	return text === null ? null : readSession(text, service.nowMs);
}

/** Takes a page for the browser's session. @returns why none is shown: one that cannot be counted, or whose session cannot be checked, is not. */
async function takePage(request: Request, service: ConsoleService): Promise<Session | Response> {
	const session = await findSession(request, service);
	const taken: PageTaken = session ? await service.takePage(session) : { state: "ended" };
	if (session && taken.state === "open") return session;
	return refusePage(taken, request, service);
}

function refusePage(taken: PageTaken, request: Request, service: ConsoleService): Response {
	if (taken.state === "limited") return limitedDocument(taken, service);
	if (taken.state === "unknown")
		return errorDocument(503, "The session could not be checked.", "Try again in a moment.", service);
	return redirect(toSignIn(request), renderEndedCookie(service.isSecure));
}

/** Says that the user has opened as many pages as a minute has. The session goes on. */
function limitedDocument(
	{ message, retryAfterMs }: Extract<PageTaken, { state: "limited" }>,
	service: ConsoleService,
): Response {
	const refused = errorDocument(429, "These are too many pages for one minute.", message, service);
	refused.headers.set("retry-after", String(Math.ceil(retryAfterMs / 1_000)));
	return refused;
}

/** Ends the browser's session, so that no copy of its cookie is worth anything. Where that fails, the browser keeps it to try again. */
async function signOut(request: Request, service: ConsoleService): Promise<Response> {
	const session = await findSession(request, service);
	if (session && !(await service.endSession(session, sessionEndsAtMs(session))))
		return errorDocument(
			503,
			"You are still signed in.",
			"The session could not be ended just now; try again.",
			service,
		);
	return redirect(SIGN_IN_PATH, renderEndedCookie(service.isSecure));
}

/** Where signing in leads: to the page that was asked for; after a form, whose path is no page, to its section. */
function toNext({ url, method }: Request): string {
	const { pathname, search } = new URL(url);
	if (method === "GET") return toOwnPath(pathname + search);
	const sections = Object.values(SECTIONS).filter(({ path }) => `${pathname}/`.startsWith(`${path}/`));
	return sections.toSorted((a, b) => b.path.length - a.path.length)[0]?.path ?? SECTIONS.overview.path;
}

function toSignIn(request: Request): string {
	return `${SIGN_IN_PATH}?next=${encodeURIComponent(toNext(request))}`;
}

async function toResponse(answer: PageAnswer, session: Session, waiting: Promise<string | null>): Promise<Response> {
	if (answer.kind === "redirect") return redirect(answer.to);
	if (answer.kind === "response") return answer.response;
	return documentResponse(
		<Layout page={answer} session={session} waiting={await waiting} />,
		answer.status,
		answer.headers,
	);
}

interface MatchedPage {
	page: ConsolePage;
	params: Record<string, string>;
}

async function showPage(
	{ page, params }: MatchedPage,
	request: Request,
	form: URLSearchParams,
	service: ConsoleService,
) {
	const url = new URL(request.url);
	const session = await takePage(request, service);
	if (session instanceof Response) return session;
	// A key that only decides has nothing to see there.
	if (session.role === "approver" && page.id === "overview") return redirect(SECTIONS.waiting.path);
	const api = apiClient(service, session);
	// Read while the page is made. What a script asks for is a part of a page, which shows none.
	const isPart = request.headers.get("sec-fetch-dest") === "empty";
	const waiting = isPart ? Promise.resolve(null) : countWaiting(api);
	const answer = await page.handle({ params, query: url.searchParams, form, session, api, service });
	if (api.sessionEnd !== null)
		return signInDocument(service, toNext(request), `${api.sessionEnd}; sign in again.`, 401);
	return toResponse(answer, session, waiting);
}

/** The fields of a form; for other methods none. */
async function readForm(request: Request, service: ConsoleService): Promise<URLSearchParams | Response> {
	if (request.method !== "POST") return NO_FORM;
	if (!isFromOwnPage(request.headers, service.origin))
		return errorDocument(
			403,
			"This form did not come from the console.",
			"Open the console itself and try again.",
			service,
		);
	const text = await service.readText();
	if (!text.ok) return errorDocument(text.status, "The form could not be read.", text.message, service);
	return new URLSearchParams(text.value);
}

/** Answers a request to `/console` or below. */
export async function handleConsole(request: Request, service: ConsoleService): Promise<Response> {
	const { pathname, searchParams } = new URL(request.url);
	const method = request.method === "HEAD" ? "GET" : request.method;
	const asset = method === "GET" ? findAsset(pathname) : null;
	if (asset) return asset;
	const form = await readForm(request, service);
	if (form instanceof Response) return form;
	if (pathname === SIGN_IN_PATH) {
		service.logPage("sign_in");
		if (method === "POST") return signIn(form, request, service);
		if (method === "GET")
			return plainDocument("Sign in", <SignIn next={toOwnPath(searchParams.get("next"))} message={null} />);
	}
	if (pathname === SIGN_OUT_PATH && method === "POST") {
		service.logPage("sign_out");
		return signOut(request, service);
	}
	const found = matchRoute(CONSOLE_PAGES, method, pathname);
	if (found.kind === "page") {
		service.logPage(found.page.id);
		return showPage(found, request, form, service);
	}
	if (found.kind === "unknown" && pathname !== SIGN_IN_PATH && pathname !== SIGN_OUT_PATH)
		return errorDocument(404, "There is no such page.", "Begin at the overview.", service);
	const allow = found.kind === "method" ? found.allow : pathname === SIGN_IN_PATH ? "GET, HEAD, POST" : "POST";
	const refused = errorDocument(405, "This page does not take that method.", `It takes ${allow}.`, service);
	refused.headers.set("allow", allow);
	return refused;
}
