// What is shared of a routing config: its id, its record, its addresses. Pure.
import { hashObject } from "../proof/hash.ts";
import type { RoutingConfig } from "../routing/routing-config.ts";

/** Base58 as Bitcoin has it: without 0, O, I and l, which are taken for each other. */
const BASE58_DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** 58^10 is about 4e17: a stranger does not guess one, and two alike are rare enough to be met by trying again. */
const SHARE_ID_LENGTH = 10;
/** Bytes from here on would make the first digits likelier than the rest. */
const FAIR_BYTES = 256 - (256 % BASE58_DIGITS.length);

/** Title's characters (docs/reference.md, "Limits"), as a reader counts code points. */
export const MAX_SHARE_TITLE_CHARS = 120;

/** A fresh id. @param random so many random bytes. */
export function newShareId(random: (count: number) => Uint8Array): string {
	let id = "";
	while (id.length < SHARE_ID_LENGTH) {
		for (const byte of random(2 * SHARE_ID_LENGTH)) {
			if (byte < FAIR_BYTES && id.length < SHARE_ID_LENGTH) id += BASE58_DIGITS.charAt(byte % BASE58_DIGITS.length);
		}
	}
	return id;
}

/** True for a text that can be a share's id. */
export function isShareId(text: string): boolean {
	return text.length === SHARE_ID_LENGTH && [...text].every((digit) => BASE58_DIGITS.includes(digit));
}

/** A config that somebody shares. */
export interface SharedConfig {
	title: string | null;
	/** The text as it was given; null when an object was. */
	brainMd: string | null;
	config: RoutingConfig;
	errors: string[];
}

export interface Share extends SharedConfig {
	id: string;
	configDigest: string;
	/** ISO 8601. */
	createdAt: string;
}

/** What makes two shares of a user the same one. A config that was invalid and now is not is another. */
export function contentDigest({ title, brainMd, config, errors }: SharedConfig): string {
	return hashObject({ type: "svc.brain_share.v1", title, brain_md: brainMd, config: { ...config }, errors });
}

/** The digest's first eight hex digits, by which people compare. */
export function shortConfigDigest({ configDigest: digest }: Pick<Share, "configDigest">): string {
	return digest.slice("sha256:".length, "sha256:".length + 8);
}
