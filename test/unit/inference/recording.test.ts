// The length of recordings: never less than a decoder finds.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRecording } from "../../../src/inference/recording.ts";
import { toMp3, toWav } from "../../support/sent-files.ts";

const seconds = (bytes: Uint8Array, format: "wav" | "mp3") => {
	const read = readRecording(bytes, format);
	return read.ok ? read.maxSeconds : read.message;
};

describe("a WAV", () => {
	it("is as long as its samples, and its header", () => {
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 20 }), fc.constantFrom(8_000, 16_000, 44_100), (length, hertz) => {
				const found = seconds(toWav(length, hertz), "wav");
				expect(found).toBeGreaterThanOrEqual(length);
				expect(found).toBeLessThan(length + 0.01);
			}),
		);
	});

	it("that claims few samples a second, or large ones, is as long as that makes it", () => {
		const slow = toWav(1);
		new DataView(slow.buffer).setUint32(24, 1, true);
		expect(seconds(slow, "wav")).toBeGreaterThan(8_000);
		const large = toWav(1);
		new DataView(large.buffer).setUint16(32, 65_535, true);
		expect(seconds(large, "wav")).toBeGreaterThanOrEqual(1);
	});

	it("that is compressed, empty or none is refused", () => {
		const compressed = toWav(1);
		new DataView(compressed.buffer).setUint16(20, 0x55, true);
		const silent = toWav(1);
		new DataView(silent.buffer).setUint32(24, 0, true);
		for (const bytes of [compressed, silent, toMp3(3), new Uint8Array(), toWav(1).subarray(0, 30)])
			expect(seconds(bytes, "wav")).toMatch(/no WAV/);
	});

	it("of any bytes is read without a fault", () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(60), (noise, at) => {
				const bytes = toWav(1).slice(0, 200);
				bytes.set(noise.subarray(0, 100), at);
				expect(readRecording(bytes, "wav").ok).toBeTypeOf("boolean");
				expect(readRecording(noise, "mp3").ok).toBeTypeOf("boolean");
			}),
		);
	});
});

describe("an MP3", () => {
	it("is as long as its frames, behind a tag and before one", () => {
		const exact = (100 * 1_152) / 44_100;
		expect(seconds(toMp3(100), "mp3")).toBeCloseTo(exact, 6);
		const tag = Uint8Array.of(0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 5, 1, 2, 3, 4, 5);
		expect(seconds(Uint8Array.of(...tag, ...toMp3(100), ...new Uint8Array(128)), "mp3")).toBeCloseTo(exact, 6);
	});

	it("with anything else between its frames is as long as its lowest rate makes it", () => {
		const broken = Uint8Array.of(...toMp3(10), ...new Uint8Array(500), ...toMp3(10));
		expect(seconds(broken, "mp3")).toBe(broken.length / 1_000);
	});

	it("that is none is refused", () => {
		expect(seconds(toWav(1), "mp3")).toMatch(/no MP3/);
	});
});
