// The console's style and script, as `npm run modules` built them into this module: their names hold their hashes, so that browsers
// may keep them for ever.

/** Set by the build (cli/modules.ts). */
declare const CONSOLE_STYLE: { name: string; text: string };
declare const CONSOLE_SCRIPT: { name: string; text: string };

const ASSETS_PATH = "/console/assets/";

export const STYLE_PATH = `${ASSETS_PATH}${CONSOLE_STYLE.name}`;
export const SCRIPT_PATH = `${ASSETS_PATH}${CONSOLE_SCRIPT.name}`;

const ASSETS = new Map([
	[STYLE_PATH, { text: CONSOLE_STYLE.text, type: "text/css" }],
	[SCRIPT_PATH, { text: CONSOLE_SCRIPT.text, type: "text/javascript" }],
]);

/** The response with an asset; null for other paths. */
export function findAsset(path: string): Response | null {
	const asset = ASSETS.get(path);
	if (!asset) return null;
	return new Response(asset.text, {
		headers: {
			"content-type": `${asset.type}; charset=utf-8`,
			"cache-control": "public, max-age=31536000, immutable",
			"x-content-type-options": "nosniff",
		},
	});
}
