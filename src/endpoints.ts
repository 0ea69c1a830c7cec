// The one list of endpoints. Routing, validation, the OpenAPI document, tools and the contract tests are read from it.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import * as z from "zod";
import { ACCESS_GUARDS } from "./account/access-guards.edge.ts";
import type { ServiceContext } from "./account/context.ts";
import { endpoint } from "./account/endpoint.ts";
import { agentEndpoints } from "./agents/endpoints.edge.ts";
import { auditEndpoints } from "./audit/endpoints.edge.ts";
import { requestTextsEndpoints } from "./audit/texts-endpoint.edge.ts";
import { backupEndpoints } from "./backup/endpoints.edge.ts";
import { catalogEndpoints } from "./catalog-endpoints.edge.ts";
import { complianceEndpoints } from "./chat/compliance-preview.edge.ts";
import { chatEndpoints } from "./chat/endpoints.edge.ts";
import { codeModeEndpoints } from "./code-mode/endpoints.edge.ts";
import { encoderEndpoints } from "./encoders/endpoints.edge.ts";
import { healthEndpoint } from "./health.edge.ts";
import { hookEndpoints } from "./hooks/endpoints.edge.ts";
import type { Endpoint } from "./http/endpoint.ts";
import { isDeployed } from "./http/mount.edge.ts";
import { openapiDocument } from "./http/openapi.ts";
import { keyEndpoints } from "./keys/endpoints.edge.ts";
import { operatorKeyEndpoints } from "./keys/operator-endpoints.edge.ts";
import { ledgerEndpoints } from "./ledger/endpoints.edge.ts";
import { loadPolicyEngine } from "./load-policy-engine.ts";
import { toolEndpoints } from "./mcp/endpoints.edge.ts";
import { messagesEndpoints } from "./messages/endpoints.edge.ts";
import { metricsEndpoint } from "./metrics-endpoint.edge.ts";
import { orchestrationEndpoints } from "./orchestration/endpoints.edge.ts";
import { pageEndpoints } from "./pages/endpoints.edge.ts";
import { policyEndpoints } from "./policy/endpoints.edge.ts";
import { responseEndpoints } from "./responses/endpoints.edge.ts";
import { modelEndpoints } from "./routing/endpoints.edge.ts";
import { routingConfigEndpoints } from "./routing-config/endpoints.edge.ts";
import { sessionEndpoints } from "./sessions/endpoints.edge.ts";
import { skillEndpoints } from "./skills/endpoints.edge.ts";
import { usageEndpoints } from "./usage/endpoints.edge.ts";
import { feedbackEndpoints } from "./usage/feedback-endpoints.edge.ts";
import { operatorUsageEndpoints } from "./usage/operator-endpoints.edge.ts";
import { proofEndpoints } from "./usage/proof-endpoints.edge.ts";
import { requestEndpoints } from "./usage/request-endpoints.edge.ts";
import { usageSeriesEndpoints } from "./usage/series-endpoints.edge.ts";
import { workspaceEndpoints } from "./workspace/endpoints.edge.ts";

/** OpenAPI documents by number of endpoints (with operator endpoints or without). Each is rendered once per isolate. */
const documents = new Map<number, { text: string; etag: string }>();

const loadExamples = () => import("./site/built/examples.js");

async function documentFor(context: ServiceContext) {
	const there = ENDPOINTS.filter((endpoint) => isDeployed(endpoint, ACCESS_GUARDS, context));
	const known = documents.get(there.length);
	if (known) return known;
	const text = JSON.stringify(openapiDocument(there, (await loadExamples()).RECORDED_EXAMPLES));
	const document = { text, etag: `"${bytesToHex(sha256(utf8ToBytes(text)))}"` };
	documents.set(there.length, document);
	return document;
}

const openapiEndpoint = endpoint({
	id: "openapi",
	method: "GET",
	path: "/openapi.json",
	access: "public",
	conditional: "strong",
	cacheControl: "public, max-age=60",
	toolGroup: null,
	summary: "This interface as an OpenAPI 3.1 document.",
	result: z.record(z.string(), z.unknown()),
	async handle({ context }) {
		const { text, etag } = await documentFor(context);
		return { ok: true, response: new Response(text, { headers: { "content-type": "application/json", etag } }) };
	},
});

/** In matching order: a fixed path comes before one with a parameter in the same place. */
export const ENDPOINTS: readonly Endpoint[] = [
	...chatEndpoints,
	...responseEndpoints,
	...messagesEndpoints,
	...encoderEndpoints,
	...orchestrationEndpoints,
	...codeModeEndpoints,
	...complianceEndpoints,
	...modelEndpoints,
	...proofEndpoints,
	...agentEndpoints,
	...ledgerEndpoints,
	...workspaceEndpoints(loadPolicyEngine),
	...policyEndpoints(loadPolicyEngine),
	...hookEndpoints(loadPolicyEngine),
	...auditEndpoints,
	...routingConfigEndpoints,
	...skillEndpoints,
	...pageEndpoints,
	...keyEndpoints,
	...usageEndpoints,
	...usageSeriesEndpoints,
	...requestEndpoints,
	...requestTextsEndpoints,
	...sessionEndpoints,
	...feedbackEndpoints,
	...toolEndpoints(() => ENDPOINTS),
	healthEndpoint,
	openapiEndpoint,
	metricsEndpoint,
	...operatorKeyEndpoints,
	...operatorUsageEndpoints,
	...catalogEndpoints,
	...backupEndpoints,
];
