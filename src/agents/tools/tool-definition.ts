// A run's tools as models are sent them. Pure.
import type { ToolDefinition } from "../../providers/model-call.ts";
import { builtInForm } from "./built-in.ts";
import { definitionHash, type RunTool, type ToolForm } from "./tool.ts";
import type { ToolCall } from "./tool-call.ts";

/** What a model is told of a tool. */
export function toToolDefinition(tool: RunTool): ToolDefinition {
	const { name, description, parameters, strict }: ToolForm = tool.kind === "built_in" ? builtInForm(tool.name) : tool;
	return {
		name,
		...(description === undefined ? {} : { description }),
		...(parameters === undefined ? {} : { parameters }),
		...(strict === undefined ? {} : { strict }),
	};
}

/** The tool that a call names, if the run has it as it was then. */
export function findTool(
	tools: readonly RunTool[],
	{ tool: name, definition }: Pick<ToolCall, "tool" | "definition">,
): RunTool | null {
	const tool = tools.find((each) => each.name === name);
	return tool && definition === definitionHash(tool) ? tool : null;
}
