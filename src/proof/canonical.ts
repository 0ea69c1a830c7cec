// Canonical JSON (RFC 8785, JCS). What JCS cannot represent is refused, never changed silently.

/** Thrown for NaN, Infinity, `undefined`, functions, bigints and lone surrogates. */
export class NotCanonicalError extends Error {
	override name = "NotCanonicalError";
}

function canonicalString(text: string): string {
	if (!text.isWellFormed()) throw new NotCanonicalError("a string holds a lone surrogate");
	// RFC 8785 3.2.2.2 requires exactly the escapes of ECMAScript's JSON.stringify.
	return JSON.stringify(text);
}

/**
 * Serializes `value` as RFC 8785 canonical JSON: keys sorted by UTF-16 code units, ECMAScript numbers, no white space.
 * A member whose value is `undefined` is absent, as in JSON.stringify.
 * @throws NotCanonicalError for anything JCS cannot represent.
 */
export function canonicalJson(value: unknown): string {
	switch (typeof value) {
		case "string":
			return canonicalString(value);
		case "boolean":
			return value ? "true" : "false";
		case "number":
			if (!Number.isFinite(value)) throw new NotCanonicalError("a number is not finite");
			return JSON.stringify(value);
		case "object": {
			if (value === null) return "null";
			if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
			const members = Object.entries(value)
				.filter(([, member]) => member !== undefined)
				// `<` compares strings by UTF-16 code units, as RFC 8785 3.2.3 requires.
				.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
				.map(([key, member]) => `${canonicalString(key)}:${canonicalJson(member)}`);
			return `{${members.join(",")}}`;
		}
		default:
			throw new NotCanonicalError(`a ${typeof value} has no JSON form`);
	}
}
