// The client's public face.
export { type ClientOptions, createClient, type EndpointBody, type EndpointQuery, type SvcClient } from "./client.ts";
export type { EndpointTypes } from "./endpoint-types.ts";
export { SvcError } from "./errors.ts";
export type { Progress, WorkEvent } from "./progress.ts";
export type { CheckSettings } from "./proofs.ts";
export type { ConnectionOptions } from "./settings.ts";
export type { CallSettings, EndpointAnswer, EndpointArguments, EndpointId } from "./transport.ts";
export type { Verification } from "./verification.ts";
