// Reads AWS's binary event streams (application/vnd.amazon.eventstream): framing, checksums, headers. What the events mean is the
// wire's. Source: smithy.io, "Amazon Event Stream Specification" (2026-11-28), and awslabs/aws-c-event-stream. Pure.
import { lazy } from "../lazy.ts";
import { UpstreamInterrupted } from "./call-failure.ts";
import type { EventReader, StreamEvent } from "./wire.ts";

/** Total length, length of the headers, and the checksum of both: 32 bits each, the highest byte first. */
const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** The specification's limits of a message. */
const MAX_MESSAGE_BYTES = 16_777_216;
const MAX_HEADER_BYTES = 131_072;

/** The types of header values that have one length; true and false have none. */
const VALUE_BYTES: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];
/** A text, with its length before it. Type 6, bytes, is measured alike. */
const TEXT_TYPE = 7;
const LENGTH_BYTES = 2;

/** The table of CRC-32 as in Ethernet and zip (polynomial 0xEDB88320). */
const crcTable = lazy(() =>
	Uint32Array.from({ length: 256 }, (_, byte) => {
		let crc = byte;
		for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
		return crc;
	}),
);

/** The CRC-32 of bytes, as a number without sign. */
export function crc32(bytes: Uint8Array): number {
	const table = crcTable();
	let crc = 0xffffffff;
	for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
	return ~crc >>> 0;
}

/** The error for bytes that are no event stream. */
function unreadable(): UpstreamInterrupted {
	return new UpstreamInterrupted("unusable");
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
	return new DataView(buffer, byteOffset, byteLength);
}

const textDecoder = new TextDecoder();

/** The headers of a message that are texts, by name. The others are passed over. @throws UpstreamInterrupted */
function readTextHeaders(bytes: Uint8Array): Map<string, string> {
	const headers = new Map<string, string>();
	let at = 0;
	const take = (length: number): Uint8Array => {
		at += length;
		if (at > bytes.length) throw unreadable();
		return bytes.subarray(at - length, at);
	};
	while (at < bytes.length) {
		const [nameLength = 0] = take(1);
		const name = textDecoder.decode(take(nameLength));
		const [type = Number.NaN] = take(1);
		if (nameLength === 0 || !(type in VALUE_BYTES)) throw unreadable();
		const value = take(VALUE_BYTES[type] ?? viewOf(take(LENGTH_BYTES)).getUint16(0));
		if (type === TEXT_TYPE) headers.set(name, textDecoder.decode(value));
	}
	return headers;
}

/**
 * A message as an event: its data is the payload, its name that of the event or the exception.
 * An error has no payload: its code and message become the data of an exception.
 */
function toStreamEvent(headers: ReadonlyMap<string, string>, payload: Uint8Array): StreamEvent {
	const kind = headers.get(":message-type");
	if (kind === "error") {
		const message = headers.get(":error-message") ?? "";
		return { event: `exception ${headers.get(":error-code") ?? ""}`, data: JSON.stringify({ message }) };
	}
	const data = textDecoder.decode(payload);
	if (kind === "exception") return { event: `exception ${headers.get(":exception-type") ?? ""}`, data };
	return { event: headers.get(":event-type"), data };
}

/** The length of the message that bytes begin with; null while there are too few to say. @throws UpstreamInterrupted */
function readMessageLength(bytes: Uint8Array): number | null {
	if (bytes.length < PRELUDE_BYTES) return null;
	const view = viewOf(bytes);
	const total = view.getUint32(0);
	const headerBytes = view.getUint32(4);
	// The checksum comes first: a wrong length would be waited for.
	if (crc32(bytes.subarray(0, 8)) !== view.getUint32(8)) throw unreadable();
	const isPossible = total <= MAX_MESSAGE_BYTES && headerBytes <= MAX_HEADER_BYTES;
	if (!isPossible || headerBytes > total - PRELUDE_BYTES - CHECKSUM_BYTES) throw unreadable();
	return total;
}

/** @throws UpstreamInterrupted where the checksum or the headers are wrong. */
function readMessage(message: Uint8Array): StreamEvent {
	const view = viewOf(message);
	const end = message.length - CHECKSUM_BYTES;
	if (crc32(message.subarray(0, end)) !== view.getUint32(end)) throw unreadable();
	const payloadAt = PRELUDE_BYTES + view.getUint32(4);
	return toStreamEvent(readTextHeaders(message.subarray(PRELUDE_BYTES, payloadAt)), message.subarray(payloadAt, end));
}

const FIRST_BUFFER_BYTES = 4_096;

/**
 * Collects pieces in one buffer that doubles as it fills: each byte of a long message is copied a few times, however small the pieces
 * are, and no piece is kept.
 */
class ByteBuffer {
	#bytes = new Uint8Array(FIRST_BUFFER_BYTES);
	#length = 0;

	get length(): number {
		return this.#length;
	}

	/** What is in it, until it changes. */
	get held(): Uint8Array {
		return this.#bytes.subarray(0, this.#length);
	}

	add(piece: Uint8Array): void {
		const length = this.#length + piece.length;
		if (length > this.#bytes.length) {
			const larger = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
			larger.set(this.held);
			this.#bytes = larger;
		}
		this.#bytes.set(piece, this.#length);
		this.#length = length;
	}

	/** Drops all but the last bytes. */
	keepLast(length: number): void {
		this.#bytes.copyWithin(0, this.#length - length, this.#length);
		this.#length = length;
	}
}

/** @param onEvent is called with each message as soon as it is whole and its checksums are right. */
export function createEventStreamReader(onEvent: (event: StreamEvent) => void): EventReader {
	const buffer = new ByteBuffer();
	let wantedBytes = PRELUDE_BYTES;
	return {
		feed(piece) {
			buffer.add(piece);
			if (buffer.length < wantedBytes) return;
			let bytes = buffer.held;
			for (;;) {
				const total = readMessageLength(bytes);
				wantedBytes = total ?? PRELUDE_BYTES;
				if (total === null || bytes.length < total) break;
				onEvent(readMessage(bytes.subarray(0, total)));
				bytes = bytes.subarray(total);
			}
			buffer.keepLast(bytes.length);
		},
		end() {
			if (buffer.length > 0) throw new UpstreamInterrupted("cut");
		},
	};
}
