// PDF files and recordings as tests send them.

/** A page tree: a page, or what holds trees. */
export type PageTree = "page" | readonly PageTree[];

/** How a PDF is written. */
interface PdfOptions {
	/** Compresses the objects of the tree into a stream; the objects are plain text without. */
	deflate?: (text: string) => Uint8Array;
	/** The dictionary of that stream, if not the usual one. */
	dictionary?: (length: number, first: number) => string;
	/** What stands in front of the trailer. */
	more?: string;
}

const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);

function toObjects(tree: PageTree): string[] {
	const objects: string[] = [];
	const add = (node: PageTree): number => {
		const at = objects.push("") - 1;
		objects[at] =
			node === "page"
				? "<< /Type /Page /MediaBox [0 0 612 792] >>"
				: `<< /Type /Pages /Kids [${node.map((kid) => `${add(kid) + 2} 0 R`).join(" ")}] /Count ${node.length} >>`;
		return at;
	};
	add(tree);
	return objects;
}

/** The bytes of a PDF with these pages. Its objects have the numbers from 2 on; 1 is the catalog. */
export function toPdf(tree: PageTree, { deflate, dictionary, more = "" }: PdfOptions = {}): Uint8Array {
	const objects = toObjects(tree);
	const head = "%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n";
	const tail = `${more}trailer\n<< /Root 1 0 R >>\n%%EOF\n`;
	if (!deflate)
		return latin1(`${head}${objects.map((object, at) => `${at + 2} 0 obj\n${object}\nendobj\n`).join("")}${tail}`);
	let offset = 0;
	const index = objects.map((object, at) => {
		const entry = `${at + 2} ${offset}`;
		offset += object.length + 1;
		return entry;
	});
	const first = `${index.join(" ")} `;
	const packed = deflate(`${first}${objects.join("\n")}`);
	const toDictionary =
		dictionary ??
		((length, start) =>
			`<< /Type /ObjStm /N ${objects.length} /First ${start} /Length ${length} /Filter /FlateDecode >>`);
	return Uint8Array.of(
		...latin1(`${head}${objects.length + 2} 0 obj\n${toDictionary(packed.length, first.length)}\nstream\n`),
		...packed,
		...latin1(`\nendstream\nendobj\n${tail}`),
	);
}

/** So many pages in one list. */
export function flatTree(pages: number): PageTree {
	return Array.from({ length: pages }, () => "page" as const);
}

/** Seconds of silence as a WAV of 16 bits a sample. */
export function toWav(seconds: number, hertz = 8_000): Uint8Array {
	const bytes = new Uint8Array(44 + seconds * hertz * 2);
	const view = new DataView(bytes.buffer);
	bytes.set(latin1("RIFF"), 0);
	view.setUint32(4, bytes.length - 8, true);
	bytes.set(latin1("WAVEfmt "), 8);
	view.setUint32(16, 16, true);
	view.setUint16(20, 1, true);
	view.setUint16(22, 1, true);
	view.setUint32(24, hertz, true);
	view.setUint32(28, hertz * 2, true);
	view.setUint16(32, 2, true);
	view.setUint16(34, 16, true);
	bytes.set(latin1("data"), 36);
	view.setUint32(40, seconds * hertz * 2, true);
	return bytes;
}

/** Frames of an MP3 of 128 kbit/s and 44.1 kHz: 417 bytes and 1,152 samples each. */
export function toMp3(frames: number): Uint8Array {
	const bytes = new Uint8Array(417 * frames);
	for (let at = 0; at < bytes.length; at += 417) bytes.set([0xff, 0xfb, 0x90, 0x00], at);
	return bytes;
}

/** Standard base64 of bytes. */
export function toBase64(bytes: Uint8Array): string {
	let text = "";
	for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
	return btoa(text);
}
