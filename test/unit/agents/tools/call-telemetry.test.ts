import { describe, expect, it } from "vitest";
import { toToolTelemetry } from "../../../../src/agents/tools/call-telemetry.ts";
import type { RunTool } from "../../../../src/agents/tools/tool.ts";
import type { CallApproval, CallJudgement, ToolCall } from "../../../../src/agents/tools/tool-call.ts";
import type { Decision } from "../../../../src/audit/event.ts";
import { hashText } from "../../../../src/proof/hash.ts";
import { toolCall } from "../../../support/tool-call.ts";

const STARTED_MS = 1_790_000_000_000;
const SECRET = "the reason that a person gave";

const SEND: RunTool = {
	...{ kind: "client", name: "send", effects: "external", isUntrusted: false, isPrivate: false },
	...{ commands: [], files: [], hosts: [], maxCalls: null, timeoutMs: 600_000, isQuarantined: false },
};
const TOOLS: RunTool[] = [SEND, { kind: "built_in", name: "compute" }, { kind: "built_in", name: "ask_user" }];

function judged(decision: Decision): { judgement: CallJudgement } {
	const stand = { manifestDigest: hashText("manifest"), version: "1" };
	return {
		judgement: { decision, riskScore: 10, riskTier: "confirm", reason: SECRET, eventId: "ae_1", ...stand },
	};
}

function decided(decision: CallApproval["decision"]): { approval: CallApproval } {
	return { approval: { keyId: "key_2", decision, at: "2026-11-29", digest: hashText("action"), reason: SECRET } };
}

const ran = { dispatchedAtMs: STARTED_MS + 2_000, endedAtMs: STARTED_MS + 2_750 };
const told = (...calls: Partial<ToolCall>[]) => {
	return toToolTelemetry({ spec: { tools: TOOLS, startedAtMs: STARTED_MS }, calls: calls.map(toolCall) });
};

describe("a run's calls", () => {
	it("have spans where they were dispatched, with the decision and without a text", () => {
		const tools = told(
			{ id: "call_a", state: "done", ...judged("allow"), ...ran },
			{ id: "call_b", state: "denied", ...judged("deny") },
			{ id: "call_c", tool: "compute", state: "failed", ...judged("confirm"), ...decided("approve"), ...ran },
			{ id: "call_d", state: "expired", ...judged("allow"), ...ran },
		);
		const common = { startedMs: 2_000, ms: 750, arguments: null, result: null };
		const byPolicy = { decision: "allow", decidedBy: "policy" };
		expect(tools).toEqual([
			{ ...common, ...byPolicy, name: "send", callId: "call_a", type: "function", error: null },
			{
				...{ ...common, name: "compute", callId: "call_c", type: "extension", error: "failed" },
				...{ decision: "confirm", decidedBy: "person" },
			},
			{ ...common, ...byPolicy, name: "send", callId: "call_d", type: "function", error: "expired" },
		]);
		expect(JSON.stringify(tools)).not.toContain(SECRET);
	});

	it("that were stored before their times were noted have no span", () => {
		const tools = told({ state: "done", ...judged("allow") }, { state: "done", endedAtMs: STARTED_MS });
		expect(tools).toEqual([]);
	});
});
