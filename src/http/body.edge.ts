// Reads a JSON body within its limit and refuses what no later stage could hash, store or recurse into.
import { type Failure, fail, type Issue, ok, type Result } from "../failure.ts";
import { inTime } from "../in-time.edge.ts";
import { findExcess, MAX_JSON_DEPTH, pathText } from "./json-shape.ts";

/**
 * What is taken of a body that nobody wants before it is answered. Who is still sending sees a reset connection instead of
 * the answer: Python's urllib always, Node's fetch one time in three. Beyond it, a reset is what they get.
 */
const MAX_DRAIN_BYTES = 33_554_432;
const MAX_DRAIN_MS = 5_000;
/** Who sends nothing for so long waits for the answer. */
const MAX_DRAIN_PAUSE_MS = 1_000;

type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

function invalidJson(message: string): { ok: false; failure: Failure } {
	return fail({ reason: "invalid_json", message });
}

/** Takes the rest of a body and throws it away, within bounds of bytes and time. */
async function drain(reader: BodyReader): Promise<void> {
	const endsAtMs = Date.now() + MAX_DRAIN_MS;
	try {
		for (let takenBytes = 0; takenBytes < MAX_DRAIN_BYTES; ) {
			const next = await inTime(reader.read(), Math.min(MAX_DRAIN_PAUSE_MS, endsAtMs - Date.now()), () => null);
			if (next === null || next.done) break;
			takenBytes += next.value.byteLength;
		}
		await reader.cancel();
	} catch {
		// A client that left does not wait for an answer either.
	}
}

/**
 * Takes what nobody has read of a request, a refused one's mostly. Over HTTP/1.1 the connection of a request whose body was
 * left unread is closed behind its answer, and whatever a client that keeps connections sends on it next is lost.
 */
export async function drainBody(request: Request): Promise<void> {
	if (request.body && !request.bodyUsed) await drain(request.body.getReader());
}

/** A piece of text, or null where the bytes are not valid UTF-8; without bytes, whether the text may end here. */
function decodePiece(decoder: TextDecoder, chunk?: Uint8Array): string | null {
	try {
		return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
	} catch {
		return null;
	}
}

/** Reads text until it ends or a failure is certain; the rest of the body is the caller's to take. */
async function readPieces(reader: BodyReader, limitBytes: number): Promise<Result<string>> {
	const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
	const pieces: string[] = [];
	let length = 0;
	for (;;) {
		const next = await reader.read();
		length += next.value?.byteLength ?? 0;
		if (length > limitBytes) return fail({ reason: "request_too_large", limitBytes });
		const piece = decodePiece(decoder, next.value);
		if (piece === null) return invalidJson("the request body is not valid UTF-8");
		pieces.push(piece);
		if (next.done) return ok(pieces.join(""));
	}
}

/**
 * Reads a body of at most `limitBytes` as text, with or without Content-Length. Each piece is decoded as it comes, so that
 * the bytes are never held beside the text.
 */
async function readText(request: Request, limitBytes: number): Promise<Result<string>> {
	if (Number(request.headers.get("content-length")) > limitBytes) {
		await drainBody(request);
		return fail({ reason: "request_too_large", limitBytes });
	}
	const reader: BodyReader | undefined = request.body?.getReader();
	const text = reader ? await readPieces(reader, limitBytes) : ok("");
	if (reader && !text.ok) await drain(reader);
	return text.ok && text.value === "" ? invalidJson("the request body is empty; a JSON object is expected") : text;
}

/** Steps from a value to the one at fault, last first, and what is wrong with it. */
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

/** A fault of a container's child, seen from the container. */
function findFaultBelow(child: unknown, step: string | number, depth: number): UnfitValue | null {
	const fault = findFaultIn(child, depth + 1);
	fault?.steps.push(step);
	return fault;
}

function findFaultIn(value: unknown, depth: number): UnfitValue | null {
	if (typeof value !== "object" || value === null) return findLeafFault(value);
	if (depth === MAX_JSON_DEPTH) return { steps: [], message: `nests deeper than ${MAX_JSON_DEPTH} levels` };
	// In place: a list of entries would take several times what the container takes.
	if (Array.isArray(value)) {
		for (let index = 0; index < value.length; index++) {
			const fault = findFaultBelow(value[index], index, depth);
			if (fault) return fault;
		}
		return null;
	}
	for (const key of Object.keys(value)) {
		if (!key.isWellFormed()) return { steps: [], message: "has a key with a lone surrogate" };
		const fault = findFaultBelow((value as Record<string, unknown>)[key], key, depth);
		if (fault) return fault;
	}
	return null;
}

/**
 * Finds the first thing in parsed JSON that canonical JSON cannot represent or that nests too deeply. Holds one frame a
 * level, of which there are at most MAX_JSON_DEPTH, whatever there is to be walked.
 */
export function findUnrepresentable(root: unknown): Issue | null {
	const fault = findFaultIn(root, 0);
	return fault && { path: pathText(fault.steps.toReversed()), message: fault.message };
}

/** Reads, decodes and parses a JSON body. The parser's own messages quote the body, so they are not passed on. */
export async function readJsonBody(request: Request, limitBytes: number): Promise<Result<unknown>> {
	const text = await readText(request, limitBytes);
	if (!text.ok) return text;
	const excess = findExcess(text.value);
	if (excess) return fail({ reason: "invalid_request", issues: [excess] });
	let value: unknown;
	try {
		value = JSON.parse(text.value);
	} catch {
		return invalidJson("the request body is not valid JSON");
	}
	const issue = findUnrepresentable(value);
	return issue ? fail({ reason: "invalid_request", issues: [issue] }) : ok(value);
}
