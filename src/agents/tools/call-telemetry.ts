// What telemetry is told of a run's tool calls when the run is settled: never their texts, and in counts no name. Pure.
import type { CountedToolCall } from "../../telemetry/metric-sums.ts";
import type { ToolTelemetry } from "../../telemetry/request-telemetry.ts";
import type { RunSpec } from "../run/run.ts";
import type { ToolCall } from "./tool-call.ts";

/** The part of a run that its calls are told from. */
interface CallingRun {
	spec: Pick<RunSpec, "tools" | "startedAtMs">;
	calls: readonly ToolCall[];
}

const BY_PERSON = { approve: "approved", edit: "edited", reject: "rejected" } as const;
const BY_POLICY = { allow: "allowed", deny: "denied", confirm: null, approve: null } as const;

/** A tool's type as requests name it; `unknown` for one that the run does not have, whose name is a model's. */
function toKind({ tools = [] }: CallingRun["spec"], name: string): string {
	const tool = tools.find((each) => each.name === name);
	if (!tool) return "unknown";
	return tool.kind === "client" ? "function" : tool.name;
}

/** From dispatch to end; null for what did not run. */
function toMs({ dispatchedAtMs, endedAtMs }: ToolCall): number | null {
	return dispatchedAtMs === undefined || endedAtMs === undefined ? null : endedAtMs - dispatchedAtMs;
}

/** A run's calls as they are counted. */
export function toCountedCalls({ spec, calls }: CallingRun): CountedToolCall[] {
	return calls.map((call) => {
		const { approval, judgement, state } = call;
		const decision = approval ? BY_PERSON[approval.decision] : judgement && BY_POLICY[judgement.decision];
		const by = decision && (approval ? "person" : "policy");
		return { kind: toKind(spec, call.tool), outcome: state, decision, by, ms: toMs(call) };
	});
}

/** Those of them that were dispatched, as spans are made of them. */
export function toToolTelemetry({ spec, calls }: CallingRun): ToolTelemetry[] {
	return calls.flatMap((call) => {
		const { id, tool: name, state, judgement, approval, dispatchedAtMs } = call;
		const ms = toMs(call);
		if (ms === null || dispatchedAtMs === undefined) return [];
		return {
			name,
			callId: id,
			type: toKind(spec, name) === "function" ? "function" : "extension",
			startedMs: dispatchedAtMs - spec.startedAtMs,
			ms,
			error: state === "done" ? null : state,
			arguments: null,
			result: null,
			decision: judgement?.decision ?? null,
			decidedBy: approval ? "person" : "policy",
		};
	});
}
