// The client's public face.
export type { AgentResult, AgentRunOptions, FollowHandlers } from "./agents.ts";
export { type ClientOptions, createClient, type SvcClient } from "./client.ts";
export type { EndpointTypes } from "./endpoint-types.ts";
export { SvcError } from "./errors.ts";
export type { Progress, WorkEvent } from "./progress.ts";
export type { CheckSettings } from "./proofs.ts";
export type { ConnectionOptions } from "./settings.ts";
export type {
	ApprovalDecision,
	CallContext,
	FollowedRun,
	RunPending,
	RunResolution,
	ToolFunction,
	ToolsByName,
	ToolWithFunction,
} from "./tool-calls.ts";
export type {
	CallSettings,
	EndpointAnswer,
	EndpointArguments,
	EndpointBody,
	EndpointId,
	EndpointQuery,
} from "./transport.ts";
export type { Verification } from "./verification.ts";
