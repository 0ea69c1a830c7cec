// W3C Trace Context: what the standard's own tests ask of a `traceparent` and a `tracestate` (w3c/trace-context, test/test.py).
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toSpanId, toTraceId, toUpstreamParent } from "../../../src/telemetry/span-ids.ts";
import { formatTraceParent, isSampled, parseTraceParent } from "../../../src/telemetry/trace-context.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const GOOD = `00-${TRACE}-${SPAN}-01`;

describe("traceparent", () => {
	it("is read and written as it came", () => {
		const parent = parseTraceParent(GOOD, null);
		expect(parent).toEqual({ traceId: TRACE, spanId: SPAN, flags: 1, state: null });
		expect.assert(parent);
		expect(formatTraceParent(parent)).toBe(GOOD);
	});

	it("survives blanks around it", () => {
		expect(parseTraceParent(` \t${GOOD}\t `, null)?.traceId).toBe(TRACE);
	});

	it.each([
		["absent", null],
		["empty", ""],
		["of capitals", GOOD.toUpperCase()],
		["with a trace id of zeros", `00-${"0".repeat(32)}-${SPAN}-01`],
		["with a span id of zeros", `00-${TRACE}-${"0".repeat(16)}-01`],
		["with a short trace id", `00-${TRACE.slice(1)}-${SPAN}-01`],
		["with a long trace id", `00-${TRACE}0-${SPAN}-01`],
		["with a short span id", `00-${TRACE}-${SPAN.slice(1)}-01`],
		["with no hex in it", `00-${TRACE.replace("a", "g")}-${SPAN}-01`],
		["with flags of one digit", `00-${TRACE}-${SPAN}-1`],
		["with flags of no hex", `00-${TRACE}-${SPAN}-.0`],
		["of version ff", `ff-${TRACE}-${SPAN}-01`],
		["of a version of one digit", `0-${TRACE}-${SPAN}-01`],
		["of version 00 with more behind it", `${GOOD}-what-the-future-will-be-like`],
		["of version 00 with a dash behind it", `${GOOD}-`],
		["of a later version with more that no dash parts", `cc-${TRACE}-${SPAN}-01.what`],
		["twice", `${GOOD},${GOOD}`],
		["with a line break behind it", `${GOOD}\nx`],
	])("%s begins a trace of its own", (_, header) => {
		expect(parseTraceParent(header, "a=1")).toBeNull();
	});

	it.each([`cc-${TRACE}-${SPAN}-01`, `cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, `01-${TRACE}-${SPAN}-01-`])(
		"of a later version is read by what this one knows: %s",
		(header) => {
			expect(parseTraceParent(header, null)).toMatchObject({ traceId: TRACE, spanId: SPAN, flags: 1 });
		},
	);

	it("keeps the flags that are known and drops the others", () => {
		expect(parseTraceParent(`00-${TRACE}-${SPAN}-ff`, null)?.flags).toBe(3);
		expect(parseTraceParent(`00-${TRACE}-${SPAN}-fc`, null)?.flags).toBe(0);
	});

	it("says whether the caller records its trace", () => {
		expect(isSampled(null)).toBe(true);
		expect(isSampled(parseTraceParent(GOOD, null))).toBe(true);
		expect(isSampled(parseTraceParent(`00-${TRACE}-${SPAN}-02`, null))).toBe(false);
	});

	it("is never read from other texts, and what is read can be written and read again", () => {
		fc.assert(
			fc.property(fc.string({ maxLength: 80 }), (text) => {
				const parent = parseTraceParent(text, text);
				if (parent) expect(parseTraceParent(formatTraceParent(parent), parent.state)).toEqual(parent);
			}),
		);
	});
});

describe("tracestate", () => {
	const state = (header: string | null) => parseTraceParent(GOOD, header)?.state;

	it.each([
		["foo=1", "foo=1"],
		["foo=1,bar=2", "foo=1,bar=2"],
		[" foo=1 \t,\t bar=2 ", "foo=1,bar=2"],
		["foo=1,,bar=2", "foo=1,bar=2"],
		["foo=", null],
		["", null],
		[null, null],
		["foo=1,foo=2", null],
		["foo", null],
		["=1", null],
		["FOO=1", null],
		["foo =1", null],
		["foo=1=2", null],
		["foo=\u00e9", null],
		["@foo=1", null],
		["t@v=1", "t@v=1"],
		["0number=1", "0number=1"],
		["0tenant@vendor=1", "0tenant@vendor=1"],
		["a/b*c_d-e=1", "a/b*c_d-e=1"],
		[`${"z".repeat(256)}=1`, `${"z".repeat(256)}=1`],
		[`${"z".repeat(257)}=1`, null],
		[`a=${"v".repeat(256)}`, `a=${"v".repeat(256)}`],
		[`a=${"v".repeat(257)}`, null],
	])("%j is passed on as %j", (header, expected) => {
		expect(state(header)).toBe(expected);
	});

	it("of more than 32 members is not passed on", () => {
		const members = (count: number) => Array.from({ length: count }, (_, i) => `k${i}=1`).join(",");
		expect(state(members(32))).toBe(members(32));
		expect(state(members(33))).toBeNull();
	});

	it("of more than 512 characters loses its long members first, then its last", () => {
		const long = `long=${"x".repeat(200)}`;
		const short = Array.from({ length: 12 }, (_, i) => `k${i}=${"y".repeat(40)}`);
		const kept = state([short[0], long, ...short.slice(1)].join(","));
		expect(kept).not.toContain("long=");
		expect(kept?.length).toBeLessThanOrEqual(512);
		expect(kept).toBe(short.slice(0, 11).join(","));
	});
});

describe("ids of spans", () => {
	it("follow from the request, and differ by request and by role", () => {
		expect(toSpanId("req_1", "request")).toBe(toSpanId("req_1", "request"));
		const ids = ["req_1", "req_2"].flatMap((id) =>
			["request", "attempt 0", "attempt 1"].map((role) => toSpanId(id, role)),
		);
		expect(new Set(ids).size).toBe(6);
		for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
		expect(toTraceId("req_1")).toMatch(/^[0-9a-f]{32}$/);
	});

	it("make the request's span the parent of upstream requests, in the caller's trace or in one of its own", () => {
		const caller = parseTraceParent(GOOD, "a=1");
		expect(toUpstreamParent("req_1", caller)).toEqual({
			traceId: TRACE,
			spanId: toSpanId("req_1", "request"),
			flags: 1,
			state: "a=1",
		});
		expect(toUpstreamParent("req_1", null)).toEqual({
			traceId: toTraceId("req_1"),
			spanId: toSpanId("req_1", "request"),
			flags: 1,
			state: null,
		});
	});
});
