// The headers by which a provider takes a key. They are added where a request is sent, so that it is rendered alike for every key.
// Pure.
import type { ProviderKey } from "../catalog/provider-keys.ts";
import type { Provider } from "../catalog/schema.ts";
import type { WireName } from "../catalog/vocabulary.ts";
import type { UpstreamRequest } from "./wire.ts";

/** How each wire's own provider takes its key. */
const WIRE_AUTH: Readonly<Record<WireName, NonNullable<Provider["auth"]>>> = {
	openai: "bearer",
	anthropic: { header: "x-api-key" },
	google: { header: "x-goog-api-key" },
	bedrock: "bearer",
};

function authHeaders({ auth, wire }: Pick<Provider, "auth" | "wire">, secret: string): Record<string, string> {
	const how = auth ?? WIRE_AUTH[wire];
	if (how === "none") return {};
	return how === "bearer" ? { authorization: `Bearer ${secret}` } : { [how.header.toLowerCase()]: secret };
}

/** The request under a key. */
export function withAuth(request: UpstreamRequest, provider: Provider, { secret }: ProviderKey): UpstreamRequest {
	return { ...request, headers: { ...request.headers, ...authHeaders(provider, secret) } };
}
