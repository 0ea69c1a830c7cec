// The tools of a Messages request as definitions that a model gets, and what the request demands of them. Pure.
import { type Failure, fail, ok, type Result } from "../failure.ts";
import { optionalMember } from "../json.ts";
import type { ToolChoice, ToolDefinition } from "../providers/model-call.ts";
import { ANTHROPIC_TOOLS } from "./anthropic-tools.ts";
import { toCacheMember } from "./cache-marks.ts";
import type { MessagesTool, MessagesToolChoice, OwnTool, ToolChangeBlock, TypedTool } from "./tools.ts";
import type { EntranceWarnings } from "./warnings.ts";

/** A change of the tools, with the place of its block. */
export interface ToolChange {
	block: ToolChangeBlock;
	path: string;
}

function fromOwnTool(tool: OwnTool): ToolDefinition {
	const { name, description, input_schema, strict, cache_control } = tool;
	return {
		name,
		...optionalMember("description", description),
		parameters: input_schema,
		...optionalMember("strict", strict),
		...toCacheMember(cache_control),
	};
}

/** `bash_20250124` is a version of `bash`. */
function toolFamily(type: string): string {
	return type.replace(/_\d{8}$/, "");
}

/** The function that stands for a tool in Anthropic's schema; null for one that no model is sent. */
function fromTypedTool(tool: TypedTool, path: string, warnings: EntranceWarnings): ToolDefinition | null {
	const family = toolFamily(tool.type);
	const known = Object.hasOwn(ANTHROPIC_TOOLS, family) ? ANTHROPIC_TOOLS[family] : undefined;
	const label = JSON.stringify(tool.type.slice(0, 60));
	if (known?.handling === "function") {
		warnings.add("parameter_changed", path, `${label} is sent as a function with Anthropic's published arguments`);
		return {
			name: tool.name ?? known.name,
			description: known.description,
			parameters: known.parameters,
			...toCacheMember(tool.cache_control),
		};
	}
	warnings.add("tool_dropped", path, `${label} ${known?.why ?? "is no tool that this service knows"}; it was left out`);
	return null;
}

function toMessagesToolDefinition(tool: MessagesTool, path: string, warnings: EntranceWarnings): ToolDefinition | null {
	if (tool.kind === "typed") return fromTypedTool(tool, path, warnings);
	const callers = tool.allowed_callers;
	if (Array.isArray(callers) && callers.length > 0 && !callers.includes("direct"))
		warnings.add("parameter_changed", `${path}.allowed_callers`, "models call every tool directly");
	return fromOwnTool(tool);
}

/**
 * The tools that the model has at the end of the conversation, in the order in which they came.
 * @param changes of system messages, in order.
 */
export function toToolDefinitions(
	tools: readonly MessagesTool[],
	changes: readonly ToolChange[],
	warnings: EntranceWarnings,
): ToolDefinition[] {
	const offered = new Map<string, ToolDefinition>();
	const declared = new Map<string, ToolDefinition>();
	const declare = (tool: MessagesTool, path: string) => {
		const definition = toMessagesToolDefinition(tool, path, warnings);
		if (!definition) return;
		declared.set(definition.name, definition);
		offered.set(definition.name, definition);
	};
	for (const [index, tool] of tools.entries()) declare(tool, `tools[${index}]`);
	for (const { block, path } of changes) {
		const { type, tool } = block;
		if (tool.type === "tool_definition") declare(tool.definition, `${path}.tool`);
		else if (tool.type !== "tool_reference")
			warnings.add("tool_dropped", `${path}.tool`, "this service connects to no MCP server; its tools were left out");
		else if (type === "tool_removal") offered.delete(tool.name);
		else {
			const definition = declared.get(tool.name);
			if (definition) offered.set(tool.name, definition);
		}
	}
	return [...offered.values()];
}

function missingTool(path: string, message: string): { ok: false; failure: Failure } {
	return fail({ reason: "invalid_request", issues: [{ path, message }] });
}

/** What a client's `tool_choice` means for the tools that are sent; undefined leaves it to the model. */
export function toMessagesToolChoice(
	choice: MessagesToolChoice | null | undefined,
	tools: readonly ToolDefinition[],
): Result<ToolChoice | undefined> {
	if (!choice) return ok(undefined);
	switch (choice.type) {
		case "tool": {
			const { name } = choice;
			if (tools.some((tool) => tool.name === name)) return ok({ name });
			return missingTool(
				"tool_choice.name",
				`${JSON.stringify(name.slice(0, 60))} is no tool that a model can be sent`,
			);
		}
		case "any":
			if (tools.length > 0) return ok("required");
			return missingTool("tool_choice", "demands a tool, and none can be sent to a model");
		default:
			return ok(tools.length > 0 ? choice.type : undefined);
	}
}

/** False where the client wants one call at a time; undefined leaves it to the model. */
export function toParallelToolCalls(choice: MessagesToolChoice | null | undefined): false | undefined {
	return choice?.disable_parallel_tool_use ? false : undefined;
}
