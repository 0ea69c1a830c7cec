// Bodies that are made to be expensive: refused before anything is built of them, with the place of the fault.
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { arrayLimitCheck } from "../../../src/http/array-limits.ts";
import { readJsonBody } from "../../../src/http/body.edge.ts";
import { findExcess, MAX_JSON_DEPTH, MAX_JSON_ENTRIES, MAX_JSON_VALUES } from "../../../src/http/json-shape.ts";
import { anyTicket } from "../../support/body-ticket.ts";

const MIB = 1_048_576;

afterEach(() => vi.restoreAllMocks());

/** `piece` this many times, with commas between. */
function list(piece: string, count: number): string {
	return new Array(count).fill(piece).join(",");
}

async function read(body: BodyInit, limitBytes = 16 * MIB) {
	const init = { method: "POST", body, duplex: "half" };
	return readJsonBody(new Request("https://svc.test/", init), limitBytes, anyTicket());
}

describe("the shape of a body", () => {
	it.each([
		["numbers in a list", `{"messages":[${list("0", MIB)}]}`, { path: "messages", message: /more than 20000 entries/ }],
		["empty objects", `{"a":[{"b":[${list("{}", MIB)}]}]}`, { path: "a.0.b", message: /more than 20000 entries/ }],
		["members", `{"a\\"":{${list('"k":0', MIB)}}}`, { path: 'a"', message: /more than 20000 entries/ }],
		["lists of lists", `[${list(`[${list("0", 10_000)}]`, 20)}]`, { path: "", message: /more than 100000 values/ }],
		["levels", '{"a":[0,'.repeat(MIB), { path: /^a\.1\.a\.1\.a/, message: /deeper than 128 levels/ }],
	])("is refused for too many %s before the body is parsed", async (_, text, issue) => {
		const parse = vi.spyOn(JSON, "parse");
		const answer = await read(text);
		expect(answer).toMatchObject({ ok: false, failure: { reason: "invalid_request", issues: [expect.any(Object)] } });
		if (answer.ok || answer.failure.reason !== "invalid_request") return;
		expect(answer.failure.issues[0]?.path).toMatch(issue.path === "" ? /^$/ : issue.path);
		expect(answer.failure.issues[0]?.message).toMatch(issue.message);
		// Keys of the path are read, the body is not.
		for (const [parsed] of parse.mock.calls) expect(String(parsed).length).toBeLessThan(20);
	});

	it("is taken up to the limits", async () => {
		expect(await read(`[${list("0", MAX_JSON_ENTRIES)}]`)).toMatchObject({ ok: true });
		expect(findExcess(`[${list("0", MAX_JSON_ENTRIES + 1)}]`)).not.toBeNull();
		expect(findExcess("[".repeat(MAX_JSON_DEPTH))).toBeNull();
		expect(findExcess("[".repeat(MAX_JSON_DEPTH + 1))).not.toBeNull();
		const lists = (count: number) => `[${list(`[${list("0", 9_999)}]`, count)}]`;
		expect(findExcess(lists(MAX_JSON_VALUES / 10_000 - 1))).toBeNull();
		expect(findExcess(lists(MAX_JSON_VALUES / 10_000 + 1))).not.toBeNull();
	});

	it("takes nothing inside a string for structure", () => {
		for (const inside of ["[", "{", ",", '\\"[', "\\\\", '\\\\\\"{,'])
			expect(findExcess(`{"a":"${inside.repeat(MAX_JSON_VALUES)}"}`), inside).toBeNull();
		expect(findExcess(`{"a":"\\\\",${'"b":'}${"[".repeat(MAX_JSON_DEPTH)}`)).toMatchObject({ path: /^b\.0/ });
	});

	it("finds the end of every string", () => {
		const piece = fc.constantFrom(
			'"',
			"\\",
			"\\\\",
			'\\"',
			"[",
			"a",
			"a".repeat(63),
			"a".repeat(64),
			"a".repeat(65),
			"ä".repeat(200),
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
				const text = `{"a":${JSON.stringify(pieces.join(""))},"b":${"[".repeat(MAX_JSON_DEPTH)}`;
				expect(findExcess(text)).toMatchObject({ path: expect.stringMatching(/^b\.0/) });
			}),
		);
	});

	it("lets every document pass that is within the limits, whatever is in it", () => {
		fc.assert(fc.property(fc.json({ maxDepth: 20 }), (text) => void expect(findExcess(text)).toBeNull()));
	});

	it("does not fall over what is no JSON", () => {
		fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...'[]{}:,"\\0a ') }), (text) => void findExcess(text)));
	});
});

describe("a body's arrays", () => {
	const overlong = arrayLimitCheck(
		z.object({
			tags: z.array(z.string()).max(3).nullish(),
			steps: z
				.array(
					z.discriminatedUnion("kind", [
						z.object({
							kind: z.literal("call"),
							calls: z
								.array(z.object({ id: z.string() }))
								.max(2)
								.nullish(),
						}),
						z.object({ kind: z.literal("text"), parts: z.union([z.string(), z.array(z.string()).max(1)]) }),
					]),
				)
				.max(4),
		}),
	);

	it("are held against the schema's own limits, with the place, wherever they stand", () => {
		const calls = (count: number) => ({ kind: "call", calls: new Array(count).fill(7) });
		expect(overlong({ tags: ["a", "b", "c"], steps: [calls(2)] })).toEqual([]);
		expect(overlong({ tags: new Array(4), steps: new Array(5) })).toEqual([
			{ path: "tags", message: "must have at most 3 entries" },
			{ path: "steps", message: "must have at most 4 entries" },
		]);
		expect(overlong({ steps: [calls(2), calls(3)] })).toMatchObject([{ path: "steps.1.calls" }]);
		expect(overlong({ steps: [{ kind: "text", parts: ["a", "b"] }] })).toMatchObject([{ path: "steps.0.parts" }]);
	});

	it("are nobody's business where the schema says nothing of them, or the value is something else", () => {
		for (const body of [null, 7, [], { steps: 7 }, { steps: [7, { kind: "nope", calls: [1, 2, 3] }] }, { other: [1] }])
			expect(overlong(body)).toEqual([]);
	});
});

describe("a body over its limit", () => {
	/** A body of so many pieces of 64 KiB; tells how many were taken. */
	function streamed(pieces: number) {
		const taken = { pieces: 0 };
		const body = new ReadableStream({
			pull(controller) {
				if (taken.pieces === pieces) return controller.close();
				taken.pieces++;
				controller.enqueue(new Uint8Array(65_536).fill(32));
			},
		});
		return { body, taken };
	}

	it("is taken to its end before it is answered, so that who is still sending gets the answer", async () => {
		const { body, taken } = streamed(17 * 16);
		expect(await read(body)).toMatchObject({ ok: false, failure: { reason: "request_too_large" } });
		expect(taken.pieces).toBe(17 * 16);
	});

	it("is not taken without end", async () => {
		const { body, taken } = streamed(Number.POSITIVE_INFINITY);
		expect(await read(body, MIB)).toMatchObject({ ok: false, failure: { reason: "request_too_large" } });
		expect(taken.pieces).toBeLessThan(40 * 16);
	});

	it("is not waited for without end", async () => {
		vi.useFakeTimers();
		try {
			const silent = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(2_000)) });
			const answer = read(silent, 1_000);
			await vi.advanceTimersByTimeAsync(5_000);
			expect(await answer).toMatchObject({ ok: false, failure: { reason: "request_too_large" } });
		} finally {
			vi.useRealTimers();
		}
	});
});
