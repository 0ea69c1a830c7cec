// What a tool's function returned or threw, as the output that a request holds. Pure.

/** The service's bound of one output. */
const MAX_OUTPUT_BYTES = 1_048_576;
/** Of what was thrown: within the bound in any script. */
const MAX_ERROR_CHARS = 262_144;

/** Whether it is an object without a class, of whatever realm. */
function isPlain(value: object): boolean {
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/**
 * A replacer that lets pass what JSON can hold.
 * @throws TypeError for an object of which JSON keeps nothing (a Map, a Response, a promise that nobody awaited), and for bytes.
 */
function refuseLost(this: Record<string, unknown>, name: string, value: unknown): unknown {
	const given = this[name];
	const isBytes = ArrayBuffer.isView(given) || given instanceof ArrayBuffer;
	const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
	const isLost = isObject && !isPlain(value) && Object.keys(value).length === 0;
	if (!isBytes && !isLost) return value;
	const kind = Object(given).constructor?.name || "object";
	throw new TypeError(`the function returned a ${kind}, which JSON cannot hold: return text or plain objects`);
}

/** A reviver that puts U+FFFD for halves of characters, as `slice` leaves them: no request may hold one. */
function mendText(_: string, value: unknown): unknown {
	if (typeof value === "string") return value.toWellFormed();
	if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
	return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toWellFormed(), member]));
}

/**
 * What a function returned, as text or as JSON; nothing is the empty text.
 * @throws what JSON cannot say, and what is too long; also an error that was returned, not thrown.
 */
export function toOutput(returned: unknown): unknown {
	if (returned === undefined || returned === null) return "";
	if (returned instanceof Error) throw returned;
	const text = typeof returned === "string" ? returned.toWellFormed() : JSON.stringify(returned, refuseLost);
	if (text === undefined) throw new TypeError(`the function returned a ${typeof returned}, which JSON cannot hold`);
	const bytes = new TextEncoder().encode(text).byteLength;
	if (bytes > MAX_OUTPUT_BYTES)
		throw new RangeError(`the output has ${bytes} bytes; at most ${MAX_OUTPUT_BYTES} are taken`);
	return typeof returned === "string" ? text : JSON.parse(text, /\\ud[89a-f]/i.test(text) ? mendText : undefined);
}

function describeThrown(thrown: unknown): string {
	if (typeof thrown !== "object" || thrown === null) return String(thrown);
	const { message, name } = thrown as { message?: unknown; name?: unknown };
	if (typeof message === "string" && message !== "") return message;
	if (thrown instanceof Error) return String(name);
	try {
		return JSON.stringify(thrown);
	} catch {
		return "the function threw an object";
	}
}

/** What a function threw, in words. */
export function toErrorOutput(thrown: unknown): string {
	return describeThrown(thrown).slice(0, MAX_ERROR_CHARS).toWellFormed();
}
