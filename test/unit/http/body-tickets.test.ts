// Bodies under way: how many and how large they may be, for one owner and for all, and that nothing is held for good.
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { readBodyText } from "../../../src/http/body.edge.ts";
import { BODY_LIMITS, type BodyTicket, BodyTickets } from "../../../src/http/body-tickets.ts";
import { anyTicket } from "../../support/body-ticket.ts";

const MIB = 1_048_576;
const { ownerBytes, ownerBodies, isolateBytes, smallBytes, placeMs, silenceMs, bytesPerSecond } = BODY_LIMITS;

/** The ticket, or the reason of its refusal. */
function outcome(taken: ReturnType<BodyTickets["take"]>): BodyTicket | string {
	return taken.ok ? taken.value : taken.failure.reason;
}

function takeMany(tickets: BodyTickets, count: number, owner: string, bytes: number, nowMs = 0) {
	return Array.from({ length: count }, () => outcome(tickets.take(owner, bytes, nowMs)));
}

function taken(outcomes: (BodyTicket | string)[]): BodyTicket[] {
	return outcomes.filter((each) => typeof each !== "string");
}

describe("tickets of bodies", () => {
	it("keep 240 uploads of 15 MiB of one user under 32 MiB, and tell the others at once", () => {
		const tickets = new BodyTickets();
		const answers = takeMany(tickets, 240, "mallory", 15 * MIB);
		expect([taken(answers).length, answers.at(-1), tickets.bytes]).toEqual([2, "rate_limit_exceeded", 30 * MIB]);
		expect(outcome(tickets.take("alice", 15 * MIB, 0))).toBeTypeOf("object");
	});

	it("keep the bodies of all users under 64 MiB, but for small ones, which everybody may still send", () => {
		const tickets = new BodyTickets();
		for (const owner of ["a", "b"]) expect(taken(takeMany(tickets, 2, owner, 16 * MIB))).toHaveLength(2);
		expect(tickets.bytes).toBe(isolateBytes);
		expect(outcome(tickets.take("c", smallBytes + 1, 0))).toBe("overloaded");
		expect(outcome(tickets.take("c", smallBytes, 0))).toBeTypeOf("object");
	});

	it("let hundreds of small bodies arrive at once, and hold slow ones to twenty", () => {
		const tickets = new BodyTickets();
		const many = taken(takeMany(tickets, 300, "alice", 500));
		expect(many).toHaveLength(300);
		const slow = many.map((ticket) => ticket.look(placeMs).ok);
		expect(slow.filter(Boolean)).toHaveLength(ownerBodies);
		expect(outcome(tickets.take("alice", 500, placeMs))).toBeTypeOf("object");
		expect(outcome(tickets.take("alice", smallBytes + 1, placeMs))).toBe("rate_limit_exceeded");
		many[0]?.finish(placeMs);
		expect(outcome(tickets.take("alice", smallBytes + 1, placeMs))).toBeTypeOf("object");
	});

	it("count a body without a length by what is read of it", () => {
		const tickets = new BodyTickets();
		const bodies = taken(takeMany(tickets, 3, "alice", 0));
		expect(bodies.map((ticket) => ticket.advance(15 * MIB, 1).ok)).toEqual([true, true, false]);
		expect(tickets.bytes).toBe(30 * MIB);
		bodies[0]?.release();
		expect(bodies[2]?.advance(15 * MIB, 1).ok).toBe(true);
		// A declared length is not exceeded silently either.
		const short = taken(takeMany(tickets, 1, "bob", 10))[0];
		short?.advance(MIB, 1);
		expect(tickets.bytes).toBe(31 * MIB);
	});

	it("are given back once, however often, and leave nothing behind", () => {
		fc.assert(
			fc.property(
				fc.array(
					fc.tuple(
						fc.constantFrom("a", "b"),
						fc.constantFrom("take", "advance", "finish", "release"),
						fc.nat(20 * MIB),
						fc.nat(40),
					),
					{ maxLength: 60 },
				),
				(steps) => {
					const tickets = new BodyTickets();
					const open: BodyTicket[] = [];
					for (const [index, [owner, step, bytes, which]] of steps.entries()) {
						const ticket = open[which % Math.max(1, open.length)];
						if (step === "take") open.push(...taken([outcome(tickets.take(owner, bytes, index))]));
						else if (step === "advance") ticket?.advance(bytes, index);
						else ticket?.[step === "finish" ? "finish" : "release"](index);
						expect(tickets.bytes).toBeLessThanOrEqual(isolateBytes + 20 * smallBytes);
					}
					for (const ticket of open) ticket.release();
					expect(tickets.bytes).toBe(0);
					expect(taken(takeMany(tickets, ownerBodies + 1, "a", MIB))).toHaveLength(ownerBodies);
				},
			),
		);
	});

	it("of requests that ended without giving them back make room again, and nobody's else", () => {
		const tickets = new BodyTickets();
		const [lost, kept] = taken(takeMany(tickets, 2, "alice", 16 * MIB));
		kept?.finish(0);
		expect(outcome(tickets.take("alice", 16 * MIB, 2 * silenceMs))).toBe("rate_limit_exceeded");
		expect(outcome(tickets.take("alice", 16 * MIB, 2 * silenceMs + 1))).toBeTypeOf("object");
		expect(lost?.advance(17, 2 * silenceMs + 1).ok).toBe(false);
		lost?.release();
		expect(tickets.bytes).toBe(32 * MIB);
		// A read body is waited for longer.
		kept?.release();
		expect(tickets.bytes).toBe(16 * MIB);
	});

	it("allow one owner no more than its bytes even in small bodies", () => {
		const tickets = new BodyTickets();
		expect(taken(takeMany(tickets, 1_000, "alice", smallBytes))).toHaveLength(ownerBytes / smallBytes);
	});
});

describe("a body that comes slowly", () => {
	beforeEach(() => {
		vi.useFakeTimers();
	});
	afterEach(() => {
		vi.useRealTimers();
	});

	/** Reads a body that sends `bytes` every `everyMs`, `pieces` times, and then ends or stays silent. */
	async function readPaced(bytes: number, everyMs: number, pieces: number, ends: boolean, ticket = anyTicket()) {
		let sent = 0;
		const body = new ReadableStream<Uint8Array>(
			{
				async pull(controller) {
					if (sent === pieces) return ends ? controller.close() : new Promise(() => {});
					await new Promise((resolve) => setTimeout(resolve, everyMs));
					sent++;
					controller.enqueue(new Uint8Array(bytes).fill(97));
				},
			},
			{ highWaterMark: 0 },
		);
		const request = new Request("https://svc.test/", { method: "POST", body, duplex: "half" } as RequestInit);
		const read = readBodyText(request, 16 * MIB, ticket);
		await vi.advanceTimersByTimeAsync((pieces + 2) * everyMs + 20_000);
		const text = await read;
		return { sent, outcome: text.ok ? text.value.length : text.failure.reason };
	}

	it("is taken at 16 KiB a second, however long that takes", async () => {
		expect(await readPaced(bytesPerSecond, 1_000, 60, true)).toEqual({ sent: 60, outcome: 60 * bytesPerSecond });
	});

	it.each([
		["trickles a byte at a time", 1, 100],
		["is a little too slow", bytesPerSecond - 2_048, 1_000],
	])("is refused when it %s", async (_, bytes, everyMs) => {
		const { sent, outcome } = await readPaced(bytes, everyMs, 600, true);
		expect(outcome).toBe("body_too_slow");
		expect(sent).toBeLessThan(600);
	});

	it("is refused when it stops, however much has come before", async () => {
		const ticket = anyTicket();
		expect(await readPaced(4 * MIB, 1, 3, false, ticket)).toEqual({ sent: 3, outcome: "body_too_slow" });
	});

	it("may pause for less than five seconds", async () => {
		expect(await readPaced(10, silenceMs - 100, 1, true)).toEqual({ sent: 1, outcome: 10 });
	});

	it("gives up its bytes before the rest of it is drained", async () => {
		const tickets = new BodyTickets();
		const ticket = taken(takeMany(tickets, 1, "alice", 15 * MIB, Date.now()))[0] ?? anyTicket();
		const silent = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array(10)) });
		const request = new Request("https://svc.test/", { method: "POST", body: silent, duplex: "half" } as RequestInit);
		const read = readBodyText(request, 16 * MIB, ticket);
		await vi.advanceTimersByTimeAsync(silenceMs + 300);
		expect(tickets.bytes).toBe(0);
		await vi.advanceTimersByTimeAsync(10_000);
		expect((await read).ok).toBe(false);
	});
});
