// Long scans pause and take turns by user, and short ones wait for nobody.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { plainConversation } from "../../../src/compliance/conversation.ts";
import type { Steps } from "../../../src/compliance/steps.ts";

type Scans = typeof import("../../../src/compliance/scans.edge.ts");

const TURN = 32_768;
const LONG = "x".repeat(TURN);

let scanConversation: Scans["scanConversation"];
let done: string[];

/** A scan that takes some turns and says each. */
function* turnsOf(name: string, turns: number): Steps<string> {
	for (let turn = 1; turn < turns; turn++) {
		done.push(`${name}${turn}`);
		yield TURN;
	}
	done.push(`${name}${turns}`);
	return name;
}

const scan = (user: string, name: string, turns: number, signal: AbortSignal | null = null) =>
	scanConversation(plainConversation(LONG), () => turnsOf(name, turns), { user, signal });

beforeEach(async () => {
	vi.useFakeTimers();
	vi.resetModules();
	({ scanConversation } = await import("../../../src/compliance/scans.edge.ts"));
	done = [];
});
afterEach(() => vi.useRealTimers());

describe("a long scan", () => {
	it("passes on what it found", async () => {
		const found = scan("ada", "a", 3);
		await vi.runAllTimersAsync();
		await expect(found).resolves.toBe("a");
		expect(done).toEqual(["a1", "a2", "a3"]);
	});

	it("reads so many characters in a turn, however many steps they take", async () => {
		const found = scanConversation(
			plainConversation(LONG),
			function* () {
				for (let step = 0; step < 8; step++) {
					done.push(`${step}`);
					yield TURN / 4;
				}
			},
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

	it("holds up no short one", async () => {
		const long = scan("ada", "a", 3);
		await vi.advanceTimersByTimeAsync(0);
		const before = done.length;
		await scanConversation(plainConversation("hello"), () => turnsOf("short", 2), { user: "eve", signal: null });
		expect(done.slice(before)).toEqual(["short1", "short2"]);
		await vi.runAllTimersAsync();
		await long;
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
		const failing = scanConversation(
			plainConversation(LONG),
			function* (): Steps<string> {
				yield TURN;
				throw new Error("broken");
			},
			{ user: "ada", signal: null },
		);
		const failure = expect(failing).rejects.toThrow("broken");
		const next = scan("ada", "b", 1);
		await vi.runAllTimersAsync();
		await failure;
		await expect(next).resolves.toBe("b");
	});
});
