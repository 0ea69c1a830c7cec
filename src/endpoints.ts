// The one list of endpoints. Routing, validation, OpenAPI, tools and the contract test are read from it.
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import * as z from "zod";
import type { ServiceContext } from "./account/context.ts";
import { endpoint } from "./account/endpoint.ts";
import { GATES } from "./account/gates.edge.ts";
import {
	createKeyEndpoint,
	listKeysEndpoint,
	revokeKeyEndpoint,
	rotateKeyEndpoint,
} from "./account/operator-keys.edge.ts";
import { checkUsageEndpoint } from "./account/operator-usage.edge.ts";
import { verifyTrajectoryEndpoint } from "./agents/verify.edge.ts";
import {
	createShareEndpoint,
	getBadgeEndpoint,
	getShareEndpoint,
	listSharesEndpoint,
	showSharePageEndpoint,
	validateConfigEndpoint,
} from "./brain/endpoints.edge.ts";
import { createChatCompletionEndpoint } from "./chat/endpoints.edge.ts";
import { writeCodeEndpoint } from "./code/endpoints.edge.ts";
import type { Endpoint } from "./http/endpoint.ts";
import { isThere } from "./http/mount.edge.ts";
import { openapiDocument } from "./http/openapi.ts";
import {
	createHandoffEndpoint,
	getHandoffChainEndpoint,
	getHandoffCheckpointEndpoint,
	getHandoffEndpoint,
	getHandoffProofEndpoint,
} from "./ledger/endpoints.edge.ts";
import { toolEndpoints } from "./mcp/endpoints.edge.ts";
import { orchestrateEndpoint } from "./orchestration/endpoints.edge.ts";
import { checkPolicyEndpoint, scoreRiskEndpoint } from "./policy/endpoints.edge.ts";
import { listAuditEventsEndpoint } from "./reads/audit-events.edge.ts";
import { previewComplianceEndpoint } from "./reads/compliance.edge.ts";
import { healthEndpoint } from "./reads/health.edge.ts";
import { getModelEndpoint, listModelsEndpoint } from "./reads/models.edge.ts";
import { getProofEndpoint, getPublicKeyEndpoint } from "./reads/proof.edge.ts";
import { previewRouteEndpoint } from "./reads/route.edge.ts";
import { getSavingsEndpoint, getUsageEndpoint, listPlansEndpoint } from "./reads/usage.edge.ts";
import { getSkillEndpoint, invokeSkillEndpoint, listSkillsEndpoint } from "./skills/endpoints.edge.ts";
import {
	checkReadinessEndpoint,
	generateArtifactsEndpoint,
	getManifestEndpoint,
	getSnapshotEndpoint,
	putManifestEndpoint,
} from "./workspace/endpoints.edge.ts";

/** Documents by how many endpoints a deployment has: with the operators' or without. Each is written once an isolate. */
const documents = new Map<number, { text: string; etag: string }>();

function documentFor(context: ServiceContext) {
	const there = ENDPOINTS.filter((endpoint) => isThere(endpoint, GATES, context));
	const known = documents.get(there.length);
	if (known) return known;
	const text = JSON.stringify(openapiDocument(there));
	const document = { text, etag: `"${bytesToHex(sha256(utf8ToBytes(text)))}"` };
	documents.set(there.length, document);
	return document;
}

const openapiEndpoint = endpoint({
	id: "openapi",
	method: "GET",
	path: "/openapi.json",
	access: "public",
	notATool: true,
	conditional: "strong",
	cacheControl: "public, max-age=60",
	summary: "This interface as an OpenAPI 3.1 document.",
	result: z.record(z.string(), z.unknown()),
	async handle({ context }) {
		const { text, etag } = documentFor(context);
		return { ok: true, response: new Response(text, { headers: { "content-type": "application/json", etag } }) };
	},
});

/** In the order they are matched: a fixed path stands before one with a parameter in its place. */
export const ENDPOINTS: readonly Endpoint[] = [
	createChatCompletionEndpoint,
	orchestrateEndpoint,
	writeCodeEndpoint,
	previewRouteEndpoint,
	previewComplianceEndpoint,
	listModelsEndpoint,
	getModelEndpoint,
	getPublicKeyEndpoint,
	getProofEndpoint,
	verifyTrajectoryEndpoint,
	createHandoffEndpoint,
	getHandoffCheckpointEndpoint,
	getHandoffProofEndpoint,
	getHandoffChainEndpoint,
	getHandoffEndpoint,
	checkReadinessEndpoint,
	generateArtifactsEndpoint,
	getSnapshotEndpoint,
	getManifestEndpoint,
	putManifestEndpoint,
	checkPolicyEndpoint,
	scoreRiskEndpoint,
	listAuditEventsEndpoint,
	validateConfigEndpoint,
	createShareEndpoint,
	listSharesEndpoint,
	getBadgeEndpoint,
	getShareEndpoint,
	showSharePageEndpoint,
	listSkillsEndpoint,
	getSkillEndpoint,
	invokeSkillEndpoint,
	listPlansEndpoint,
	getUsageEndpoint,
	getSavingsEndpoint,
	...toolEndpoints(() => ENDPOINTS),
	healthEndpoint,
	openapiEndpoint,
	createKeyEndpoint,
	listKeysEndpoint,
	rotateKeyEndpoint,
	revokeKeyEndpoint,
	checkUsageEndpoint,
];
