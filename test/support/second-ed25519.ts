// Ed25519 a second time: node:crypto behind checks by arithmetic, where src compares bytes with a table.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

const mod = (value: bigint) => ((value % P) + P) % P;
const littleEndian = (bytes: Buffer) => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);

/** Whether eight times the point is the neutral one, by doubling (x², y) as fractions: x² follows from y on the curve. */
function isSmallOrder(y: bigint): boolean {
	let [squareX, squareXBelow, yAbove, yBelow] = [mod(y * y - 1n), mod(D * y * y + 1n), y, 1n];
	for (let doubling = 0; doubling < 3; doubling++) {
		const squareY = mod(yAbove * yAbove * squareXBelow);
		const square = mod(squareX * yBelow * yBelow);
		const below = mod(yBelow * yBelow * squareXBelow);
		[squareX, squareXBelow, yAbove, yBelow] = [
			mod(4n * squareX * yAbove * yAbove * below),
			mod((squareY - square) ** 2n),
			mod(squareY + square),
			mod(2n * below + square - squareY),
		];
	}
	return squareX === 0n && yAbove === yBelow;
}

/** y below p, and not of small order. */
function isSoundPoint(bytes: Buffer): boolean {
	const y = littleEndian(bytes) % 2n ** 255n;
	return y < P && !isSmallOrder(y);
}

function publicKeyObject(publicKey: Buffer): KeyObject | null {
	try {
		return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: publicKey.toString("base64url") }, format: "jwk" });
	} catch {
		return null;
	}
}

/** The verdict of docs/proofs.md, "Signing keys", over bytes. */
export function verifyBytes(publicKey: Buffer, message: Buffer, signature: Buffer): boolean {
	if (publicKey.length !== 32 || signature.length !== 64) return false;
	const sound = isSoundPoint(publicKey) && isSoundPoint(signature.subarray(0, 32));
	if (!sound || littleEndian(signature.subarray(32)) >= L) return false;
	const key = publicKeyObject(publicKey);
	return key !== null && verify(null, message, key, signature);
}

/** The bytes of strict base64, or null. */
export function fromBase64(text: string): Buffer | null {
	const bytes = Buffer.from(text, "base64");
	return bytes.toString("base64") === text ? bytes : null;
}

export interface SigningKey {
	keyId: string;
	publicKey: Buffer;
	/** Over the UTF-8 bytes of the text, base64. */
	sign(text: string): string;
}

/** First 16 hex digits of SHA-256 over the raw key. */
export function keyIdOf(publicKey: Buffer): string {
	return createHash("sha256").update(publicKey).digest("hex").slice(0, 16);
}

/** @param seed 32 bytes. */
export function signingKey(seed: Buffer): SigningKey {
	const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
	const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
	const publicKey = Buffer.from(String(createPublicKey(key).export({ format: "jwk" }).x), "base64url");
	return {
		keyId: keyIdOf(publicKey),
		publicKey,
		sign: (text) => sign(null, Buffer.from(text, "utf8"), key).toString("base64"),
	};
}
