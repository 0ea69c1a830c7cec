// Shared routing configs: their ids, records and digests. Pure.
import { hashObject } from "../proof/hash.ts";
import type { RoutingConfig } from "../routing/routing-config.ts";

/** Bitcoin's Base58, without 0, O, I and l, which look alike. */
const BASE58_DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/** 58^10 is about 4e17. Ids cannot be guessed, and a collision is rare enough for a second try. */
const SHARE_ID_LENGTH = 10;
/** Bytes from here on are skipped, because they would make the first digits likelier. */
const FAIR_BYTES = 256 - (256 % BASE58_DIGITS.length);

/** Code points of a title (docs/reference/conventions.md, "Limits"). */
export const MAX_SHARE_TITLE_CHARS = 120;

/** Shares that a user may have at once (docs/reference/conventions.md, "Limits"). A list shows them all. */
export const MAX_USER_SHARES = 1_000;

/**
 * A fresh id.
 * @param random returns `count` random bytes.
 */
export function newShareId(random: (count: number) => Uint8Array): string {
	let id = "";
	while (id.length < SHARE_ID_LENGTH) {
		for (const byte of random(2 * SHARE_ID_LENGTH)) {
			if (byte < FAIR_BYTES && id.length < SHARE_ID_LENGTH) id += BASE58_DIGITS.charAt(byte % BASE58_DIGITS.length);
		}
	}
	return id;
}

/** Whether a text has the form of a share's id. */
export function isShareId(text: string): boolean {
	return text.length === SHARE_ID_LENGTH && [...text].every((digit) => BASE58_DIGITS.includes(digit));
}

/** A config to be shared. */
export interface SharedConfig {
	title: string | null;
	/** The config's text; null when it was shared as an object. */
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

/** Shares of a user with one digest are the same share. Validity counts: a config that was invalid before is another share. */
export function contentDigest({ title, brainMd, config, errors }: SharedConfig): string {
	return hashObject({ type: "svc.brain_share.v1", title, brain_md: brainMd, config: { ...config }, errors });
}

/** The digest's first eight hex digits, for people. */
export function shortConfigDigest({ configDigest: digest }: Pick<Share, "configDigest">): string {
	return digest.slice("sha256:".length, "sha256:".length + 8);
}
