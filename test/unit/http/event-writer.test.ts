// An event writer: each read takes one text, a client that leaves is noticed at once, and nothing waits for it.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventWriter, type KeepAlive } from "../../../src/http/event-writer.edge.ts";

const decoder = new TextDecoder();

beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	expect(vi.getTimerCount()).toBe(0);
	vi.useRealTimers();
});

function startWriter(keepAlive?: KeepAlive) {
	const writer = new EventWriter(keepAlive);
	const reader = writer.readable.getReader();
	const read = async () => {
		const { value } = await reader.read();
		return value === undefined ? null : decoder.decode(value);
	};
	return { writer, reader, read };
}

/** Whether a promise is settled after everything that is due has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
	let settled = false;
	void promise.then(() => {
		settled = true;
	});
	await vi.advanceTimersByTimeAsync(0);
	return settled;
}

describe("an event writer", () => {
	it("waits until a text is taken, and hands over one text per read, in order", async () => {
		const { writer, read } = startWriter();
		const [first, second] = [writer.write("a"), writer.write("b")];
		expect([await isSettled(first), await isSettled(second)]).toEqual([false, false]);
		expect(await read()).toBe("a");
		expect([await isSettled(first), await isSettled(second)]).toEqual([true, false]);
		expect(await read()).toBe("b");
		const taken = read();
		expect(await isSettled(writer.write("c"))).toBe(true);
		expect(await taken).toBe("c");
		await writer.close();
		expect(await read()).toBe(null);
	});

	it("ends only when everything was taken", async () => {
		const { writer, read } = startWriter();
		void writer.write("last");
		const closed = writer.close();
		expect(await isSettled(closed)).toBe(false);
		expect([await read(), await read()]).toEqual(["last", null]);
		expect(await isSettled(closed)).toBe(true);
	});

	it("notices a client that leaves, and stops waiting for it", async () => {
		const { writer, reader } = startWriter();
		const written = writer.write("unread");
		await reader.cancel();
		expect([writer.gone.aborted, writer.hasGone]).toEqual([true, true]);
		expect(await isSettled(written)).toBe(true);
		expect(await isSettled(writer.write("more"))).toBe(true);
		expect(await isSettled(writer.close())).toBe(true);
	});

	it("ends all waiting when its owner asks for it", async () => {
		const { writer, read } = startWriter();
		const written = writer.write("a");
		writer.stopWaiting();
		expect([await isSettled(written), await isSettled(writer.write("b"))]).toEqual([true, true]);
		expect([await read(), await read()]).toEqual(["a", "b"]);
		await writer.close();
	});

	it("repeats no keep-alive that the client has not taken", async () => {
		const { writer, read } = startWriter({ text: " ", everyMs: 15_000 });
		await vi.advanceTimersByTimeAsync(60_000);
		void writer.write("end");
		expect([await read(), await read()]).toEqual([" ", "end"]);
		await writer.close();
	});

	it("writes a keep-alive into silence only", async () => {
		const { writer, read } = startWriter({ text: " ", everyMs: 15_000 });
		for (let seconds = 0; seconds < 20; seconds += 10) {
			const taken = read();
			await vi.advanceTimersByTimeAsync(10_000);
			await writer.write("x");
			expect(await taken).toBe("x");
		}
		const taken = read();
		await vi.advanceTimersByTimeAsync(16_500);
		expect(await taken).toBe(" ");
		await writer.close();
	});
});
