// Reads a JSON body within its limit and refuses what no later stage could hash, store or recurse into.
import { type Failure, fail, type Issue, ok, type Result } from "../failure.ts";

/** Containers inside containers; a tool's JSON Schema needs a few dozen. */
const MAX_DEPTH = 128;

function tooLarge(limitBytes: number): { ok: false; failure: Failure } {
	return fail({ reason: "request_too_large", limitBytes });
}

/** Reads a body of at most `limitBytes`, with or without Content-Length. */
async function readBytes(request: Request, limitBytes: number): Promise<Result<Uint8Array>> {
	const declared = Number(request.headers.get("content-length"));
	if (declared > limitBytes) return tooLarge(limitBytes);
	const chunks: Uint8Array[] = [];
	let length = 0;
	for await (const chunk of request.body ?? []) {
		length += chunk.byteLength;
		if (length > limitBytes) return tooLarge(limitBytes);
		chunks.push(chunk);
	}
	const bytes = new Uint8Array(length);
	let offset = 0;
	for (const chunk of chunks) {
		bytes.set(chunk, offset);
		offset += chunk.byteLength;
	}
	return ok(bytes);
}

type Member = { value: unknown; parent: Member | null; key: string; depth: number };

function pathOf(member: Member | null): string {
	const keys: string[] = [];
	for (let at = member; at?.parent; at = at.parent) keys.push(at.key);
	return keys.reverse().join(".").slice(0, 200);
}

function issueOf(member: Member): Issue | null {
	const { value, depth } = member;
	const issue = (message: string) => ({ path: pathOf(member), message });
	if (typeof value === "string" && !value.isWellFormed())
		return issue("holds a lone surrogate, which is not valid Unicode");
	if (typeof value === "number" && !Number.isFinite(value)) return issue("is too large for a number");
	if (typeof value !== "object" || value === null) return null;
	if (depth >= MAX_DEPTH) return issue(`nests deeper than ${MAX_DEPTH} levels`);
	if (Array.isArray(value)) return null;
	return Object.keys(value).every((key) => key.isWellFormed()) ? null : issue("has a key with a lone surrogate");
}

/**
 * Finds the first thing in parsed JSON that canonical JSON cannot represent or that nests too deeply.
 * Iterative, so that the nesting itself cannot exhaust the stack.
 */
export function findUnrepresentable(root: unknown): Issue | null {
	const open: Member[] = [{ value: root, parent: null, key: "", depth: 0 }];
	for (let member = open.pop(); member; member = open.pop()) {
		const issue = issueOf(member);
		if (issue) return issue;
		const { value } = member;
		if (typeof value !== "object" || value === null) continue;
		for (const [key, child] of Object.entries(value)) {
			if (child !== null && (typeof child === "object" || typeof child === "string" || typeof child === "number")) {
				open.push({ value: child, parent: member, key, depth: member.depth + 1 });
			}
		}
	}
	return null;
}

/** Reads, decodes and parses a JSON body. The parser's own messages quote the body, so they are not passed on. */
export async function readJsonBody(request: Request, limitBytes: number): Promise<Result<unknown>> {
	const bytes = await readBytes(request, limitBytes);
	if (!bytes.ok) return bytes;
	if (bytes.value.byteLength === 0)
		return fail({ reason: "invalid_json", message: "the request body is empty; a JSON object is expected" });
	let text: string;
	try {
		text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes.value);
	} catch {
		return fail({ reason: "invalid_json", message: "the request body is not valid UTF-8" });
	}
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return fail({ reason: "invalid_json", message: "the request body is not valid JSON" });
	}
	const issue = findUnrepresentable(value);
	return issue ? fail({ reason: "invalid_request", issues: [issue] }) : ok(value);
}
