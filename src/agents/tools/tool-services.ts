// What is asked where a call is judged and where a result is read, and what is answered. Pure.
import type { AuditEventRow } from "../../audit/event.ts";
import type { JsonObject } from "../../json.ts";
import type { RunSpec } from "../run/run.ts";
import type { JudgedAction } from "./call-states.ts";
import type { ReadTexts } from "./taint.ts";
import type { RunTool } from "./tool.ts";
import type { ToolCall } from "./tool-call.ts";
import type { ToolRunState } from "./tool-state.ts";

/** A call that is to be judged: it has a tool, and arguments that fit the tool's schema. */
export interface CallToJudge {
	spec: RunSpec;
	call: ToolCall;
	tool: RunTool;
	/** Unmasked. */
	args: JsonObject;
	state: Pick<ToolRunState, "untrusted" | "hasReadPrivate">;
	texts: ReadTexts;
}

/** What was decided on a call, with the audit event that is stored with it. */
export interface JudgedCall extends JudgedAction {
	event: AuditEventRow;
}

/** A result as it was given, before any model reads it. */
export interface ResultToRead {
	spec: RunSpec;
	tool: RunTool;
	/** Whole, at most 1 MiB. */
	result: string;
	isError: boolean;
	/** Catalog ids of those that may go on with the step, in the order they are asked. */
	models: readonly string[];
}

/** A result as models may read it. Cutting and marking are the loop's. */
export interface ReadResult {
	/** What compliance refuses is one sentence that names the class. */
	result: string;
	isError: boolean;
	/** It looks as if there were a secret in it: it counts as private. */
	hasSecret: boolean;
	/** Those of the step's models that may read it; all of them where it was refused. */
	models: readonly string[];
}
