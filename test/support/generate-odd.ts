// Values and JSON texts that break programs which trust their input; which request they go into is for others to say.
import fc from "fast-check";

/** Names that every JavaScript object answers to, and others that are easily taken for something else. */
const ODD_KEYS = [
	"__proto__",
	"constructor",
	"prototype",
	"toString",
	"valueOf",
	"hasOwnProperty",
	"toJSON",
	"then",
	"length",
	"$ref",
	"0",
	"-1",
	"",
	" ",
	"\u0000",
	"a.b",
	"\ud800",
	"k".repeat(1_000),
];

const ODD_TEXTS = [
	"",
	" ",
	"\n\t\r",
	"\u0000",
	"a\u0000b",
	"\ud800",
	"\udfff\ud800",
	"a\ud83d",
	"😀",
	"👩‍👩‍👧‍👦",
	"e\u0301",
	"Z\u0351\u036b\u0343",
	"\u202Eright to left\u202C",
	"\u2066\u2069",
	"a\u200bb",
	"\ufeff",
	"\uffff",
	"\u2028\u2029",
	"ﷺ",
	"İ",
	"ß",
	"__proto__",
	"constructor",
	"null",
	"undefined",
	"true",
	"NaN",
	"-1",
	"1e400",
	"0x10",
	"[object Object]",
	"{}",
	"[]",
	"%",
	"%00",
	"%s%n",
	"{{7*7}}",
	"'; DROP TABLE users; --",
	'" OR 1=1',
	"../../etc/passwd",
	"<script>alert(1)</script>",
	"data: [DONE]\n\n",
	"\r\nset-cookie: a=b",
	"2026-02-30T25:61:61Z",
	"*".repeat(64),
	"(".repeat(500),
	"a".repeat(5_000),
	"😀".repeat(1_000),
];

const ODD_NUMBERS = [
	0,
	-1,
	1,
	0.5,
	-0.5,
	1.5,
	2,
	255,
	256,
	2 ** 31 - 1,
	2 ** 31,
	-(2 ** 31) - 1,
	2 ** 32,
	2 ** 53 - 1,
	2 ** 53,
	2 ** 53 + 2,
	-(2 ** 53) - 2,
	1e21,
	1e308,
	-1e308,
	5e-324,
	Number.EPSILON,
];

/** JSON text that `JSON.stringify` never writes, some of it no JSON at all. */
const ODD_LITERALS = [
	"-0",
	"1e400",
	"-1e400",
	"1e-400",
	"9007199254740993",
	"1.0",
	"0.1e1",
	"00",
	"+1",
	".5",
	"1.",
	"0x10",
	"NaN",
	"Infinity",
	"undefined",
	"'a'",
	'"\\ud800"',
	'"\\udfff\\ud800"',
	'"\\u0000"',
	'"\\x"',
	'"\n"',
	'"unended',
	"[]",
	"{}",
	"null",
	"true",
	",",
	":",
	"]",
	"}",
	"/* comment */",
	"\ufeff",
	'{"__proto__":{"messages":[]}}',
	'"__proto__":{"a":1},',
	'"messages":7,',
	`${"9".repeat(400)}`,
	`${"[".repeat(50)}${"]".repeat(50)}`,
];

function nested(depth: number, kind: string): unknown {
	let value: unknown = 1;
	for (let level = 0; level < depth; level++) value = kind === "array" ? [value] : { a: value };
	return value;
}

const key = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...ODD_KEYS) }, { weight: 1, arbitrary: fc.string() });
const text = fc.oneof(
	{ weight: 3, arbitrary: fc.constantFrom(...ODD_TEXTS) },
	{ weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
	{ weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
);
const number = fc.oneof(fc.constantFrom(...ODD_NUMBERS), fc.double({ noNaN: true, noDefaultInfinity: true }));
const leaf = fc.oneof(text, number, fc.boolean(), fc.constant(null));

/** Members as their own, `__proto__` too, which an object literal would take for the prototype. */
function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
	return Object.fromEntries(entries);
}

const json = fc.letrec<{ any: unknown }>((tie) => ({
	any: fc.oneof(
		{ depthSize: "small", withCrossShrink: true },
		{ weight: 4, arbitrary: leaf },
		{ weight: 1, arbitrary: fc.array(tie("any"), { maxLength: 3 }) },
		{ weight: 1, arbitrary: fc.array(fc.tuple(key, tie("any")), { maxLength: 3 }).map(objectOf) },
		{
			weight: 1,
			arbitrary: fc.tuple(fc.constantFrom(10, 120, 200), fc.constantFrom("array", "object")).map((is) => nested(...is)),
		},
	),
})).any;

/** Odd values: an object's `key`; a `text`, `number` or `leaf`; any `json`. */
export const odd = { key, text, number, leaf, json };

const TOKEN = /"(?:[^"\\]|\\.)*"|[-+.\w]+|[{}[\],:]/g;

interface TextFault {
	kind: "replace" | "insert" | "delete" | "repeat" | "truncate" | "prefix" | "suffix" | "nest";
	/** Where, as a share of the text. */
	at: number;
	literal: string;
}

const textFault: fc.Arbitrary<TextFault> = fc.record({
	kind: fc.constantFrom("replace", "insert", "delete", "repeat", "truncate", "prefix", "suffix", "nest"),
	at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
	literal: fc.constantFrom(...ODD_LITERALS),
});

const DEEP = 20_000;

function damage(json: string, { kind, at, literal }: TextFault): string {
	if (kind === "truncate") return json.slice(0, Math.floor(at * json.length));
	if (kind === "prefix") return literal + json;
	if (kind === "suffix") return json + literal;
	if (kind === "nest") return at < 0.5 ? `[${json}]` : `${"[".repeat(DEEP)}${json}${"]".repeat(DEEP)}`;
	const tokens = json.match(TOKEN) ?? [];
	const index = Math.floor(at * tokens.length);
	const token = tokens[index] ?? "";
	const put = { replace: [literal], insert: [token, literal], delete: [], repeat: [token, token] }[kind];
	return tokens.toSpliced(index, 1, ...put).join("");
}

/** JSON texts made wrong, or only strange, token by token: cut off, doubled keys, trailing commas, numbers beyond range. */
export function damagedText(json: fc.Arbitrary<string>): fc.Arbitrary<string> {
	return fc
		.tuple(json, fc.array(textFault, { minLength: 1, maxLength: 2 }))
		.map(([whole, faults]) => faults.reduce(damage, whole));
}

/** Bytes of JSON texts with some replaced: most are no longer UTF-8. */
export function damagedBytes(json: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> {
	const flips = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 3 });
	return fc.tuple(json, flips).map(([whole, changes]) => {
		const bytes = new TextEncoder().encode(whole);
		for (const [at, byte] of changes) bytes[at % Math.max(1, bytes.length)] = byte;
		return bytes;
	});
}
