// Texts that repeat a base: a page says what its Markdown says, and all pages have one frame. gzip finds repetitions within 32 KiB only,
// so the build packs texts (cli/site/pack-text.ts), and they are unpacked when they are served. Pure.

/** Stands around each copy of a part of the base. No text of the site holds it. */
export const COPY_MARK = "\u0001";

/** Radix of the numbers of a copy. */
export const COPY_RADIX = 36;

/**
 * The text that was packed: every second part between marks is a copy, said as how far it begins behind the end of the copy
 * before, and its length.
 */
export function unpackText(packed: string, base: string): string {
	let end = 0;
	return packed
		.split(COPY_MARK)
		.map((part, position) => {
			if (position % 2 === 0) return part;
			const [skipped = 0, length = 0] = part.split(",").map((number) => Number.parseInt(number, COPY_RADIX));
			const start = end + skipped;
			end = start + length;
			return base.slice(start, end);
		})
		.join("");
}
