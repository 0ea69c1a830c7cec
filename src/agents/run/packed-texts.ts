// Sealed texts of steps, packed into few rows: in a Durable Object, each row is what costs. Pure.

/** Sealed texts of one row: as many as stay below this, or one. */
const PACKED_BYTES = 1_048_576;
/** Before each sealed text: the index of its step, and its length. */
const FRAME_BYTES = 8;

export interface SealedText {
	index: number;
	sealed: Uint8Array<ArrayBuffer>;
}

/** Packs texts in their order. */
export function packTexts(texts: readonly SealedText[]): ArrayBuffer[] {
	const rows: SealedText[][] = [];
	let bytes = Number.POSITIVE_INFINITY;
	for (const text of texts) {
		const more = FRAME_BYTES + text.sealed.length;
		const row = bytes + more > PACKED_BYTES ? undefined : rows.at(-1);
		if (row) row.push(text);
		else rows.push([text]);
		bytes = row ? bytes + more : more;
	}
	return rows.map((row) => {
		const packed = new Uint8Array(row.reduce((sum, { sealed }) => sum + FRAME_BYTES + sealed.length, 0));
		const view = new DataView(packed.buffer);
		let at = 0;
		for (const { index, sealed } of row) {
			view.setUint32(at, index);
			view.setUint32(at + 4, sealed.length);
			packed.set(sealed, at + FRAME_BYTES);
			at += FRAME_BYTES + sealed.length;
		}
		return packed.buffer;
	});
}

/** The sealed text of a step among those of a row. */
export function findPacked(packed: ArrayBuffer, index: number): Uint8Array<ArrayBuffer> | null {
	const view = new DataView(packed);
	for (let at = 0; at < packed.byteLength; ) {
		const length = view.getUint32(at + 4);
		if (view.getUint32(at) === index) return new Uint8Array(packed.slice(at + FRAME_BYTES, at + FRAME_BYTES + length));
		at += FRAME_BYTES + length;
	}
	return null;
}
