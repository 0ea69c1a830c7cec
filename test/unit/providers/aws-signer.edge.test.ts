// AWS's signatures: the published vectors through the service's signer and through the sandbox's check, which share no code.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AwsV4Signer } from "aws4fetch";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AwsCredentials } from "../../../src/catalog/credentials.ts";
import { signAws } from "../../../src/providers/aws-signer.edge.ts";
import { checkAwsSignature, EXPIRED_SESSION, type SignedRequest } from "../../../src/sandbox/aws-signature.ts";
import { Refusal } from "../../../src/sandbox/format.ts";

const ROOT = join(import.meta.dirname, "../../fixtures/aws-signatures");
const SUITE: AwsCredentials = {
	form: "aws",
	accessKeyId: "AKIDEXAMPLE",
	secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
	sessionToken: null,
};
const SUITE_SCOPE = { region: "us-east-1", service: "service" };
const SUITE_AT_MS = Date.UTC(2015, 7, 30, 12, 36);

/** A published request. */
function readVector(name: string): SignedRequest {
	const [head = "", body = ""] = readFileSync(join(ROOT, name), "utf8").split("\n\n");
	const [first = "", ...lines] = head.split("\n");
	const [method = "", target = ""] = first.split(" ");
	const [path = "", query = ""] = target.split("?");
	const headers = new Headers(lines.map((line) => [line.split(":")[0] ?? "", line.slice(line.indexOf(":") + 1)]));
	return { method, path, query, host: headers.get("host") ?? "", headers, body };
}

/** What the sandbox refuses a request with; null where it takes it. */
function refusalOf(
	request: SignedRequest,
	service: string,
	credentials: AwsCredentials,
	nowMs: number,
): Refusal | null {
	try {
		checkAwsSignature(request, service, credentials, nowMs);
		return null;
	} catch (error) {
		if (error instanceof Refusal) return error;
		throw error;
	}
}

const vectors = readdirSync(ROOT).filter((name) => name.endsWith(".txt"));

describe.each(vectors)("AWS's vector %s", (name) => {
	const vector = readVector(name);

	it("is taken as it is published", () => {
		expect(refusalOf(vector, "service", SUITE, SUITE_AT_MS)).toBeNull();
	});

	it("has the signature that the service's signer makes", async () => {
		const authorization = vector.headers.get("authorization") ?? "";
		const signed = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(";") ?? [];
		const own = [...vector.headers].filter(([header]) => signed.includes(header) && header !== "x-amz-date");
		const token = vector.headers.get("x-amz-security-token");
		const signer = new AwsV4Signer({
			method: vector.method,
			url: `https://${vector.host}${vector.path}${vector.query === "" ? "" : `?${vector.query}`}`,
			headers: own.filter(([header]) => header !== "x-amz-security-token"),
			body: vector.body,
			...SUITE,
			...(token === null ? { sessionToken: undefined } : { sessionToken: token }),
			...SUITE_SCOPE,
			datetime: "20150830T123600Z",
			allHeaders: true,
		});
		expect((await signer.sign()).headers.get("authorization")).toBe(authorization);
	});
});

const CREDENTIALS: AwsCredentials = {
	form: "aws",
	accessKeyId: "AKIATEST",
	secretAccessKey: "secret",
	sessionToken: null,
};
const SCOPE = { region: "eu-central-1", service: "bedrock" };
const NOW_MS = Date.UTC(2026, 10, 28, 20, 0);
const HOST = "https://bedrock-runtime.eu-central-1.amazonaws.com";

async function signed(
	model: string,
	body: string,
	credentials: AwsCredentials = CREDENTIALS,
	atMs = NOW_MS,
): Promise<SignedRequest> {
	const url = `${HOST}/model/${encodeURIComponent(model)}/converse`;
	const headers = { "content-type": "application/json", accept: "application/json" };
	const request = { url, headers, body, maxInputTokens: 1, maxOutputTokens: 1, warnings: [] };
	const { headers: sent } = await signAws(request, credentials, SCOPE, atMs);
	const { host, pathname: path } = new URL(url);
	return { method: "POST", path, query: "", host, headers: new Headers(sent), body };
}

describe("a signed call", () => {
	it("is AWS's vector where it is the same request", async () => {
		const url = "https://example.amazonaws.com/";
		const request = { url, headers: {}, body: "", maxInputTokens: 1, maxOutputTokens: 1, warnings: [] };
		const { headers } = await signAws(request, SUITE, SUITE_SCOPE, SUITE_AT_MS);
		expect(headers["authorization"]).toBe(readVector("post-vanilla.txt").headers.get("authorization"));
	});

	it.each([
		"anthropic.claude-sonnet-4-6",
		"eu.anthropic.claude-haiku-4-5-20251001-v1:0",
		"arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3",
		"arn:aws:bedrock:eu-west-1:123456789012:provisioned-model/ä (b)!*'",
	])("is taken, whatever the model is called: %s", async (model) => {
		expect(refusalOf(await signed(model, '{"messages":[]}'), "bedrock", CREDENTIALS, NOW_MS)).toBeNull();
	});

	it("is taken with any body, and with that one alone", async () => {
		await fc.assert(
			fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
				const body = JSON.stringify({ text });
				const request = await signed("m", body);
				expect(refusalOf(request, "bedrock", CREDENTIALS, NOW_MS)).toBeNull();
				expect(refusalOf({ ...request, body: `${body} ` }, "bedrock", CREDENTIALS, NOW_MS)).toMatchObject({
					status: 403,
					code: "InvalidSignatureException",
				});
			}),
			{ numRuns: 40 },
		);
	});

	it("is refused under another secret, another key, for another service, and at another address", async () => {
		const request = await signed("m", "{}");
		const refused = (change: Partial<SignedRequest>, credentials = CREDENTIALS, service = "bedrock") =>
			refusalOf({ ...request, ...change }, service, credentials, NOW_MS)?.code;
		expect(refused({})).toBeUndefined();
		expect(refused({}, { ...CREDENTIALS, secretAccessKey: "other" })).toBe("InvalidSignatureException");
		expect(refused({}, { ...CREDENTIALS, accessKeyId: "AKIAOTHER" })).toBe("UnrecognizedClientException");
		expect(refused({}, CREDENTIALS, "s3")).toBe("InvalidSignatureException");
		expect(refused({ path: "/model/n/converse" })).toBe("InvalidSignatureException");
		expect(refused({ host: "elsewhere.test" })).toBe("InvalidSignatureException");
		expect(refused({ headers: new Headers({ authorization: "AWS4-HMAC-SHA256 no" }) })).toBe(
			"IncompleteSignatureException",
		);
	});

	it("has its session token among what is signed", async () => {
		const session = { ...CREDENTIALS, sessionToken: "token==" };
		const request = await signed("m", "{}", session);
		expect(request.headers.get("x-amz-security-token")).toBe("token==");
		expect(refusalOf(request, "bedrock", session, NOW_MS)).toBeNull();
		const without = new Headers(request.headers);
		without.set("x-amz-security-token", "another");
		expect(refusalOf({ ...request, headers: without }, "bedrock", session, NOW_MS)?.code).toBe(
			"InvalidSignatureException",
		);
		const ended = await signed("m", "{}", { ...CREDENTIALS, sessionToken: EXPIRED_SESSION });
		expect(refusalOf(ended, "bedrock", session, NOW_MS)?.code).toBe("ExpiredTokenException");
	});

	it("is refused five minutes early or late, in AWS's words", async () => {
		const at = async (minutes: number) =>
			refusalOf(await signed("m", "{}", CREDENTIALS, NOW_MS + minutes * 60_000), "bedrock", CREDENTIALS, NOW_MS);
		expect([await at(-5), await at(5)]).toEqual([null, null]);
		expect((await at(-6))?.message).toBe(
			"Signature expired: 20261128T195400Z is now earlier than 20261128T195500Z (20261128T200000Z - 5 min.)",
		);
		expect((await at(6))?.message).toMatch(/^Signature not yet current: /);
	});
});
