// AWS's binary event streams: messages in any pieces, both checksums, lengths that cannot be, exceptions.
import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UpstreamInterrupted } from "../../../src/providers/call-failure.ts";
import { crc32, createEventStreamReader } from "../../../src/providers/event-stream.ts";
import type { StreamEvent } from "../../../src/providers/wire.ts";
import { eventMessage } from "../../../src/sandbox/aws-event-stream.ts";

interface Reading {
	events: StreamEvent[];
	/** Why reading stopped; null where it did not. */
	why: string | null;
}

/** @param sizes lengths of the pieces; the last one repeats. */
function readPieces(body: Uint8Array, sizes: readonly number[]): Reading {
	const events: StreamEvent[] = [];
	const reader = createEventStreamReader((event) => events.push(event));
	try {
		let at = 0;
		for (let piece = 0; at < body.length; piece++) {
			const size = Math.max(1, sizes[Math.min(piece, sizes.length - 1)] ?? body.length);
			reader.feed(body.subarray(at, at + size));
			at += size;
		}
		reader.end();
		return { events, why: null };
	} catch (error) {
		if (error instanceof UpstreamInterrupted) return { events, why: error.why };
		throw error;
	}
}

const base64 = (text: string) => Uint8Array.from(Buffer.from(text, "base64"));

/** What Bedrock sent on 2026-08-18: two events of vercel/ai's fixture issue-18994-live-converse-stream.json. */
const RECORDED = base64(
	"AAAAswAAAFfHSmn6CzpldmVudC10eXBlBwARY29udGVudEJsb2NrRGVsdGENOmNvbnRlbnQtdHlwZQcAEGFwcGxpY2F0aW9uL2pzb24NOm1lc3NhZ2UtdHlwZQcABWV2ZW50eyJjb250ZW50QmxvY2tJbmRleCI6MCwiZGVsdGEiOnsidGV4dCI6Ik9LIn0sInAiOiJhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3gifXbBTlwAAACGAAAAVtmMbpoLOmV2ZW50LXR5cGUHABBjb250ZW50QmxvY2tTdG9wDTpjb250ZW50LXR5cGUHABBhcHBsaWNhdGlvbi9qc29uDTptZXNzYWdlLXR5cGUHAAVldmVudHsiY29udGVudEJsb2NrSW5kZXgiOjAsInAiOiJhYiJ98ziKIA==",
);
/** The exception of vercel/ai's fixture model-stream-error-exception.eventstream.base64.txt. */
const RECORDED_EXCEPTION = base64(
	"AAAA3QAAAGfHkZB6DTptZXNzYWdlLXR5cGUHAAlleGNlcHRpb24POmV4Y2VwdGlvbi10eXBlBwAZbW9kZWxTdHJlYW1FcnJvckV4Y2VwdGlvbg06Y29udGVudC10eXBlBwAQYXBwbGljYXRpb24vanNvbnsibWVzc2FnZSI6Ik1vZGVsIFN0cmVhbSBFcnJvciIsIm9yaWdpbmFsU3RhdHVzQ29kZSI6NTAwLCJvcmlnaW5hbE1lc3NhZ2UiOiJUaGUgbW9kZWwgc3RyZWFtIGZhaWxlZC4ifVczQxM=",
);

describe("an event stream", () => {
	it("reads what Bedrock was recorded to send", () => {
		const { events, why } = readPieces(RECORDED, [RECORDED.length]);
		expect(why).toBeNull();
		expect(events.map(({ event, data }) => [event, JSON.parse(data)])).toMatchObject([
			["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "OK" } }],
			["contentBlockStop", { contentBlockIndex: 0 }],
		]);
	});

	it("names an exception by its type, and an error by its code and message", () => {
		const error = eventMessage({ ":message-type": "error", ":error-code": "InternalError", ":error-message": "m" }, "");
		const { events } = readPieces(Buffer.concat([RECORDED_EXCEPTION, error]), [1_000]);
		expect(events.map(({ event, data }) => [event, JSON.parse(data)])).toEqual([
			[
				"exception modelStreamErrorException",
				{ message: "Model Stream Error", originalStatusCode: 500, originalMessage: "The model stream failed." },
			],
			["exception InternalError", { message: "m" }],
		]);
	});

	it("reads the same in any pieces", () => {
		const message = fc.record({
			name: fc.string({ maxLength: 20 }),
			payload: fc.string({ unit: "grapheme", maxLength: 200 }),
		});
		fc.assert(
			fc.property(fc.array(message, { maxLength: 6 }), fc.array(fc.nat(40), { maxLength: 20 }), (messages, sizes) => {
				const body = Buffer.concat(
					messages.map(({ name, payload }) =>
						eventMessage({ ":event-type": name, ":message-type": "event", note: "ä" }, payload),
					),
				);
				const whole = readPieces(body, [body.length]);
				expect(whole).toEqual({
					events: messages.map(({ name, payload }) => ({ event: name, data: payload })),
					why: null,
				});
				expect(readPieces(body, [...sizes, 1])).toEqual(whole);
			}),
		);
	});

	it("reads a message that comes byte by byte from one buffer that is filled again", () => {
		const payload = "x".repeat(100_000);
		const body = eventMessage({ ":event-type": "e", ":message-type": "event" }, payload);
		const events: StreamEvent[] = [];
		const reader = createEventStreamReader((event) => events.push(event));
		const piece = new Uint8Array(1);
		for (const byte of body) {
			piece[0] = byte;
			reader.feed(piece);
		}
		reader.end();
		expect(events).toEqual([{ event: "e", data: payload }]);
	});

	it("is cut where its last message is", () => {
		for (let kept = 1; kept < RECORDED.length; kept++) {
			const { events, why } = readPieces(RECORDED.subarray(0, kept), [kept]);
			const isWhole = kept === RECORDED.length - 0x86;
			expect([events.length, why], `${kept} bytes`).toEqual([
				kept < RECORDED.length - 0x86 ? 0 : 1,
				isWhole ? null : "cut",
			]);
		}
	});

	it("is unusable from the first wrong byte on, wherever it is, and not before", () => {
		const first = RECORDED.length - 0x86;
		for (let at = first; at < RECORDED.length; at++) {
			const wrong = Uint8Array.from(RECORDED);
			wrong[at] = (wrong[at] ?? 0) ^ 0x10;
			const { events, why } = readPieces(wrong, [1]);
			expect([events.length, why], `byte ${at}`).toEqual([1, "unusable"]);
		}
	});

	/** A message of these lengths, with the right checksum of its prelude. */
	function prelude(total: number, headers: number): Uint8Array {
		const bytes = new Uint8Array(12);
		const view = new DataView(bytes.buffer);
		view.setUint32(0, total);
		view.setUint32(4, headers);
		view.setUint32(8, zlibCrc32(bytes.subarray(0, 8)));
		return bytes;
	}

	it("waits for no message that cannot be", () => {
		const lengths = [
			[16_777_217, 0],
			[0xffffffff, 0],
			[200_000, 131_073],
			[15, 0],
			[0, 0],
			[20, 5],
		] as const;
		for (const [total, headers] of lengths)
			expect(readPieces(prelude(total, headers), [12]).why, `${total} ${headers}`).toBe("unusable");
		expect(readPieces(prelude(16_777_216, 131_072), [12]).why).toBe("cut");
	});

	/** A whole message around headers, with the right checksums. */
	function around(headers: readonly number[]): Uint8Array {
		const message = Buffer.concat([
			prelude(16 + headers.length, headers.length),
			Uint8Array.from(headers),
			Buffer.alloc(4),
		]);
		message.writeUInt32BE(zlibCrc32(message.subarray(0, -4)), message.length - 4);
		return message;
	}

	it("passes over headers that are no texts, and refuses those that have no form", () => {
		const name = [1, 0x78];
		const values = [
			[0],
			[1],
			[2, 9],
			[3, 9, 9],
			[4, ...Array(4).fill(9)],
			[5, ...Array(8).fill(9)],
			[6, 0, 2, 9, 9],
			[8, ...Array(8).fill(9)],
			[9, ...Array(16).fill(9)],
		];
		const type = [11, ...new TextEncoder().encode(":event-type"), 7, 0, 1, 0x65];
		expect(readPieces(around([...values.flatMap((value) => [...name, ...value]), ...type]), [1])).toEqual({
			events: [{ event: "e", data: "" }],
			why: null,
		});
		const unreadable = [[0, 0], [...name], [...name, 10], [5, 0x78], [...name, 7, 0, 9, 0x65], [...name, 2]];
		for (const headers of unreadable) expect(readPieces(around(headers), [1]).why, String(headers)).toBe("unusable");
	});
});

it("computes CRC-32 as zlib does", () => {
	fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => crc32(bytes) === zlibCrc32(bytes)));
	expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf43926);
});
