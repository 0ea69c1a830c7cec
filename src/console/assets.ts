// The console's style, script, mark and font, as `npm run modules` built them into this module: their names hold their hashes, so that
// browsers may keep them for ever.

interface BuiltAsset {
	name: string;
	type: string;
	/** As base64 where it is no text. */
	encoding: "text" | "base64";
	content: string;
}

/** Set by the build (cli/modules.ts). */
declare const CONSOLE_ASSETS: Readonly<
	Record<"style" | "script" | "charts" | "receipt" | "conversation" | "mark" | "font", BuiltAsset>
>;

const ASSETS_PATH = "/console/assets/";

export const STYLE_PATH = `${ASSETS_PATH}${CONSOLE_ASSETS.style.name}`;
export const SCRIPT_PATH = `${ASSETS_PATH}${CONSOLE_ASSETS.script.name}`;
/** For pages that draw alone. */
export const CHARTS_PATH = `${ASSETS_PATH}${CONSOLE_ASSETS.charts.name}`;
/** For pages with a receipt alone. */
export const RECEIPT_PATH = `${ASSETS_PATH}${CONSOLE_ASSETS.receipt.name}`;
/** For the playground alone. */
export const CONVERSATION_PATH = `${ASSETS_PATH}${CONSOLE_ASSETS.conversation.name}`;
export const MARK_PATH = `${ASSETS_PATH}${CONSOLE_ASSETS.mark.name}`;
export const FONT_PATH = `${ASSETS_PATH}${CONSOLE_ASSETS.font.name}`;

const ASSETS = new Map(Object.values(CONSOLE_ASSETS).map((asset) => [`${ASSETS_PATH}${asset.name}`, asset]));

/** The response with an asset; null for other paths. */
export function findAsset(path: string): Response | null {
	const asset = ASSETS.get(path);
	if (!asset) return null;
	const { content, encoding, type } = asset;
	const body = encoding === "text" ? content : Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
	return new Response(body, {
		headers: {
			"content-type": type,
			"cache-control": "public, max-age=31536000, immutable",
			"x-content-type-options": "nosniff",
		},
	});
}
