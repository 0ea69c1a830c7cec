// Pictures of pages as documents show them: WebP, small enough for a page.
import { writeFileSync } from "node:fs";
import type { Page } from "playwright-core";

/** No picture is larger, bytes. */
export const MAX_PICTURE_BYTES = 153_600;

/** Qualities that are tried, best first. */
const QUALITIES = [40, 30];

/** Takes a picture of what the window shows, as good as fits. @returns its size, bytes. */
export async function writePicture(page: Page, path: string): Promise<number> {
	const session = await page.context().newCDPSession(page);
	try {
		for (const quality of QUALITIES) {
			const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality });
			const bytes = Buffer.from(data, "base64");
			if (bytes.length > MAX_PICTURE_BYTES) continue;
			writeFileSync(path, bytes);
			return bytes.length;
		}
		throw new Error(`a picture of ${page.url()} is larger than ${MAX_PICTURE_BYTES} bytes`);
	} finally {
		await session.detach();
	}
}
