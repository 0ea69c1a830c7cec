// The endpoints of models that make no text.
import type { Endpoint } from "../http/endpoint.ts";
import { createEmbeddingsEndpoint } from "./embeddings.edge.ts";
import { createModerationEndpoint } from "./moderations.edge.ts";
import { rerankEndpoint, rerankV2Endpoint } from "./rerank.edge.ts";

export const encoderEndpoints: readonly Endpoint[] = [
	createEmbeddingsEndpoint,
	createModerationEndpoint,
	rerankEndpoint,
	rerankV2Endpoint,
];
