// What a built page is served with: its headers and its ETag, both derived from its text. Pure.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

export interface BuiltPage {
	text: string;
	headers: Record<string, string>;
}

const CSP_META = /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/;

/**
 * Derives a page's headers. The policy is the one in the page's meta element, plus `frame-ancestors`, which a meta element
 * cannot set (CSP Level 3, section 6.4.2).
 * @throws Error for a page without a policy.
 */
export function describePage(text: string): BuiltPage {
	const policy = CSP_META.exec(text)?.[1];
	if (policy === undefined) throw new Error("a built page names its Content-Security-Policy in a meta element");
	return {
		text,
		headers: {
			"content-security-policy": `${policy}; frame-ancestors 'none'`,
			"x-content-type-options": "nosniff",
			"referrer-policy": "no-referrer",
			etag: `"${bytesToHex(sha256(utf8ToBytes(text)))}"`,
		},
	};
}
