// Anthropic's own tools, by the type without its date: those that the client runs become functions, those that Anthropic runs are
// left out. A table for people to edit. Pure.
import type { JsonObject } from "../json.ts";

/** What becomes of a tool in Anthropic's schema. */
type AnthropicTool =
	| {
			/** The client runs it, so that a model only has to know its arguments. */
			handling: "function";
			name: string;
			description: string;
			/** As Anthropic publishes them. */
			parameters: JsonObject;
	  }
	| { handling: "left_out"; why: string };

const AT_ANTHROPIC: AnthropicTool = { handling: "left_out", why: "is run by Anthropic and not by this service" };
const OF_ANTHROPIC: AnthropicTool = {
	handling: "left_out",
	why: "is a form of tool that only Anthropic's models have",
};

const text = (description: string): JsonObject => ({ type: "string", description });

export const ANTHROPIC_TOOLS: Readonly<Record<string, AnthropicTool>> = {
	bash: {
		handling: "function",
		name: "bash",
		description: "Runs commands in a bash session that persists between calls.",
		parameters: {
			type: "object",
			properties: {
				command: text("The command to run. Required unless the session is restarted."),
				restart: { type: "boolean", description: "True restarts the session instead of running a command." },
			},
		},
	},
	memory: {
		handling: "function",
		name: "memory",
		description:
			"Reads and changes files under /memories, which last beyond this conversation. View the directory before other work.",
		parameters: {
			type: "object",
			properties: {
				command: { type: "string", enum: ["view", "create", "str_replace", "insert", "delete", "rename"] },
				path: text("The file or directory; required by every command but rename."),
				view_range: { type: "array", items: { type: "integer" }, description: "First and last line to view." },
				file_text: text("The content of the file that create makes."),
				old_str: text("The text that str_replace replaces."),
				new_str: text("The text that str_replace puts in its place."),
				insert_line: {
					type: "integer",
					description: "The line after which insert puts its text; 0 for the beginning.",
				},
				insert_text: text("The text that insert puts in."),
				old_path: text("What rename renames."),
				new_path: text("Its new name."),
			},
			required: ["command"],
		},
	},
	text_editor: OF_ANTHROPIC,
	computer: OF_ANTHROPIC,
	computer_toolset: OF_ANTHROPIC,
	browser_toolset: OF_ANTHROPIC,
	web_search: AT_ANTHROPIC,
	web_fetch: AT_ANTHROPIC,
	code_execution: AT_ANTHROPIC,
	tool_search_tool_bm25: AT_ANTHROPIC,
	tool_search_tool_regex: AT_ANTHROPIC,
	advisor: AT_ANTHROPIC,
	mcp_toolset: AT_ANTHROPIC,
};
