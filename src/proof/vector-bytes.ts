// Vectors as bytes: what receipts hash and base64 answers hold (docs/proofs.md, "Receipts"). Pure.

const { BYTES_PER_ELEMENT } = Float32Array;

/** The numbers of vectors one after the other, as little-endian float32. Zero has no sign, as in JSON. */
export function vectorBytes(vectors: readonly Float32Array[]): Uint8Array {
	const numbers = vectors.reduce((sum, { length }) => sum + length, 0);
	const bytes = new Uint8Array(numbers * BYTES_PER_ELEMENT);
	const view = new DataView(bytes.buffer);
	let at = 0;
	for (const vector of vectors) {
		for (const number of vector) {
			view.setFloat32(at, number + 0, true);
			at += BYTES_PER_ELEMENT;
		}
	}
	return bytes;
}

/** The numbers of little-endian float32; null where the bytes are no whole ones. */
export function readVector(bytes: Uint8Array): Float32Array | null {
	if (bytes.length % BYTES_PER_ELEMENT !== 0) return null;
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	return Float32Array.from({ length: bytes.length / BYTES_PER_ELEMENT }, (_, at) =>
		view.getFloat32(at * BYTES_PER_ELEMENT, true),
	);
}
