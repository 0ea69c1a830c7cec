// Refuses certain encodings of Ed25519 points and scalars before a signature is verified. Libraries disagree on exactly
// these (Chalkias, Garillot, Nikolaenko, "Taming the many EdDSAs", 2020), so this check decides by the bytes, not by
// the platform.
import { hexToBytes } from "@noble/hashes/utils.js";

/** p = 2^255 - 19, the field's modulus (RFC 8032, section 5.1), little-endian. */
const FIELD_MODULUS = hexToBytes(`ed${"ff".repeat(30)}7f`);
/** L, the order of the base point (RFC 8032, section 5.1), little-endian. */
const GROUP_ORDER = hexToBytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");

/**
 * y of the eight points of small order, little-endian. ±x share a y, so five values cover all eight. The values are
 * those of libsodium's ge25519_has_small_order; their non-canonical encodings are refused as non-canonical.
 */
const SMALL_ORDER_Y = [
	`00${"00".repeat(31)}`, // 0, order 4
	`01${"00".repeat(31)}`, // 1, the neutral element
	`ec${"ff".repeat(30)}7f`, // -1, order 2
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", // order 8
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", // order 8
].map((hex) => hexToBytes(hex));

function isBelow(bytes: Uint8Array, limit: Uint8Array): boolean {
	for (let at = limit.length - 1; at >= 0; at--) {
		const difference = (bytes[at] ?? 0) - (limit[at] ?? 0);
		if (difference !== 0) return difference < 0;
	}
	return false;
}

/**
 * Whether 32 bytes are a canonical encoding (y < p) of a point that is not of small order. The verification checks
 * whether they are on the curve at all. (RFC 8032, 5.1.3 also forbids x = 0 with the sign bit, but only points of small
 * order have x = 0.)
 */
export function isSoundPoint(encoding: Uint8Array): boolean {
	if (encoding.length !== 32) return false;
	const y = Uint8Array.from(encoding);
	y[31] = (y[31] ?? 0) & 0x7f;
	return isBelow(y, FIELD_MODULUS) && !SMALL_ORDER_Y.some((small) => small.every((byte, at) => byte === y[at]));
}

/**
 * Whether 32 bytes, little-endian, are below L. Otherwise S + L would be a second valid signature (RFC 8032, 5.1.7).
 */
export function isSoundScalar(scalar: Uint8Array): boolean {
	return scalar.length === 32 && isBelow(scalar, GROUP_ORDER);
}
