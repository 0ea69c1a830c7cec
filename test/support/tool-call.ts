// A call of a tool for tests: made, not judged yet.
import { requestCall } from "../../src/agents/tools/call-states.ts";
import type { ToolCall } from "../../src/agents/tools/tool-call.ts";
import { hashText } from "../../src/proof/hash.ts";

export function toolCall(more: Partial<ToolCall> = {}): ToolCall {
	const made = { id: "call_1", step: 0, turn: 0, place: 0, modelId: "model_1", tool: "send" };
	const call = requestCall({ ...made, definition: hashText("definition"), argumentsHash: hashText("arguments") });
	return { ...call, ...more };
}
