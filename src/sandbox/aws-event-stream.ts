// Writes messages of AWS's binary event streams, with code that shares nothing with the service's reader.

const TEXT_TYPE = 7;

/** CRC-32, a bit at a time. */
function checksum(bytes: Uint8Array): number {
	let remainder = -1;
	for (const byte of bytes) {
		for (let bit = 0; bit < 8; bit++) {
			const isOdd = ((remainder ^ (byte >>> bit)) & 1) === 1;
			remainder = isOdd ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
		}
	}
	return (remainder ^ -1) >>> 0;
}

function numberBytes(value: number, count: 2 | 4): number[] {
	return Array.from({ length: count }, (_, index) => (value >>> (8 * (count - 1 - index))) & 0xff);
}

function headerBytes(name: string, value: string): number[] {
	const encoder = new TextEncoder();
	const [nameBytes, valueBytes] = [encoder.encode(name), encoder.encode(value)];
	return [nameBytes.length, ...nameBytes, TEXT_TYPE, ...numberBytes(valueBytes.length, 2), ...valueBytes];
}

/** One message: its headers, whose values are texts, and its payload. */
export function eventMessage(headers: Readonly<Record<string, string>>, payload: string): Uint8Array {
	const head = Object.entries(headers).flatMap(([name, value]) => headerBytes(name, value));
	const body = new TextEncoder().encode(payload);
	const lengths = [...numberBytes(16 + head.length + body.length, 4), ...numberBytes(head.length, 4)];
	const message = new Uint8Array(16 + head.length + body.length);
	message.set([...lengths, ...numberBytes(checksum(Uint8Array.from(lengths)), 4), ...head]);
	message.set(body, 12 + head.length);
	message.set(numberBytes(checksum(message.subarray(0, -4)), 4), message.length - 4);
	return message;
}

const JSON_TYPE = { ":content-type": "application/json" };

/** An event of ConverseStream. Its payload has a filler, which hides its length. */
export function streamEvent(name: string, fields: Record<string, unknown>): Uint8Array {
	const headers = { ":event-type": name, ...JSON_TYPE, ":message-type": "event" };
	return eventMessage(headers, JSON.stringify({ ...fields, p: "abcdefgh" }));
}

/** An exception within a stream. */
export function streamException(name: string, message: string): Uint8Array {
	const headers = { ":exception-type": name, ...JSON_TYPE, ":message-type": "exception" };
	return eventMessage(headers, JSON.stringify({ message }));
}
