// What a request is called by: its session, the end user that it is for, and pairs of metadata. Kept with its row, and nowhere else:
// they are users' words, so no receipt, log line or sum of D1 has them. Pure.
import * as z from "zod";
import { isJsonObject, parseJson } from "../json.ts";
import { type RequestNames, UNNAMED } from "../meter/request-facts.ts";

/** Names that were read, and where a session id stood that was left out. */
export interface ReadNames {
	names: RequestNames;
	/** The first place with a session id that is none; null without one. */
	ignoredSession: string | null;
}

const MAX_SESSION_CHARS = 128;
const MAX_PAIRS = 16;
const MAX_NAME_CHARS = 64;
const MAX_VALUE_CHARS = 512;

/** Headers that name a session: this service's own, Claude Code's, Codex's. The first one with a session id counts. */
const SESSION_HEADERS = ["x-session-id", "x-claude-code-session-id", "session-id"] as const;
const CLIENT_METADATA = "client_metadata";

/** Whether a request has any name. */
export function hasNames({ sessionId, endUser, metadata }: RequestNames): boolean {
	return sessionId !== null || endUser !== null || Object.keys(metadata).length > 0;
}

/** The headers of a request. */
type HeaderReader = Pick<Headers, "get">;

/** Whether a text names a session. `.` and `..` do not: an address cannot end with them. */
export function isSessionId(text: string): boolean {
	return text.length <= MAX_SESSION_CHARS && /^[!-~](?:[ -~]*[!-~])?$/.test(text) && !/^\.\.?$/.test(text);
}

/**
 * The session of a request: of its headers, else of `client_metadata`, which Codex sends. One that is too long or has other characters is
 * left out, and the next place counts: coding agents choose theirs themselves, and none is to fail for it.
 */
function readSession(
	headers: HeaderReader,
	body: unknown,
): Pick<RequestNames, "sessionId"> & Pick<ReadNames, "ignoredSession"> {
	const client = isJsonObject(body) ? body[CLIENT_METADATA] : undefined;
	const inBody = isJsonObject(client) ? client["session_id"] : undefined;
	const places: [string, unknown][] = [
		...SESSION_HEADERS.map((name): [string, unknown] => [name, headers.get(name)]),
		[`${CLIENT_METADATA}.session_id`, inBody],
	];
	const given = places.filter(([, value]) => value != null && value !== "");
	const isNamed = ([, value]: [string, unknown]) => typeof value === "string" && isSessionId(value);
	const found = given.find(isNamed)?.[1];
	const ignoredSession = given.find((place) => !isNamed(place))?.[0] ?? null;
	return { sessionId: typeof found === "string" ? found : null, ignoredSession };
}

function isShortText(value: unknown): value is string {
	return typeof value === "string" && value !== "" && value.length <= MAX_VALUE_CHARS;
}

/** The older form of Claude Code's `metadata.user_id`. */
const CLAUDE_CODE_USER = /^user_([^_]+)_account_(.*)_session_[^_]*$/;

/**
 * The person in a `user_id`. Claude Code's names a device, an account and a session in one text, so that each session would be a user of
 * its own: the account counts, or the device where nobody is logged in.
 */
function toPerson(userId: string): string {
	const [, device, account] = CLAUDE_CODE_USER.exec(userId) ?? [];
	if (device !== undefined) return account || device;
	if (!userId.startsWith("{")) return userId;
	const parts = parseJson(userId);
	if (!isJsonObject(parts) || typeof parts["session_id"] !== "string") return userId;
	return [parts["account_uuid"], parts["device_id"]].find(isShortText) ?? userId;
}

/** What was read of requests that are under way, by their headers. */
const namesRead = new WeakMap<HeaderReader, { body: unknown; read: ReadNames }>();

/**
 * Reads the names of a request, once, as far as they keep within the bounds. It takes any body: that of a request that was refused has
 * names, too.
 * @param body before validation; undefined where none was read.
 */
export function readRequestNames(headers: HeaderReader, body: unknown): ReadNames {
	const known = namesRead.get(headers);
	if (known && known.body === body) return known.read;
	const read = readNames(headers, body);
	namesRead.set(headers, { body, read });
	return read;
}

function readNames(headers: HeaderReader, body: unknown): ReadNames {
	const { sessionId, ignoredSession } = readSession(headers, body);
	if (!isJsonObject(body)) return { names: { ...UNNAMED, sessionId }, ignoredSession };
	const { user, safety_identifier: identifier, metadata } = body;
	const pairs = isJsonObject(metadata) ? metadata : {};
	const named = [user, identifier].find(isShortText);
	const userId = isShortText(pairs["user_id"]) ? pairs["user_id"] : undefined;
	const endUser = named ?? (userId === undefined ? null : toPerson(userId));
	const kept = Object.entries(pairs).filter(
		(pair): pair is [string, string] =>
			typeof pair[1] === "string" &&
			pair[1].length <= MAX_VALUE_CHARS &&
			pair[0].length <= MAX_NAME_CHARS &&
			// It is the end user already.
			(pair[0] !== "user_id" || named !== undefined),
	);
	return { names: { sessionId, endUser, metadata: Object.fromEntries(kept.slice(0, MAX_PAIRS)) }, ignoredSession };
}

/** The warning about a session id that was left out; none where none was. */
export function sessionWarnings({ headers, rawBody }: { headers: HeaderReader; rawBody?: unknown }) {
	const { ignoredSession: param } = readRequestNames(headers, rawBody);
	if (param === null) return [];
	const message = `a session id is up to ${MAX_SESSION_CHARS} printable characters of ASCII; that of ${param} was left out`;
	return [{ code: "parameter_dropped" as const, param, message }];
}

const TOO_LONG = `must have at most ${MAX_VALUE_CHARS} characters`;

/** The value of a pair. */
const pairValue = z.string({ error: "must be a string" }).max(MAX_VALUE_CHARS, TOO_LONG);

const LONG_NAME = `a name must have at most ${MAX_NAME_CHARS} characters`;
const MANY_PAIRS = `must have at most ${MAX_PAIRS} pairs`;
const hasShortNames = (pairs: object) => Object.keys(pairs).every((name) => name.length <= MAX_NAME_CHARS);
const hasFewPairs = (pairs: object) => Object.keys(pairs).length <= MAX_PAIRS;

/** OpenAI's `metadata`. */
export function metadataField() {
	return z.record(z.string(), pairValue).refine(hasShortNames, LONG_NAME).refine(hasFewPairs, MANY_PAIRS);
}

/** Anthropic's `metadata`, which has one member of its own. */
export function userMetadataField() {
	return z
		.object({ user_id: endUserField().nullish() })
		.catchall(pairValue)
		.refine(hasShortNames, LONG_NAME)
		.refine(hasFewPairs, MANY_PAIRS);
}

/** The end user of a request. */
export function endUserField() {
	return z.string().max(MAX_VALUE_CHARS, TOO_LONG);
}

/** The names of a request that has a body of this service's own. A `null` counts as absent. */
export function nameFields() {
	return {
		user: endUserField().nullish().describe("Id of your user, kept with the request: usage groups by it."),
		safety_identifier: endUserField().nullish().describe("The same, without `user`."),
		metadata: metadataField().nullish().describe("Pairs that are kept with the request: lists filter by them."),
	};
}

/** The members of `nameFields`. */
export const NAME_FIELDS: readonly string[] = ["user", "safety_identifier", "metadata"];
