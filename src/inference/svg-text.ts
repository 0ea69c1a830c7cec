// The text of an SVG image in a data: address. It is drawn from text, so it is read like one.

const SVG_ADDRESS = /^data:image\/svg\+xml[^,]{0,64},/i;

function decodeBase64(encoded: string): string | null {
	try {
		return new TextDecoder().decode(Uint8Array.from(atob(encoded), (byte) => byte.charCodeAt(0)));
	} catch {
		return null;
	}
}

function decodePercent(encoded: string): string | null {
	try {
		return decodeURIComponent(encoded);
	} catch {
		return null;
	}
}

/** The text of an SVG in a data: address, base64 or percent-encoded; null for another address, or if it is no text. */
export function readSvg(url: string): string | null {
	const head = SVG_ADDRESS.exec(url)?.[0];
	if (head === undefined) return null;
	const encoded = url.slice(head.length);
	const text = /;base64,$/i.test(head) ? decodeBase64(encoded) : decodePercent(encoded);
	return text?.includes("<svg") ? text : null;
}
