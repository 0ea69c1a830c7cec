import { describe, expect, it } from "vitest";
import { toCountedCalls, toToolTelemetry } from "../../../../src/agents/tools/call-telemetry.ts";
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
	const run = { spec: { tools: TOOLS, startedAtMs: STARTED_MS }, calls: calls.map(toolCall) };
	return { counted: toCountedCalls(run), tools: toToolTelemetry(run) };
};

describe("a run's calls", () => {
	it.each<[string, Partial<ToolCall>, object]>([
		["allowed", { state: "done", ...judged("allow"), ...ran }, { outcome: "done", decision: "allowed", by: "policy" }],
		["denied", { state: "denied", ...judged("deny") }, { outcome: "denied", decision: "denied", by: "policy" }],
		[
			"approved",
			{ state: "failed", ...judged("confirm"), ...decided("approve"), ...ran },
			{ outcome: "failed", decision: "approved", by: "person" },
		],
		[
			"edited to what the policy allows",
			{ state: "expired", ...judged("allow"), ...decided("edit"), ...ran },
			{ outcome: "expired", decision: "edited", by: "person" },
		],
		[
			"rejected",
			{ state: "rejected", ...judged("approve"), ...decided("reject") },
			{ outcome: "rejected", decision: "rejected", by: "person" },
		],
		[
			"left to a person who said nothing",
			{ state: "rejected", ...judged("confirm"), endedAtMs: STARTED_MS },
			{ outcome: "rejected", decision: null, by: null },
		],
		["not judged", { state: "failed" }, { outcome: "failed", decision: null, by: null }],
	])("that was %s counts as such", (_, call, expected) => {
		expect(told(call).counted).toEqual([{ kind: "function", ms: call.dispatchedAtMs ? 750 : null, ...expected }]);
	});

	it("count by the type of their tool, and never by a name", () => {
		const { counted } = told(
			...["send", "compute", "ask_user", "no_such_tool"].map((tool) => ({ tool, state: "failed" as const })),
		);
		expect(counted.map(({ kind }) => kind)).toEqual(["function", "compute", "ask_user", "unknown"]);
	});

	it("have spans where they were dispatched, with the decision and without a text", () => {
		const { tools } = told(
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

	it("that were stored before their times were noted count, and have no span", () => {
		const { counted, tools } = told({ state: "done", ...judged("allow") }, { state: "done", endedAtMs: STARTED_MS });
		expect(counted.map(({ outcome, ms }) => [outcome, ms])).toEqual([
			["done", null],
			["done", null],
		]);
		expect(tools).toEqual([]);
	});
});
