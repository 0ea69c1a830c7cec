// What `tool_choice` demands of the tools of a Responses request. Pure.
import type { Issue } from "../failure.ts";
import type { ToolChoice, ToolDefinition } from "../providers/model-call.ts";
import type { ToolTable } from "./tool-table.ts";
import type { ResponseToolChoice } from "./tools.ts";

/** The tools that a call may use, and how. */
interface ChosenTools {
	definitions: ToolDefinition[];
	choice: ToolChoice | undefined;
	issues: Issue[];
}

const CHOICE_PATH = "tool_choice";

function refuseChoice(message: string, path = CHOICE_PATH): ChosenTools {
	return { definitions: [], choice: undefined, issues: [{ path, message }] };
}

function chooseAmong(choice: Exclude<ResponseToolChoice, string>, table: ToolTable): ChosenTools {
	const { mode, tools = [] } = choice;
	const allowed = new Set(
		(tools ?? []).flatMap(({ name, namespace }) => {
			const found =
				typeof name === "string" ? table.findTool(name, typeof namespace === "string" ? namespace : null) : [];
			return found ?? [];
		}),
	);
	const definitions = table.definitions.filter(({ name }) => allowed.has(name));
	if (definitions.length === 0)
		return refuseChoice(
			"allows only tools that this request does not define or this service cannot run",
			`${CHOICE_PATH}.tools`,
		);
	return { definitions, choice: mode ?? "auto", issues: [] };
}

/** The tools and the choice of a call. */
export function applyToolChoice(choice: ResponseToolChoice | null | undefined, table: ToolTable): ChosenTools {
	const { definitions, leftOut } = table;
	const chosen = (wanted: ToolChoice | undefined): ChosenTools => ({ definitions, choice: wanted, issues: [] });
	if (choice === null || choice === undefined) return chosen(undefined);
	if (typeof choice === "string") {
		if (choice !== "required" || definitions.length > 0) return chosen(choice);
		const why = leftOut.length > 0 ? `this service cannot run ${leftOut.join(", ")}` : "the request defines none";
		return refuseChoice(`requires a tool, and ${why}`);
	}
	if (choice.type === "allowed_tools") return chooseAmong(choice, table);
	if (choice.type !== "function" && choice.type !== "custom")
		return refuseChoice(`demands ${choice.type}, which this service cannot run`);
	const name = table.findTool(choice.name ?? "", choice.namespace);
	return name === undefined ? refuseChoice("names no tool of this request", `${CHOICE_PATH}.name`) : chosen({ name });
}
