// Signs a request for AWS (Signature Version 4) by aws4fetch's signer; its fetch, which tries again by itself, is never used.
import { AwsV4Signer } from "aws4fetch";
import type { AwsCredentials } from "../catalog/credentials.ts";
import type { UpstreamRequest } from "./wire.ts";

/** What a signature is for, besides its day. */
export interface SigningScope {
	region: string;
	/** AWS's name of the service that is called. */
	service: string;
}

/**
 * The request with its signature, which covers the address, the body and the headers that it has by now. AWS takes it for five minutes.
 * @param nowMs ms since the epoch.
 */
export async function signAws(
	request: UpstreamRequest,
	{ accessKeyId, secretAccessKey, sessionToken }: AwsCredentials,
	{ region, service }: SigningScope,
	nowMs: number,
): Promise<UpstreamRequest> {
	const signer = new AwsV4Signer({
		method: "POST",
		url: request.url,
		headers: request.headers,
		body: request.body,
		accessKeyId,
		secretAccessKey,
		...(sessionToken === null ? {} : { sessionToken }),
		region,
		service,
		datetime: new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, ""),
	});
	const { headers } = await signer.sign();
	return { ...request, headers: Object.fromEntries(headers) };
}
