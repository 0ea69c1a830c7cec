// Requests, checks and calls as telemetry is told of them, for tests.
import type { CountedToolCall } from "../../src/telemetry/metric-sums.ts";
import type {
	AttemptTelemetry,
	ModelUsageTelemetry,
	PolicyCheckTelemetry,
	RequestTelemetry,
} from "../../src/telemetry/request-telemetry.ts";

export function attemptTelemetry(members: Partial<AttemptTelemetry> = {}): AttemptTelemetry {
	return {
		provider: "openai",
		model: "gpt-5.4",
		status: 200,
		error: null,
		startedMs: 12,
		firstTokenMs: 240,
		ms: 900,
		...members,
	};
}

export function usageTelemetry(members: Partial<ModelUsageTelemetry> = {}): ModelUsageTelemetry {
	return {
		model: "gpt-5.4",
		provider: "openai",
		calls: 1,
		tokens: { input: 1_200, output: 300, cacheRead: 1_000, cacheWrite: null, reasoning: 120 },
		costNanoUsd: 4_250_000,
		...members,
	};
}

/** A streamed chat that was served at the first try. */
export function requestTelemetry(members: Partial<RequestTelemetry> = {}): RequestTelemetry {
	return {
		requestId: "req_01JD0000000000000000000001",
		kind: "chat",
		endpoint: "POST /v1/chat/completions",
		userId: "user_1",
		keyId: "key_1",
		startedAtMs: 1_790_000_000_123,
		latencyMs: 1_000,
		firstTokenMs: 252,
		status: 200,
		outcome: "complete",
		error: null,
		count: 1,
		isStream: true,
		asked: null,
		model: "gpt-5.4",
		provider: "openai",
		mode: "balanced",
		reason: "the best expected quality for its price",
		fallbackFrom: null,
		finishReasons: ["stop"],
		tokens: { input: 1_200, output: 300, cacheRead: 1_000, cacheWrite: null, reasoning: 120 },
		costNanoUsd: 4_250_000,
		usage: [usageTelemetry()],
		isEstimated: false,
		attempts: [attemptTelemetry()],
		stages: [],
		steps: [],
		workflow: null,
		tools: [],
		sessionId: null,
		endUser: null,
		metadata: {},
		parent: null,
		content: null,
		...members,
	};
}

/** A request that a limit refused. */
export function refusedTelemetry(members: Partial<RequestTelemetry> = {}): RequestTelemetry {
	return requestTelemetry({
		latencyMs: 3,
		firstTokenMs: null,
		status: 429,
		outcome: "refused",
		error: { code: "rate_limit_exceeded", message: "too many requests in a minute" },
		isStream: false,
		model: null,
		provider: null,
		mode: null,
		reason: null,
		finishReasons: [],
		tokens: { input: 0, output: 0, cacheRead: null, cacheWrite: null, reasoning: null },
		costNanoUsd: 0,
		usage: [],
		attempts: [],
		...members,
	});
}

/** A call of a client's tool that the policy allowed, and that was answered. */
export function countedToolCall(members: Partial<CountedToolCall> = {}): CountedToolCall {
	return { kind: "function", outcome: "done", decision: "allowed", by: "policy", ms: 1_500, ...members };
}

export function checkTelemetry(members: Partial<PolicyCheckTelemetry> = {}): PolicyCheckTelemetry {
	return {
		checkId: "ae_01JD0000000000000000000002",
		userId: "user_1",
		keyId: "key_1",
		atMs: 1_790_000_000_500,
		ms: 4,
		workspaceId: "repo",
		sessionId: "session-1",
		agent: "claude-code",
		tool: "Bash",
		decision: "deny",
		tier: "block",
		factors: ["destructive_command"],
		parent: null,
		...members,
	};
}
