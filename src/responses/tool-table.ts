// The tools of a Responses request under the names that models are sent, and back to the client's own. Pure.
import type { Issue } from "../failure.ts";
import { optionalMember } from "../json.ts";
import { shortDigest } from "../providers/call-ids.ts";
import type { ToolDefinition, Warning } from "../providers/model-call.ts";
import { type CustomTool, type FunctionTool, isUsableTool, type ResponseTool, type UsableTool } from "./tools.ts";

/** Most tools of one request, those of namespaces and items included. */
const MAX_TOOLS_OF_CALL = 512;
/** Every wire takes names of this form. */
const UPSTREAM_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_UPSTREAM_NAME_CHARS = 64;
const NAME_DIGEST_CHARS = 8;

/** A tool as the client names it. */
interface ClientTool {
	kind: "function" | "custom";
	name: string;
	namespace?: string;
}

/** The client's tools by the names that models are sent. */
export type ToolNames = ReadonlyMap<string, ClientTool>;

/** A list of tools, and the path of the member that holds it. */
export interface ToolSource {
	path: string;
	tools: readonly ResponseTool[];
}

function toToolKey(name: string, namespace: string | null | undefined): string {
	return JSON.stringify([namespace ?? null, name]);
}

/** A name of the form that every wire takes. Where that changes it, a digest keeps it apart from others. */
function toUpstreamName(
	name: string,
	namespace: string | null | undefined,
	isTaken: (name: string) => boolean,
): string {
	const whole = namespace ? `${namespace}__${name}` : name;
	if (UPSTREAM_NAME.test(whole) && !isTaken(whole)) return whole;
	const digest = shortDigest(toToolKey(name, namespace), NAME_DIGEST_CHARS);
	const start = whole.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_UPSTREAM_NAME_CHARS - NAME_DIGEST_CHARS - 1);
	return `${start}_${digest}`;
}

function toResponseToolDefinition(tool: FunctionTool | CustomTool, name: string, heading: string): ToolDefinition {
	const description = `${heading}${tool.description ?? ""}`;
	const common = { name, ...(description === "" ? {} : { description }) };
	if (tool.type === "function")
		return { ...common, ...optionalMember("parameters", tool.parameters), ...optionalMember("strict", tool.strict) };
	const { format } = tool;
	const grammar = format?.type === "grammar" ? { syntax: format.syntax, definition: format.definition } : null;
	return { ...common, input: "text", ...optionalMember("grammar", grammar) };
}

/** The tools of one request. */
export class ToolTable {
	readonly #definitions = new Map<string, ToolDefinition>();
	readonly #names = new Map<string, ClientTool>();
	readonly #upstreamNames = new Map<string, string>();
	/** Types of the tools that are left out, in order. */
	readonly leftOut: string[] = [];
	readonly warnings: Warning[] = [];
	readonly issues: Issue[] = [];

	constructor(sources: readonly ToolSource[]) {
		for (const { path, tools } of sources)
			for (const [index, tool] of tools.entries()) this.#add(tool, `${path}[${index}]`);
		if (this.#definitions.size > MAX_TOOLS_OF_CALL)
			this.issues.push({ path: "tools", message: `must be at most ${MAX_TOOLS_OF_CALL} in all` });
	}

	get names(): ToolNames {
		return this.#names;
	}

	/** The definitions in the order of the request. */
	get definitions(): ToolDefinition[] {
		return [...this.#definitions.values()];
	}

	#add(tool: ResponseTool, path: string): void {
		if (isUsableTool(tool)) this.#addUsable(tool, path);
		else {
			this.leftOut.push(tool.type);
			const message = `this service cannot run ${tool.type}, so it was left out`;
			this.warnings.push({ code: "tool_dropped", param: path, message });
		}
	}

	#addUsable(tool: UsableTool, path: string): void {
		if (tool.type !== "namespace") {
			this.#define(tool, undefined, path, "");
			return;
		}
		// Said once: a description may be long, and a namespace large.
		const heading = tool.description ? `[${tool.name}: ${tool.description}]\n` : "";
		for (const [index, inner] of tool.tools.entries())
			this.#define(inner, tool.name, `${path}.tools[${index}]`, index === 0 ? heading : "");
	}

	#define(tool: FunctionTool | CustomTool, namespace: string | undefined, path: string, heading: string): void {
		const key = toToolKey(tool.name, namespace);
		const known = this.#upstreamNames.get(key);
		const name = known ?? toUpstreamName(tool.name, namespace, (taken) => this.#names.has(taken));
		const definition = toResponseToolDefinition(tool, name, heading);
		// Clients repeat tools with each request. Another definition under the same name replaces the first.
		if (known !== undefined && JSON.stringify(this.#definitions.get(name)) !== JSON.stringify(definition)) {
			const message = `${tool.name} is defined twice; the last definition holds`;
			this.warnings.push({ code: "parameter_changed", param: path, message });
		}
		this.#upstreamNames.set(key, name);
		this.#definitions.set(name, definition);
		this.#names.set(name, { kind: tool.type, name: tool.name, ...optionalMember("namespace", namespace) });
	}

	/** The upstream name of a defined tool; undefined without one. A name alone also finds the only tool of that name. */
	findTool(name: string, namespace?: string | null): string | undefined {
		const exact = this.#upstreamNames.get(toToolKey(name, namespace));
		if (exact !== undefined || namespace) return exact;
		const alike = [...this.#names].filter(([, tool]) => tool.name === name);
		return alike.length === 1 ? alike[0]?.[0] : undefined;
	}

	/** The upstream name of a tool that was called, also of one that is no longer defined. */
	calledName(name: string, namespace?: string | null): string {
		return this.findTool(name, namespace) ?? toUpstreamName(name, namespace, () => false);
	}
}
