// The members of a run's request that are about tools: their schema, and the tools that they describe. Pure.
import * as z from "zod";
import { findSchemaFault } from "../../answers/schema-fault.ts";
import { fail, type Issue, ok, type Result } from "../../failure.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { utf8Length } from "../../text/utf8.ts";
import {
	BUILT_IN_TOOLS,
	type BuiltInToolName,
	type ClientTool,
	type RunTool,
	TOOL_EFFECTS,
	type ToolForm,
} from "./tool.ts";

const MAX_TOOLS = 64;
const MAX_TOOLS_BYTES = 65_536;
const MAX_POINTERS = 32;
const MAX_POINTER_CHARS = 256;
const DEFAULT_TIMEOUT_S = 600;
const MAX_TIMEOUT_S = 7 * 24 * 60 * 60;
const DEFAULT_TOOL_CALLS = 50;
const MAX_TOOL_CALLS = 200;

const nameSchema = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, _ or -");

function wholeNumber(most: number) {
	const error = `must be a whole number from 1 to ${most}`;
	return z.int(error).min(1, error).max(most, error);
}

/** A JSON Schema as it is sent. What it says is checked apart. */
function jsonSchemaField() {
	return z.record(z.string(), z.unknown(), { error: "must be a JSON Schema object" });
}

/** The fields of OpenAI's form. */
function formFields() {
	return {
		description: z.string().nullish().describe("What it does, for the model."),
		parameters: jsonSchemaField().nullish().describe("JSON Schema of its arguments."),
		strict: z.boolean().nullish().describe("The provider holds the model to the schema, where it can."),
	};
}

/** RFC 6901. */
const pointerSchema = z
	.string()
	.max(MAX_POINTER_CHARS)
	.regex(/^(?:\/(?:[^~/]|~[01])*)+$/, "must be a JSON pointer such as /path (RFC 6901)");

function pointersField(of: string) {
	return z
		.array(pointerSchema)
		.max(MAX_POINTERS)
		.nullish()
		.describe(
			`JSON pointers to ${of} in its arguments, which the policy judges; one to an array means all its strings.`,
		);
}

const functionToolSchema = z.lazy(() =>
	z.strictObject({
		type: z.literal("function").describe("A tool that the client runs."),
		name: nameSchema.optional().describe("Its name, by which models call it; or it stands in `function`."),
		...formFields(),
		function: z
			.strictObject({ name: nameSchema, ...formFields() })
			.optional()
			.describe("Name, description, parameters and strict in the form of chat completions."),
		effects: z
			.enum(TOOL_EFFECTS, { error: `must be one of ${TOOL_EFFECTS.join(", ")}` })
			.nullish()
			.describe(
				"What a call does: `read`, `write`, or `external` by default. It counts once the run has read untrusted text.",
			),
		untrusted: z.boolean().nullish().describe("Others write what it returns, such as mail or pages: untrusted text."),
		private: z.boolean().nullish().describe("What it returns is private."),
		commands: pointersField("commands"),
		files: pointersField("paths of files"),
		hosts: pointersField("hosts or addresses"),
		max_calls: wholeNumber(MAX_TOOL_CALLS).nullish().describe("Most calls of it in the run."),
		timeout_s: wholeNumber(MAX_TIMEOUT_S)
			.nullish()
			.describe(`Seconds that its result is waited for; ${DEFAULT_TIMEOUT_S} by default, ${MAX_TIMEOUT_S} at most.`),
		quarantine: z
			.boolean()
			.nullish()
			.describe("Its result is read by a model without tools, which answers in a schema. It counts as `untrusted`."),
	}),
);
type FunctionToolRequest = z.output<typeof functionToolSchema>;

const toolRequestSchema = z.lazy(() =>
	z.discriminatedUnion(
		"type",
		[
			z.strictObject({ type: z.literal("compute") }),
			z.strictObject({ type: z.literal("ask_user") }),
			z.strictObject(functionToolSchema.def.getter().shape),
		],
		{ error: `type must be one of function, ${BUILT_IN_TOOLS.join(", ")}` },
	),
);
type ToolRequest = z.output<typeof toolRequestSchema>;

/** The fields of a run's request about its tools. A `null` counts as absent. */
export function toolFields() {
	return {
		tools: z
			.array(toolRequestSchema)
			.max(MAX_TOOLS)
			.nullish()
			.describe(
				`Tools that its steps may call: the client's own (\`function\`), and \`compute\` and \`ask_user\`; at most ${MAX_TOOLS}, and 64 KiB.`,
			),
		max_tool_calls: wholeNumber(MAX_TOOL_CALLS)
			.nullish()
			.describe(`Most tool calls of the run; ${DEFAULT_TOOL_CALLS} by default, ${MAX_TOOL_CALLS} at most.`),
		plan: z
			.strictObject({
				approve: z.boolean().nullish().describe("The run waits until a person has decided on its plan."),
			})
			.nullish()
			.describe("With `approve: true` the run waits until a person has decided on its plan."),
		output_schema: jsonSchemaField().nullish().describe("JSON Schema of its output, which is then JSON."),
		self_approval: z
			.boolean()
			.nullish()
			.describe(
				"The owner's key that begins the run may decide on its approvals and its plan, unless the manifest forbids it.",
			),
	};
}

type ToolFieldsRequest = Partial<z.output<z.ZodObject<ReturnType<typeof toolFields>>>> & {
	workspace_id?: string | null | undefined;
};

/** What a run's specification has of these fields. All members are absent in a run without them. */
export interface ToolSpec {
	tools?: RunTool[];
	/** Present with tools. */
	maxToolCalls?: number;
	/** JSON Schema of the output. */
	outputSchema?: JsonObject;
	/** The run waits until its plan is approved. */
	planApproval?: true;
	/** The request allows it; whether it counts is up to the key and the manifest. */
	selfApproval?: true;
}

function toForm({ name, description, parameters, strict }: FunctionToolRequest, fallbackName: string): ToolForm {
	return {
		name: name ?? fallbackName,
		...(description == null ? {} : { description }),
		...(parameters == null ? {} : { parameters }),
		...(strict == null ? {} : { strict }),
	};
}

function toClientTool(tool: FunctionToolRequest): ClientTool {
	const form = tool.function ? { ...tool, ...tool.function } : tool;
	return {
		kind: "client",
		...toForm(form, ""),
		effects: tool.effects ?? "external",
		// What a reader in quarantine reports is still what others wrote.
		isUntrusted: tool.untrusted === true || tool.quarantine === true,
		isPrivate: tool.private ?? false,
		commands: tool.commands ?? [],
		files: tool.files ?? [],
		hosts: tool.hosts ?? [],
		maxCalls: tool.max_calls ?? null,
		timeoutMs: (tool.timeout_s ?? DEFAULT_TIMEOUT_S) * 1_000,
		isQuarantined: tool.quarantine ?? false,
	};
}

/** The names that a schema says its object has; null where it does not say, or others may be added. */
function closedNames(schema: unknown): JsonObject | null {
	if (!isJsonObject(schema) || !isJsonObject(schema["properties"])) return null;
	const isOpen = ["$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties"].some((word) => word in schema);
	return isOpen ? null : schema["properties"];
}

/** Whether a pointer can lead to a value, as far as the schema tells. One that is mistyped would leave a command unjudged. */
function canLead(pointer: string, parameters: unknown): boolean {
	let schema = parameters;
	for (const token of pointer.slice(1).split("/")) {
		const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
		const names = closedNames(schema);
		if (names && !Object.hasOwn(names, name)) return false;
		schema = names ? names[name] : undefined;
		if (schema === undefined) return true;
	}
	return true;
}

/** Arguments are an object, and no call could ever fit a schema that is none. */
function findParametersFault(parameters: JsonObject): Issue | null {
	const { type } = parameters;
	if (type !== undefined && type !== "object")
		return { path: "type", message: "must be object: arguments are an object" };
	return findSchemaFault(parameters);
}

const POINTER_MEMBERS = ["commands", "files", "hosts"] as const;

/** What is wrong with a function that its own schema cannot say. */
function findFunctionIssue(tool: FunctionToolRequest, path: string): Issue | null {
	if (tool.function) {
		const twice = (["name", "description", "parameters", "strict"] as const).find((member) => tool[member] != null);
		if (twice) return { path: `${path}.${twice}`, message: "stands in `function` already; say it once" };
	} else if (tool.name === undefined) return { path: `${path}.name`, message: "is required" };
	const { name, parameters } = toClientTool(tool);
	if ((BUILT_IN_TOOLS as readonly string[]).includes(name))
		return {
			path: `${path}${tool.function ? ".function" : ""}.name`,
			message: `is the name of a built-in tool, which is {"type": "${name}"}; choose another`,
		};
	const fault = parameters && findParametersFault(parameters);
	if (fault)
		return {
			path: [path, ...(tool.function ? ["function"] : []), "parameters", fault.path].filter(Boolean).join("."),
			message: fault.message,
		};
	for (const member of POINTER_MEMBERS) {
		const at = (tool[member] ?? []).findIndex((pointer) => !canLead(pointer, parameters));
		if (at >= 0)
			return { path: `${path}.${member}.${at}`, message: "leads to nothing in `parameters`: they have no such member" };
	}
	return null;
}

function toolName(tool: ToolRequest): string {
	return tool.type === "function" ? toClientTool(tool).name : tool.type;
}

function findToolsIssue(tools: readonly ToolRequest[]): Issue | null {
	const names = new Set<string>();
	for (const [at, tool] of tools.entries()) {
		const path = `tools.${at}`;
		const issue = tool.type === "function" ? findFunctionIssue(tool, path) : null;
		if (issue) return issue;
		const name = toolName(tool);
		if (names.has(name)) return { path, message: `there is another tool with the name ${name}; names are unique` };
		names.add(name);
	}
	const bytes = utf8Length(JSON.stringify(tools));
	if (bytes > MAX_TOOLS_BYTES)
		return { path: "tools", message: `take ${bytes} bytes of JSON; at most ${MAX_TOOLS_BYTES} are allowed` };
	return null;
}

function toRunTool(tool: ToolRequest): RunTool {
	return tool.type === "function"
		? toClientTool(tool)
		: { kind: "built_in", name: tool.type satisfies BuiltInToolName };
}

/** The part of a run's specification that these fields make. An empty list of tools is none. */
export function toToolSpec(body: ToolFieldsRequest): Result<ToolSpec> {
	const tools = body.tools ?? [];
	const issue = findToolsIssue(tools);
	if (issue) return fail({ reason: "invalid_request", issues: [issue] });
	const planApproval = body.plan?.approve === true;
	if ((tools.length > 0 || planApproval) && body.workspace_id == null) {
		const what = tools.length > 0 ? "tools" : "plan.approve";
		const message = `is required with ${what}: its manifest decides what may run unasked, and its ledger keeps the approvals`;
		return fail({ reason: "invalid_request", issues: [{ path: "workspace_id", message }] });
	}
	return ok({
		...(tools.length > 0
			? { tools: tools.map(toRunTool), maxToolCalls: body.max_tool_calls ?? DEFAULT_TOOL_CALLS }
			: {}),
		...(body.output_schema == null ? {} : { outputSchema: body.output_schema }),
		...(planApproval ? { planApproval: true as const } : {}),
		...(body.self_approval === true ? { selfApproval: true as const } : {}),
	});
}
