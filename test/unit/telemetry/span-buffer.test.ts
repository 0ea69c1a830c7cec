// The buffer of spans: when a batch goes out, what happens while the collector is away, and what is dropped.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
	BATCH_WAIT_MS,
	type BatchAnswer,
	MAX_BATCH_SPANS,
	MAX_BUFFER_BYTES,
	SpanBuffer,
} from "../../../src/telemetry/span-buffer.ts";

const TAKEN: BatchAnswer = { kind: "taken", rejected: 0 };
const away = (askedMs: number | null = null): BatchAnswer => ({ kind: "away", askedMs });
const spans = (count: number, text = "span") => Array.from({ length: count }, (_, nth) => `${text} ${nth}`);

describe("a buffer of spans", () => {
	it("sends what has waited for 5 s, and 512 at once", () => {
		const buffer = new SpanBuffer();
		expect(buffer.dueAtMs(0)).toBeNull();
		buffer.add(spans(2), 1_000);
		buffer.add(spans(1), 4_000);
		expect(buffer.dueAtMs(4_000)).toBe(1_000 + BATCH_WAIT_MS);
		expect(buffer.take(1_000 + BATCH_WAIT_MS - 1)).toBeNull();
		expect(buffer.take(1_000 + BATCH_WAIT_MS)?.texts).toEqual(["span 0", "span 1", "span 0"]);
		const full = new SpanBuffer();
		full.add(spans(MAX_BATCH_SPANS - 1), 0);
		expect(full.take(0)).toBeNull();
		full.add(spans(2), 0);
		const batch = full.take(0);
		expect(batch?.texts.length).toBe(MAX_BATCH_SPANS);
		full.answered(batch?.id ?? 0, TAKEN, 0);
		expect([full.size, full.takeCounts()]).toEqual([1, { sent: MAX_BATCH_SPANS, dropped: 0 }]);
	});

	it("sends at once when nobody comes who would send it later", () => {
		const buffer = new SpanBuffer();
		buffer.add(spans(1), 50_000);
		buffer.hurry();
		expect(buffer.take(50_000)?.texts).toEqual(["span 0"]);
	});

	it("sends one batch at a time, and the same again to a collector that was away", () => {
		const buffer = new SpanBuffer();
		buffer.add(spans(2), 0);
		const first = buffer.take(5_000);
		buffer.add(spans(MAX_BATCH_SPANS, "later"), 5_000);
		expect(buffer.take(5_100)).toBeNull();
		buffer.answered(first?.id ?? 0, away(), 6_000);
		expect(buffer.dueAtMs(6_000)).toBe(7_000);
		const second = buffer.take(7_000);
		expect(second?.texts.slice(0, 3)).toEqual(["span 0", "span 1", "later 0"]);
		expect(second?.texts.length).toBe(MAX_BATCH_SPANS);
	});

	it("waits longer with each failure, and as long as the collector asks", () => {
		const buffer = new SpanBuffer();
		buffer.add(spans(1), 0);
		buffer.hurry();
		let nowMs = 0;
		const waits = Array.from({ length: 8 }, () => {
			nowMs = buffer.dueAtMs(nowMs) ?? Number.NaN;
			const batch = buffer.take(nowMs);
			buffer.answered(batch?.id ?? 0, away(), nowMs);
			return (buffer.dueAtMs(nowMs) ?? 0) - nowMs;
		});
		expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
		nowMs += 60_000;
		buffer.answered(buffer.take(nowMs)?.id ?? 0, away(90_000), nowMs);
		expect(buffer.dueAtMs(nowMs)).toBe(nowMs + 90_000);
		// A collector cannot ask for a day.
		nowMs += 90_000;
		buffer.answered(buffer.take(nowMs)?.id ?? 0, away(86_400_000), nowMs);
		expect(buffer.dueAtMs(nowMs)).toBe(nowMs + 600_000);
		nowMs += 600_000;
		buffer.answered(buffer.take(nowMs)?.id ?? 0, TAKEN, nowMs);
		expect([buffer.failures, buffer.size, buffer.bytes]).toEqual([0, 0, 0]);
	});

	it("drops the oldest beyond 2 MiB and counts them, those that no collector takes as well", () => {
		const buffer = new SpanBuffer();
		const large = "é".repeat(MAX_BUFFER_BYTES / 8);
		buffer.add(
			[0, 1, 2, 3, 4].map((nth) => `${nth}${large}`),
			0,
		);
		expect(buffer.bytes).toBeLessThanOrEqual(MAX_BUFFER_BYTES);
		buffer.hurry();
		const batch = buffer.take(0);
		expect(batch?.texts.map((text) => text[0])).toEqual(["2", "3", "4"]);
		buffer.answered(batch?.id ?? 0, { kind: "refused" }, 0);
		expect(buffer.takeCounts()).toEqual({ sent: 0, dropped: 5 });
		buffer.add([`x${large}${large}${large}${large}`], 0);
		expect([buffer.size, buffer.takeCounts()]).toEqual([0, { sent: 0, dropped: 1 }]);
		buffer.add(spans(3), 0);
		buffer.hurry();
		buffer.answered(buffer.take(0)?.id ?? 0, { kind: "taken", rejected: 2 }, 0);
		expect(buffer.takeCounts()).toEqual({ sent: 1, dropped: 2 });
	});

	it("gives a batch to another when whoever sent it was ended, and hears the first no more", () => {
		const buffer = new SpanBuffer();
		buffer.add(spans(1), 0);
		const first = buffer.take(BATCH_WAIT_MS);
		expect(buffer.take(BATCH_WAIT_MS + 29_000)).toBeNull();
		const second = buffer.take(BATCH_WAIT_MS + 30_000);
		expect(second?.texts).toEqual(first?.texts);
		buffer.answered(first?.id ?? 0, TAKEN, BATCH_WAIT_MS + 31_000);
		expect(buffer.size).toBe(1);
		buffer.answered(second?.id ?? 0, TAKEN, BATCH_WAIT_MS + 31_000);
		expect(buffer.size).toBe(0);
	});

	it("is not held up by a clock that went back", () => {
		const buffer = new SpanBuffer();
		buffer.add(spans(1), 10_000_000);
		expect(buffer.dueAtMs(1_000)).toBe(1_000 + BATCH_WAIT_MS);
	});

	it("accounts for each span once, whatever the collector does", () => {
		const step = fc.oneof(
			fc.record({ add: fc.integer({ min: 1, max: 700 }) }),
			fc.record({ answer: fc.constantFrom<BatchAnswer>(TAKEN, away(), away(5_000), { kind: "refused" }) }),
			fc.record({ waitMs: fc.integer({ min: 0, max: 40_000 }) }),
		);
		fc.assert(
			fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
				const buffer = new SpanBuffer();
				let [nowMs, added, sent, dropped] = [0, 0, 0, 0];
				let underWay: number | null = null;
				for (const one of steps) {
					if ("add" in one) {
						buffer.add(spans(one.add, "x".repeat(3_000)), nowMs);
						added += one.add;
					} else if ("waitMs" in one) nowMs += one.waitMs;
					else if (underWay !== null) {
						buffer.answered(underWay, one.answer, nowMs);
						underWay = null;
					}
					underWay = buffer.take(nowMs)?.id ?? underWay;
					const counts = buffer.takeCounts();
					sent += counts.sent;
					dropped += counts.dropped;
					expect(buffer.bytes).toBeLessThanOrEqual(MAX_BUFFER_BYTES);
					expect(buffer.size + sent + dropped).toBe(added);
				}
			}),
			{ numRuns: 100 },
		);
	});
});
