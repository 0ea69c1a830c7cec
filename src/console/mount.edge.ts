// Mounts the console, whose module is loaded on first use. The console has nothing but what is handed to it here.
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Context, Hono } from "hono";
import { describeWait } from "../account/admission.edge.ts";
import { authenticate } from "../account/auth.edge.ts";
import type { ServiceContext } from "../account/context.ts";
import { Seal } from "../durable/text-seal.edge.ts";
import type { Failure } from "../failure.ts";
import { readBodyText, takeBodyTicket } from "../http/body.edge.ts";
import { addressOwner, isSecure } from "../http/deployment.ts";
import { toHttpFailure } from "../http/errors.ts";
import { logError } from "../http/log.edge.ts";
import type { RequestState } from "../http/respond.edge.ts";
import { PAGES_PER_MINUTE, type PageVerdict } from "../meter/meter-calls.ts";
import { fromBase64, toBase64 } from "../proof/signing.ts";
import type { ConsoleModule, ConsoleService, PageTaken } from "./service.ts";

const SESSION_NAME = "session";
const SESSION_ID_BYTES = 16;

/** Seals by pepper, which one isolate has one of but in tests. */
const seals = new Map<string, Seal>();

function sessionSeal(keyPepper: string): Seal {
	const known = seals.get(keyPepper);
	if (known) return known;
	const seal = Seal.ofPepper(keyPepper, "svc.console.v1");
	seals.set(keyPepper, seal);
	return seal;
}

function toRefusal(failure: Failure, requestId: string) {
	const { status } = toHttpFailure(failure, undefined, requestId);
	return { ok: false as const, status, message: "message" in failure ? String(failure.message) : failure.reason };
}

function toPageTaken(verdict: PageVerdict): PageTaken {
	if (verdict.taken) return { state: "open" };
	if (verdict.reason === "session_ended") return { state: "ended" };
	const { retryAfterMs } = verdict;
	const message = `A minute has ${PAGES_PER_MINUTE} pages of the console for each user. Try again in ${describeWait(retryAfterMs)}.`;
	return { state: "limited", message, retryAfterMs };
}

function toBase64Url(bytes: Uint8Array): string {
	return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The bytes of base64url without padding; null for other text. */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
	const base64 = text.replaceAll("-", "+").replaceAll("_", "/");
	return fromBase64(base64.padEnd(Math.ceil(base64.length / 4) * 4, "="));
}

function lendService(c: Context<RequestState<ServiceContext>>): ConsoleService {
	const context = c.get("context");
	const { settings, requestId } = context;
	const request = c.req.raw;
	return {
		origin: context.origin,
		isSecure: isSecure(new URL(request.url), request.headers, settings.deployment),
		address: context.address,
		nowMs: context.startedAtMs,
		requestId,
		signal: context.signal,
		async identify(key) {
			const caller = await authenticate({ ...context, headers: new Headers({ authorization: `Bearer ${key}` }) });
			if (!caller.ok) return toRefusal(caller.failure, requestId);
			const { userId, keyId, key: grant } = caller.value;
			return { ok: true, value: { userId, keyId, keyVersion: grant.version, role: grant.role } };
		},
		dispatch: (call, { id, keyVersion }) => context.dispatch(call, { id, keyVersion }),
		async takePage({ id, userId }) {
			try {
				return toPageTaken(await context.meter(userId).takePage(id));
			} catch (error) {
				logError("session_unchecked", error);
				return { state: "unknown" };
			}
		},
		async endSession({ id, userId }, endsAtMs) {
			try {
				await context.meter(userId).endSession(id, endsAtMs);
				return true;
			} catch (error) {
				logError("session_not_ended", error);
				return false;
			}
		},
		newSessionId: () => bytesToHex(crypto.getRandomValues(new Uint8Array(SESSION_ID_BYTES))),
		async readText() {
			const limitBytes = settings.maxBodyBytes;
			const ticket = takeBodyTicket(request, addressOwner(context.address), limitBytes);
			if (!ticket.ok) return toRefusal(ticket.failure, requestId);
			const text = await readBodyText(request, limitBytes, ticket.value);
			ticket.value.release();
			return text.ok ? text : toRefusal(text.failure, requestId);
		},
		async seal(text) {
			return toBase64Url(await sessionSeal(settings.keyPepper).seal(SESSION_NAME, text));
		},
		async unseal(sealed) {
			const bytes = fromBase64Url(sealed);
			return bytes && sessionSeal(settings.keyPepper).open(SESSION_NAME, bytes);
		},
		logPage(id) {
			context.log.endpoint = `console:${id}`;
		},
	};
}

/** Mounts the console at `/console` and below. @param load its module. */
export function mountConsole(app: Hono<RequestState<ServiceContext>>, load: () => Promise<ConsoleModule>): void {
	const answer = async (c: Context<RequestState<ServiceContext>>) =>
		(await load()).handleConsole(c.req.raw, lendService(c));
	app.all("/console", answer);
	app.all("/console/*", answer);
}
