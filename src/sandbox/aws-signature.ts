// Checks AWS's signatures (Signature Version 4) as AWS does, with code that shares nothing with the service's signer. Source: "AWS API
// request signing", IAM user guide (2026-11-28); test/fixtures/aws-signatures has AWS's published vectors.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { SANDBOX_AWS_KEY } from "../providers/sandbox-stage.ts";
import { Refusal } from "./format.ts";

/** The credentials that the sandbox knows. */
export const SANDBOX_AWS = {
	accessKeyId: SANDBOX_AWS_KEY.access_key_id,
	secretAccessKey: SANDBOX_AWS_KEY.secret_access_key,
};
/** A session token that has ended. */
export const EXPIRED_SESSION = "expired";

const ALGORITHM = "AWS4-HMAC-SHA256";
const MAX_SKEW_MS = 300_000;

/** A request as it was signed. */
export interface SignedRequest {
	method: string;
	/** Without the host, as it was sent. */
	path: string;
	query: string;
	host: string;
	headers: Headers;
	body: string;
}

/** What an authorization header names. */
interface Claim {
	accessKeyId: string;
	/** Day, region, service and `aws4_request`. */
	scope: string[];
	signedHeaders: string[];
	signature: string;
}

function refuseAws(status: number, code: string, message: string): never {
	throw new Refusal(status, message, null, code);
}

function readClaim(authorization: string): Claim {
	const found =
		/^AWS4-HMAC-SHA256 Credential=([^/,]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
			authorization,
		);
	const [, accessKeyId, scope, signedHeaders, signature] = found ?? [];
	if (!accessKeyId || !scope || !signedHeaders || !signature)
		return refuseAws(
			403,
			"IncompleteSignatureException",
			"Authorization header is not in the form of AWS4-HMAC-SHA256.",
		);
	return { accessKeyId, scope: scope.split("/"), signedHeaders: signedHeaders.split(";"), signature };
}

/** Percent-encodes all but RFC 3986's unreserved characters. */
function encode(text: string): string {
	return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function decodeQuery(text: string): string {
	return decodeURIComponent(text.replaceAll("+", " "));
}

function canonicalQuery(query: string): string {
	const pairs = query.split("&").filter(Boolean);
	return pairs
		.map((pair) => {
			const [name = "", ...value] = pair.split("=");
			return [encode(decodeQuery(name)), encode(decodeQuery(value.join("=")))] as const;
		})
		.toSorted(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
		.map((pair) => pair.join("="))
		.join("&");
}

const digest = (text: string) => bytesToHex(sha256(utf8ToBytes(text)));

/** The text that is signed, of one request. */
function canonicalRequest(request: SignedRequest, { signedHeaders }: Claim): string {
	const headerValue = (name: string) => (name === "host" ? request.host : (request.headers.get(name) ?? ""));
	return [
		request.method,
		// Of a path that is percent-encoded as it was sent, each segment is encoded once more.
		request.path.split("/").map(encode).join("/"),
		canonicalQuery(request.query),
		...signedHeaders.map((name) => `${name}:${headerValue(name).trim().replace(/ +/g, " ")}`),
		"",
		signedHeaders.join(";"),
		digest(request.body),
	].join("\n");
}

/** The signature that a request must have under a secret. */
function signatureOf(request: SignedRequest, claim: Claim, secretAccessKey: string): string {
	const text = [
		ALGORITHM,
		request.headers.get("x-amz-date") ?? "",
		claim.scope.join("/"),
		digest(canonicalRequest(request, claim)),
	].join("\n");
	const key = claim.scope.reduce(
		(bytes, part) => hmac(sha256, bytes, utf8ToBytes(part)),
		utf8ToBytes(`AWS4${secretAccessKey}`) as Uint8Array,
	);
	return bytesToHex(hmac(sha256, key, utf8ToBytes(text)));
}

const DATE = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/;

function toAmzDate(atMs: number): string {
	return new Date(atMs).toISOString().replace(/[:-]|\.\d{3}/g, "");
}

function checkTime(date: string, nowMs: number): void {
	const atMs = Date.parse(date.replace(DATE, "$1-$2-$3T$4:$5:$6Z"));
	const [now, early, late] = [nowMs, nowMs - MAX_SKEW_MS, nowMs + MAX_SKEW_MS].map(toAmzDate);
	if (!(atMs >= nowMs - MAX_SKEW_MS))
		refuseAws(
			403,
			"InvalidSignatureException",
			`Signature expired: ${date} is now earlier than ${early} (${now} - 5 min.)`,
		);
	if (atMs > nowMs + MAX_SKEW_MS)
		refuseAws(
			403,
			"InvalidSignatureException",
			`Signature not yet current: ${date} is still later than ${late} (${now} + 5 min.)`,
		);
}

const MISMATCH =
	"The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.";

/**
 * Checks who signed a request, when, for what, and with which secret.
 * @param service the name of the service in the scope of signatures.
 * @throws {Refusal} status 403, in AWS's words.
 */
export function checkAwsSignature(
	request: SignedRequest,
	service: string,
	{ accessKeyId, secretAccessKey }: typeof SANDBOX_AWS,
	nowMs: number,
): void {
	const claim = readClaim(request.headers.get("authorization") ?? "");
	const date = request.headers.get("x-amz-date") ?? "";
	if (claim.accessKeyId !== accessKeyId)
		refuseAws(403, "UnrecognizedClientException", "The security token included in the request is invalid.");
	if (request.headers.get("x-amz-security-token") === EXPIRED_SESSION)
		refuseAws(403, "ExpiredTokenException", "The security token included in the request is expired");
	checkTime(date, nowMs);
	const [day, region, named, end] = claim.scope;
	const isScope = day === date.slice(0, 8) && region && named === service && end === "aws4_request";
	const mustBeSigned = ["host", "x-amz-date", "x-amz-security-token"].filter(
		(name) => name === "host" || request.headers.has(name),
	);
	const isWhole = mustBeSigned.every((name) => claim.signedHeaders.includes(name));
	if (!isScope)
		refuseAws(403, "InvalidSignatureException", "Credential should be scoped to a valid region and service.");
	if (!isWhole || signatureOf(request, claim, secretAccessKey) !== claim.signature)
		refuseAws(403, "InvalidSignatureException", MISMATCH);
}
