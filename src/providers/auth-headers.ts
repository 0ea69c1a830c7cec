// The headers by which a provider takes a plain key. authorize.edge.ts adds them where a request is sent, so that it is rendered alike
// for every key. Pure.
import type { ProviderKey } from "../catalog/provider-keys.ts";
import type { Provider } from "../catalog/schema.ts";
import type { WireName } from "../catalog/vocabulary.ts";
import type { UpstreamRequest } from "./wire.ts";

/** How each wire's own provider takes its key. */
const WIRE_AUTH: Readonly<Record<WireName, NonNullable<Provider["auth"]>>> = {
	openai: "bearer",
	anthropic: { header: "x-api-key" },
	google: { header: "x-goog-api-key" },
	// An API key. Access keys sign each request instead.
	bedrock: "bearer",
};

function authHeaders({ auth, wire }: Pick<Provider, "auth" | "wire">, secret: string): Record<string, string> {
	const how = auth ?? WIRE_AUTH[wire];
	if (how === "none") return {};
	return typeof how === "object" ? { [how.header.toLowerCase()]: secret } : { authorization: `Bearer ${secret}` };
}

/** The request under a plain key or a token. */
export function withKey(
	request: UpstreamRequest,
	provider: Pick<Provider, "auth" | "wire">,
	{ secret }: Pick<ProviderKey, "secret">,
): UpstreamRequest {
	return { ...request, headers: { ...request.headers, ...authHeaders(provider, secret) } };
}
