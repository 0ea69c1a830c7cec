// Reads a JSON body within its limit, and refuses values that later stages could not hash, store or recurse into.
import { type Failure, fail, type Issue, ok, type Result } from "../failure.ts";
import { withDeadline } from "../in-time.edge.ts";
import { isJsonObject } from "../json.ts";
import { runSteps, type Steps } from "../turns/steps.ts";
import { BODY_LIMITS, type BodyTicket, BodyTickets } from "./body-tickets.ts";
import { findExcess, MAX_JSON_DEPTH, pathText } from "./json-shape.ts";

/**
 * A refused body is read up to this before the answer. A client that is still sending would see a reset connection instead of
 * the answer: Python's urllib always, Node's fetch one time in three. Beyond this limit, it does.
 */
const MAX_DRAIN_BYTES = 33_554_432;
const MAX_DRAIN_MS = 5_000;
/** A client that sends nothing for this long is waiting for the answer. */
const MAX_DRAIN_PAUSE_MS = 1_000;

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;
type BodyPiece = Awaited<ReturnType<BodyReader["read"]>>;

/** Pieces of a body are joined by so many, because each takes memory of its own: a body may come byte by byte. */
const JOINED_PIECES = 1_024;
/** A busy isolate may see that a body is overdue before it sees the bytes that arrived long ago. Waited for once. */
const BUSY_MS = 250;

/** The bodies under way in this isolate. */
const tickets = new BodyTickets();

function invalidJson(message: string): { ok: false; failure: Failure } {
	return fail({ reason: "invalid_json", message });
}

/** Reads the rest of a body and discards it, within limits of bytes and time. */
async function drain(reader: BodyReader): Promise<void> {
	const endsAtMs = Date.now() + MAX_DRAIN_MS;
	try {
		for (let drainedBytes = 0; drainedBytes < MAX_DRAIN_BYTES; ) {
			const next = await withDeadline(reader.read(), Math.min(MAX_DRAIN_PAUSE_MS, endsAtMs - Date.now()), () => null);
			if (next === null || next.done) break;
			drainedBytes += next.value.byteLength;
		}
		await reader.cancel();
	} catch {
		// A client that has left does not wait for an answer.
	}
}

/**
 * Reads the rest of a request's body, mostly of a refused one. Over HTTP/1.1, an unread body closes the connection after the
 * answer, and the next request that the client sends on it is lost.
 */
export async function drainBody(request: Request): Promise<void> {
	if (request.body && !request.bodyUsed) await drain(request.body.getReader());
}

/** A piece of text; null for bytes that are not valid UTF-8. Without bytes, null when the text must not end here. */
function decodePiece(decoder: TextDecoder, chunk?: Uint8Array): string | null {
	try {
		return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
	} catch {
		return null;
	}
}

/** The Content-Length of a request; 0 where it has none. */
function declaredBytes({ headers }: Request): number {
	return Number(headers.get("content-length")) || 0;
}

/**
 * A ticket for a request's body, before anything of it is read. It is given back when the client hangs up; otherwise the caller
 * must release it.
 * @param owner the user or the address whose body it is.
 * @returns 413 for a body that is declared to be over the limit, 429 or 503 where too much is under way.
 */
export function takeBodyTicket(request: Request, owner: string, limitBytes: number): Result<BodyTicket> {
	const bytes = declaredBytes(request);
	if (bytes > limitBytes) return fail({ reason: "request_too_large", limitBytes });
	const ticket = tickets.take(owner, bytes, Date.now());
	// A Worker's request may end without its `finally` when the client resets the connection.
	if (ticket.ok) request.signal.addEventListener("abort", () => ticket.value.release(), { once: true });
	return ticket;
}

/** The next piece of a body. @returns the refusal of a body that is too slow, or that finds no place while it is slow. */
async function readPiece(reader: BodyReader, ticket: BodyTicket, hasWaited: () => boolean): Promise<Result<BodyPiece>> {
	const reading = reader.read();
	for (;;) {
		const piece = await withDeadline(reading, ticket.nextLookMs - Date.now(), () => null);
		if (piece) return ok(piece);
		const looked = ticket.look(Date.now());
		if (!looked.ok) return looked;
		if (Date.now() < ticket.dueAtMs) continue;
		const late = hasWaited() ? null : await withDeadline(reading, BUSY_MS, () => null);
		const { bytesPerSecond, silenceMs } = BODY_LIMITS;
		return late ? ok(late) : fail({ reason: "body_too_slow", bytesPerSecond, silenceMs });
	}
}

/** Reads text until it ends or a failure is certain. The caller drains the rest of the body. */
async function readPieces(reader: BodyReader, limitBytes: number, ticket: BodyTicket): Promise<Result<string>> {
	const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
	const joined: string[] = [];
	let pieces: string[] = [];
	let length = 0;
	let waits = 0;
	for (;;) {
		const next = await readPiece(reader, ticket, () => waits++ > 0);
		if (!next.ok) return next;
		const { done, value } = next.value;
		length += value?.byteLength ?? 0;
		if (length > limitBytes) return fail({ reason: "request_too_large", limitBytes });
		const piece = decodePiece(decoder, value);
		if (piece === null) return invalidJson("the request body is not valid UTF-8");
		pieces.push(piece);
		if (pieces.length === JOINED_PIECES || done) {
			joined.push(pieces.join(""));
			pieces = [];
		}
		if (done) return ok(joined.join(""));
		const advanced = ticket.advance(length, Date.now());
		if (!advanced.ok) return advanced;
	}
}

/**
 * Reads a body of at most `limitBytes` as text, with or without Content-Length. Each piece is decoded as it arrives, so the
 * bytes are never held beside the text. The ticket stays with the caller.
 */
export async function readBodyText(request: Request, limitBytes: number, ticket: BodyTicket): Promise<Result<string>> {
	const reader: BodyReader | undefined = request.body?.getReader();
	const text = reader ? await readPieces(reader, limitBytes, ticket) : ok("");
	if (reader && !text.ok) {
		// What was read is thrown away, and so is the rest.
		ticket.release();
		await drain(reader);
	}
	ticket.finish(Date.now());
	return text;
}

/** The steps from a value to an unfit one inside it, last step first, and what is wrong with that. */
interface UnfitValue {
	steps: (string | number)[];
	message: string;
}

function findLeafFault(value: unknown): UnfitValue | null {
	if (typeof value === "string" && !value.isWellFormed())
		return { steps: [], message: "holds a lone surrogate, which is not valid Unicode" };
	if (typeof value === "number" && !Number.isFinite(value)) return { steps: [], message: "is too large for a number" };
	return null;
}

/** The fault of a container's child, seen from the container. */
function findFaultBelow(child: unknown, step: string | number, depth: number): UnfitValue | null {
	const fault = findFaultIn(child, depth + 1);
	fault?.steps.push(step);
	return fault;
}

function findFaultIn(value: unknown, depth: number): UnfitValue | null {
	if (!Array.isArray(value) && !isJsonObject(value)) return findLeafFault(value);
	if (depth === MAX_JSON_DEPTH) return { steps: [], message: `nests deeper than ${MAX_JSON_DEPTH} levels` };
	// Without Object.entries, whose list would take several times the memory of the container.
	if (Array.isArray(value)) {
		for (let index = 0; index < value.length; index++) {
			const fault = findFaultBelow(value[index], index, depth);
			if (fault) return fault;
		}
		return null;
	}
	for (const key of Object.keys(value)) {
		if (!key.isWellFormed()) return { steps: [], message: "has a key with a lone surrogate" };
		const fault = findFaultBelow(value[key], key, depth);
		if (fault) return fault;
	}
	return null;
}

/**
 * Finds the first value in parsed JSON that canonical JSON cannot represent or that nests too deeply. The recursion is at most
 * MAX_JSON_DEPTH deep.
 */
export function findUnrepresentable(root: unknown): Issue | null {
	const fault = findFaultIn(root, 0);
	return fault && { path: pathText(fault.steps.toReversed()), message: fault.message };
}

/**
 * A body's text as parsed JSON. The parser's messages quote the body, so clients do not get them.
 * @param parse throws for what is no JSON.
 */
export function* parseBodyInSteps(text: string, parse: (text: string) => unknown = JSON.parse): Steps<Result<unknown>> {
	const excess = findExcess(text);
	if (excess) return fail({ reason: "invalid_request", issues: [excess] });
	yield text.length;
	let value: unknown;
	try {
		value = parse(text);
	} catch {
		return invalidJson("the request body is not valid JSON");
	}
	yield text.length;
	const issue = findUnrepresentable(value);
	return issue ? fail({ reason: "invalid_request", issues: [issue] }) : ok(value);
}

/**
 * Reads, decodes and parses a JSON body.
 * @param isOptional an empty body counts as `{}`.
 * @param parse runs the parser over a text.
 */
export async function readJsonBody(
	request: Request,
	limitBytes: number,
	ticket: BodyTicket,
	isOptional = false,
	parse: (text: string) => Result<unknown> | Promise<Result<unknown>> = (text) => runSteps(parseBodyInSteps(text)),
): Promise<Result<unknown>> {
	const text = await readBodyText(request, limitBytes, ticket);
	if (!text.ok) return text;
	if (text.value === "")
		return isOptional ? ok({}) : invalidJson("the request body is empty; a JSON object is expected");
	return parse(text.value);
}
