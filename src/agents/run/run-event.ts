// What followers of a run see while it goes on. Pure.
import type { BudgetAlert } from "../guard.ts";
import type { Intensity } from "../step-decision.ts";
import type { PendingEntry } from "../tools/pending.ts";
import type { ToolCallState } from "../tools/tool-call.ts";
import type { StepRecord } from "./run.ts";

/** What its followers see of a run. */
export type RunEvent =
	| { type: "planned"; run_id: string; plan: string[]; by: "model" | "goal" }
	| {
			type: "step_started";
			index: number;
			role: StepRecord["role"];
			subtask: string;
			intensity: Intensity;
			strategy: string;
			reason: string;
	  }
	| { type: "step_done"; step: StepRecord; text: string }
	| { type: "tool_called" | "tool_judged" | "tool_done"; call_id: string; tool: string; state: ToolCallState }
	| { type: "alert"; alert: BudgetAlert }
	| { type: "requires_action"; run_id: string; pending: PendingEntry[] }
	| { type: "finished"; run_id: string; status: string; cost_consumed_usd: number; trajectory_proof: string };
