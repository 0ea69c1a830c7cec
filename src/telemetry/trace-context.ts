// W3C Trace Context, level 2 (https://www.w3.org/TR/trace-context-2/): reads and writes `traceparent`, and passes `tracestate` on. Pure.

/** The caller's span. */
export interface TraceParent {
	/** 32 lower-case hex digits, not all zero. */
	traceId: string;
	/** 16 lower-case hex digits, not all zero. */
	spanId: string;
	/** The byte of flags as it came: the first bit says that the caller records its trace, the second that the id is random. */
	flags: number;
	/** The header's list, in its normal form; null where there is none. */
	state: string | null;
}

/** The flags that this version of the header knows: `sampled` and `random`. */
const KNOWN_FLAGS = 0b11;
const SAMPLED = 0b01;
/** What the standard asks everyone to pass on, at least: 512 characters, of at most 32 members. */
const MAX_STATE_CHARS = 512;
const MAX_STATE_MEMBERS = 32;
/** Members of more characters are the first to go. */
const LONG_STATE_MEMBER = 128;
const VERSION_ZERO = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
/** A later version may say more behind a dash. `ff` is none. */
const LATER_VERSION = /^(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
/** A value is printable, without comma and equals sign, and ends with no blank. */
const STATE_KEY = /^[a-z0-9][_0-9a-z\-*/@]{0,255}$/;
const STATE_VALUE = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** Members of at most 512 characters together: as the standard says, long ones go first, then the last ones. */
function clipState(members: readonly string[]): readonly string[] {
	const fits = (kept: readonly string[]) => kept.join(",").length <= MAX_STATE_CHARS;
	if (fits(members)) return members;
	const kept = members.filter(({ length }) => length <= LONG_STATE_MEMBER);
	while (!fits(kept)) kept.pop();
	return kept;
}

function isZero(digits: string): boolean {
	return /^0+$/.test(digits);
}

/**
 * The `tracestate` header in its normal form: without blanks around members, and with those that fit.
 * @returns null for an empty one, and for one with a member that is none or stands twice: then none is passed on.
 */
export function parseTraceState(header: string | null): string | null {
	if (header === null) return null;
	const members = header
		.split(",")
		.map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ""))
		.filter((member) => member !== "");
	const keys = members.map((member) => member.slice(0, Math.max(0, member.indexOf("="))));
	const areGood = members.every((member, i) => {
		const key = keys[i] ?? "";
		return STATE_KEY.test(key) && STATE_VALUE.test(member.slice(key.length + 1));
	});
	if (!areGood || new Set(keys).size !== keys.length || members.length > MAX_STATE_MEMBERS) return null;
	return clipState(members).join(",") || null;
}

/**
 * The caller's span of its `traceparent` and `tracestate` headers.
 * @returns null where there is none, or one that the standard says to ignore: then the request begins a trace.
 */
export function parseTraceParent(header: string | null, stateHeader: string | null): TraceParent | null {
	const text = header?.replace(/^[ \t]+|[ \t]+$/g, "") ?? "";
	const [, traceId, spanId, flags] = VERSION_ZERO.exec(text) ?? LATER_VERSION.exec(text) ?? [];
	if (!traceId || !spanId || !flags || isZero(traceId) || isZero(spanId)) return null;
	return {
		traceId,
		spanId,
		flags: Number.parseInt(flags, 16) & KNOWN_FLAGS,
		state: parseTraceState(stateHeader),
	};
}

/** The `traceparent` header of a span, for those that it calls. */
export function formatTraceParent({ traceId, spanId, flags }: Omit<TraceParent, "state">): string {
	return `00-${traceId}-${spanId}-${(flags & KNOWN_FLAGS).toString(16).padStart(2, "0")}`;
}

/** Whether a trace is recorded: one that begins here is, one of a caller as the caller decided. */
export function isSampled(parent: TraceParent | null): boolean {
	return parent === null || (parent.flags & SAMPLED) === SAMPLED;
}
