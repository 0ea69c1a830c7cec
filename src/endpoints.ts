// The one list of endpoints. Routing, validation, OpenAPI and the contract test are read from it.
import * as z from "zod";
import { createKeyEndpoint, listKeysEndpoint, revokeKeyEndpoint, rotateKeyEndpoint } from "./account/admin.ts";
import { getSavingsEndpoint, getUsageEndpoint, listPlansEndpoint } from "./account/endpoints.ts";
import { getModelEndpoint, listModelsEndpoint } from "./catalog/endpoints.ts";
import { createChatCompletionEndpoint } from "./chat/endpoints.ts";
import { type Endpoint, endpoint } from "./http/endpoint.ts";
import { ok } from "./http/errors.ts";
import { healthEndpoint } from "./http/health.ts";
import { openapiDocument } from "./http/openapi.ts";
import {
	createHandoffEndpoint,
	getHandoffChainEndpoint,
	getHandoffCheckpointEndpoint,
	getHandoffEndpoint,
	getHandoffProofEndpoint,
} from "./ledger/endpoints.ts";
import { getProofEndpoint, getPublicKeyEndpoint } from "./proof/endpoints.ts";
import { previewRouteEndpoint } from "./routing/endpoints.ts";

const openapiEndpoint = endpoint({
	id: "openapi",
	method: "GET",
	path: "/openapi.json",
	access: "public",
	summary: "This interface as an OpenAPI 3.1 document.",
	result: z.record(z.string(), z.unknown()),
	handle: async ({ context }) => ok(openapiDocument(ENDPOINTS, context.origin)),
});

/** In the order they are matched: a fixed path stands before one with a parameter in its place. */
export const ENDPOINTS: readonly Endpoint[] = [
	createChatCompletionEndpoint,
	previewRouteEndpoint,
	listModelsEndpoint,
	getModelEndpoint,
	getPublicKeyEndpoint,
	getProofEndpoint,
	createHandoffEndpoint,
	getHandoffCheckpointEndpoint,
	getHandoffProofEndpoint,
	getHandoffChainEndpoint,
	getHandoffEndpoint,
	listPlansEndpoint,
	getUsageEndpoint,
	getSavingsEndpoint,
	healthEndpoint,
	openapiEndpoint,
	createKeyEndpoint,
	listKeysEndpoint,
	rotateKeyEndpoint,
	revokeKeyEndpoint,
];
