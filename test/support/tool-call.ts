// A call of a tool for tests: made, not judged yet.
import type { ToolCall } from "../../src/agents/tools/tool-call.ts";
import { hashText } from "../../src/proof/hash.ts";

export function toolCall(more: Partial<ToolCall> = {}): ToolCall {
	return {
		...{ id: "call_1", step: 0, turn: 0, place: 0, modelId: "model_1", tool: "send" },
		definition: hashText("definition"),
		state: "requested",
		argumentsHash: hashText("arguments"),
		...{
			judgement: null,
			actionDigest: null,
			approval: null,
			taintedBy: [],
			unsourced: [],
			pending: null,
			settled: [],
		},
		...{ resultHash: null, isError: false, isCut: false, isRead: false, isUntrusted: false },
		...more,
	};
}
