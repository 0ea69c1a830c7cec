// How long a body may be silent, and when its time is up: only waiting counts, but time runs whether somebody reads or not.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type BodyDeadlines, UpstreamBody } from "../../../src/providers/body.edge.ts";
import type { UpstreamInterrupted } from "../../../src/providers/call-failure.ts";

const encoder = new TextEncoder();

beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	expect(vi.getTimerCount()).toBe(0);
	vi.useRealTimers();
});

/** An upstream's side of a body. */
class Upstream {
	cancelled = false;
	overs = 0;
	readonly body: UpstreamBody;
	#controller: ReadableStreamDefaultController<Uint8Array> | undefined;

	constructor({
		firstDeltaMs = 100,
		idleMs = 100,
		totalMs = 10_000,
	}: Partial<BodyDeadlines> & { totalMs?: number } = {}) {
		const stream = new ReadableStream<Uint8Array>({
			start: (controller) => {
				this.#controller = controller;
			},
			cancel: () => {
				this.cancelled = true;
			},
		});
		const patience = { firstDeltaMs, idleMs, endsAtMs: Date.now() + totalMs };
		this.body = new UpstreamBody(new Response(stream), patience, () => this.overs++);
	}

	says(text: string): void {
		this.#controller?.enqueue(encoder.encode(text));
	}

	ends(): void {
		this.#controller?.close();
	}

	breaks(): void {
		this.#controller?.error(new Error("Network connection lost."));
	}

	/** What the next read comes to: a text, null at the end, or why there is none. */
	async read(): Promise<string | null> {
		try {
			const piece = await this.body.read();
			return piece && new TextDecoder().decode(piece);
		} catch (error) {
			return (error as UpstreamInterrupted).why;
		}
	}
}

describe("a body", () => {
	it("is read piece by piece to its end", async () => {
		const upstream = new Upstream();
		upstream.says("a");
		upstream.says("ä".repeat(2));
		upstream.ends();
		expect([await upstream.read(), await upstream.read(), await upstream.read()]).toEqual(["a", "ää", null]);
		expect(upstream.overs).toBe(0);
	});

	it("may be silent for so long and not longer", async () => {
		const upstream = new Upstream({ idleMs: 100 });
		for (let i = 0; i < 5; i++) {
			const piece = upstream.read();
			await vi.advanceTimersByTimeAsync(99);
			upstream.says("x");
			expect(await piece).toBe("x");
		}
		const last = upstream.read();
		await vi.advanceTimersByTimeAsync(100);
		expect([await last, upstream.cancelled, upstream.overs]).toEqual(["timeout", true, 1]);
		expect(await upstream.read()).toBe("timeout");
	});

	it("may be silent for longer until the model has spoken", async () => {
		const upstream = new Upstream({ firstDeltaMs: 1_000, idleMs: 100 });
		let piece = upstream.read();
		await vi.advanceTimersByTimeAsync(900);
		upstream.says("x");
		await piece;
		upstream.body.noteOutput();
		piece = upstream.read();
		await vi.advanceTimersByTimeAsync(100);
		expect(await piece).toBe("timeout");
	});

	it("is not silent while nobody reads it", async () => {
		const upstream = new Upstream({ idleMs: 100 });
		upstream.says("x");
		await upstream.read();
		await vi.advanceTimersByTimeAsync(5_000);
		const piece = upstream.read();
		await vi.advanceTimersByTimeAsync(50);
		upstream.says("y");
		expect(await piece).toBe("y");
		upstream.body.close();
	});

	it.each([true, false])("is over when its time is up (somebody waits: %s)", async (waits) => {
		const upstream = new Upstream({ firstDeltaMs: 1_000, idleMs: 1_000, totalMs: 300 });
		const piece = waits ? upstream.read() : null;
		await vi.advanceTimersByTimeAsync(300);
		expect([upstream.cancelled, upstream.overs]).toEqual([true, 1]);
		expect(await (piece ?? upstream.read())).toBe("out_of_time");
	});

	it("that breaks is cut, and one that a deadline ended is not, however the platform says so", async () => {
		const upstream = new Upstream();
		upstream.breaks();
		expect(await upstream.read()).toBe("cut");
		upstream.body.close();

		// The Workers runtime lets a pending read fail when a network body is cancelled.
		const pending = Promise.withResolvers<never>();
		const cancel = async () => pending.reject(new Error("cancelled"));
		const getReader = () => ({ read: () => pending.promise, cancel });
		const network = { body: { getReader } } as unknown as Response;
		const body = new UpstreamBody(network, { firstDeltaMs: 100, idleMs: 100, endsAtMs: Date.now() + 1_000 });
		const piece = body.read().catch((error: UpstreamInterrupted) => error.why);
		await vi.advanceTimersByTimeAsync(100);
		expect(await piece).toBe("timeout");
	});

	it("is read no further than asked, and refused when it is larger than any answer", async () => {
		const upstream = new Upstream();
		for (let i = 0; i < 10; i++) upstream.says("0123456789");
		expect(await upstream.body.readRest(25)).toHaveLength(30);
		upstream.body.close();
		const large = new Upstream();
		const mebibyte = "x".repeat(1_048_576);
		for (let i = 0; i < 33; i++) large.says(mebibyte);
		expect(await large.body.readRest().catch((error: UpstreamInterrupted) => error.why)).toBe("too_large");
		large.body.close();
	});

	it("without any content ends at once", async () => {
		const body = new UpstreamBody(new Response(null), { firstDeltaMs: 100, idleMs: 100, endsAtMs: Date.now() + 100 });
		expect(await body.readRest()).toBe("");
	});
});
