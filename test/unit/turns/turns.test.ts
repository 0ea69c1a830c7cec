// Long computations pause and take turns by user, and short ones wait for nobody.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Steps } from "../../../src/turns/steps.ts";

type Turns = typeof import("../../../src/turns/turns.edge.ts");

const TURN = 32_768;
const LONG = TURN;

let inTurns: Turns["inTurns"];
let inOneTurn: Turns["inOneTurn"];
let inTurnsOnceLong: Turns["inTurnsOnceLong"];
let done: string[];

/** A computation that takes some turns and says each. */
function* turnsOf(name: string, turns: number): Steps<string> {
	for (let turn = 1; turn < turns; turn++) {
		done.push(`${name}${turn}`);
		yield TURN;
	}
	done.push(`${name}${turns}`);
	return name;
}

const scan = (user: string, name: string, turns: number, signal: AbortSignal | null = null) =>
	inTurns(turnsOf(name, turns), LONG, { user, signal });

beforeEach(async () => {
	vi.useFakeTimers();
	vi.resetModules();
	({ inTurns, inOneTurn, inTurnsOnceLong } = await import("../../../src/turns/turns.edge.ts"));
	done = [];
});
afterEach(() => vi.useRealTimers());

describe("a long computation", () => {
	it("passes on what it found", async () => {
		const found = scan("ada", "a", 3);
		await vi.runAllTimersAsync();
		await expect(found).resolves.toBe("a");
		expect(done).toEqual(["a1", "a2", "a3"]);
	});

	it("reads so many characters in a turn, however many steps they take", async () => {
		const found = inTurns(
			(function* () {
				for (let step = 0; step < 8; step++) {
					done.push(`${step}`);
					yield TURN / 4;
				}
			})(),
			LONG,
			{ user: "ada", signal: null },
		);
		for (let tick = 0; tick < 4; tick++) await Promise.resolve();
		expect(done.length).toBe(4);
		await vi.runAllTimersAsync();
		await found;
		expect(done.length).toBe(8);
	});

	it("takes turns with those of other users, and follows those of its own", async () => {
		const all = [scan("ada", "a", 2), scan("ada", "b", 2), scan("eve", "c", 3)];
		await vi.runAllTimersAsync();
		await Promise.all(all);
		expect(done).toEqual(["a1", "c1", "a2", "c2", "b1", "c3", "b2"]);
	});

	it("that cannot be cut takes one turn, and none when it is short", async () => {
		const first = scan("ada", "a", 2);
		const whole = inOneTurn(() => done.push("whole"), LONG, { user: "ada", signal: null });
		const short = inOneTurn(() => done.push("short"), LONG - 1, { user: "ada", signal: null });
		expect(done).toEqual(["short"]);
		await vi.runAllTimersAsync();
		await Promise.all([first, whole, short]);
		expect(done).toEqual(["short", "a1", "a2", "whole"]);
	});

	it("gives nobody the turn for as long as its own took, at most 150 ms", async () => {
		const slow = (ms: number) => () => vi.setSystemTime(Date.now() + ms);
		for (const [took, rests] of [
			[9, 0],
			[100, 100],
			[4_000, 150],
		] as const) {
			const first = inOneTurn(slow(took), LONG, { user: "ada", signal: null });
			const next = scan("eve", `after ${took}: `, 1);
			await vi.advanceTimersByTimeAsync(Math.max(0, rests - 1));
			expect(
				done.filter((name) => name.startsWith(`after ${took}`)),
				`${took}`,
			).toEqual([]);
			await vi.advanceTimersByTimeAsync(10);
			expect(done.at(-1)).toBe(`after ${took}: 1`);
			await vi.runAllTimersAsync();
			await Promise.all([first, next]);
		}
	});

	it("of one user never takes the turn of another's, however many there are", async () => {
		const many = Array.from({ length: 50 }, (_, at) => scan("ada", `a${at}.`, 2));
		await vi.advanceTimersByTimeAsync(0);
		const one = scan("eve", "e", 3);
		await vi.runAllTimersAsync();
		await Promise.all([...many, one]);
		expect(done.indexOf("e3")).toBeLessThanOrEqual(7);
	});

	it("holds up no short one", async () => {
		const long = scan("ada", "a", 3);
		await vi.advanceTimersByTimeAsync(0);
		const before = done.length;
		await inTurns(turnsOf("short", 2), LONG - 1, { user: "eve", signal: null });
		expect(done.slice(before)).toEqual(["short1", "short2"]);
		await vi.runAllTimersAsync();
		await long;
	});

	it("over a text that stands for much work begins at once, and takes turns when it has proved long", async () => {
		const owner = { user: "eve", signal: null };
		const long = scan("ada", "a", 3);
		await vi.advanceTimersByTimeAsync(0);
		const before = done.length;
		await inTurnsOnceLong(turnsOf("short", 1), 10, owner);
		const grown = inTurnsOnceLong(turnsOf("grown", 3), 10, owner);
		expect(done.slice(before)).toEqual(["short1", "grown1"]);
		await vi.runAllTimersAsync();
		await Promise.all([long, grown]);
		expect(done.indexOf("grown3")).toBeGreaterThan(done.indexOf("a2"));
		// The user's next one waits from the start; those of others do not.
		const next = scan("ada", "b", 3);
		await vi.advanceTimersByTimeAsync(0);
		const later = done.length;
		const waiting = inTurnsOnceLong(turnsOf("waiting", 1), 10, owner);
		await inTurnsOnceLong(turnsOf("other", 1), 10, { user: "bob", signal: null });
		expect(done.slice(later)).toEqual(["other1"]);
		await vi.runAllTimersAsync();
		await Promise.all([next, waiting]);
	});

	it("ends with its request, and the next has the turn", async () => {
		const controller = new AbortController();
		const left = scan("ada", "a", 100, controller.signal);
		const next = scan("ada", "b", 2);
		const refusal = expect(left).rejects.toThrow("gone");
		await vi.advanceTimersByTimeAsync(20);
		controller.abort(new Error("gone"));
		await vi.runAllTimersAsync();
		await refusal;
		await next;
		expect(done.length).toBeLessThan(90);
		expect(done.slice(-2)).toEqual(["b1", "b2"]);
	});

	it("is not held up by one whose request ended without a word", async () => {
		const never = vi.spyOn(globalThis, "setTimeout").mockReturnValueOnce(setTimeout(() => undefined, 0));
		void scan("ada", "a", 2);
		await vi.advanceTimersByTimeAsync(0);
		const next = scan("ada", "b", 2);
		await vi.runAllTimersAsync();
		await next;
		never.mockRestore();
		expect(done).toEqual(["a1", "b1", "b2"]);
	});

	it("that fails holds up nobody", async () => {
		const failing = inTurns(
			(function* (): Steps<string> {
				yield TURN;
				throw new Error("broken");
			})(),
			LONG,
			{ user: "ada", signal: null },
		);
		const failure = expect(failing).rejects.toThrow("broken");
		const next = scan("ada", "b", 1);
		await vi.runAllTimersAsync();
		await failure;
		await expect(next).resolves.toBe("b");
	});
});
