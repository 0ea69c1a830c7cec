// The endpoints of models that make no text.
import type { Endpoint } from "../http/endpoint.ts";
import { createEmbeddingsEndpoint } from "./embeddings.edge.ts";

export const encoderEndpoints: readonly Endpoint[] = [createEmbeddingsEndpoint];
