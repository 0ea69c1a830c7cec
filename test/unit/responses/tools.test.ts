// Tools under names that every provider takes, back to the client's own, and what a choice demands of them.
import { describe, expect, it } from "vitest";
import { callFor, failureFor, faultsOf } from "../../support/responses.ts";

const parameters = { type: "object", properties: {} };
const fn = (name: string, more = {}) => ({ type: "function", name, parameters, ...more });
const custom = (name: string, more = {}) => ({ type: "custom", name, ...more });
const namespace = (name: string, ...tools: object[]) => ({ type: "namespace", name, description: "", tools });
const made = (tools: object[], more = {}) => callFor({ input: "hi", tools, ...more });
const namesOf = (tools: object[], more = {}) => made(tools, more).call.tools.map(({ name }) => name);
const issueOf = (tools: object[], tool_choice: unknown) => {
	const failure = failureFor({ input: "hi", tools, tool_choice });
	if (failure.reason !== "invalid_request") throw new Error(failure.reason);
	return failure.issues.map(({ path, message }) => `${path}: ${message}`);
};

describe("a function", () => {
	it("goes as the client wrote it, and strict only where the client says so", () => {
		const described = fn("f", { description: "d", defer_loading: true, strict: null });
		const { call, warnings } = made([
			described,
			fn("g", { strict: true }),
			{ type: "function", name: "h", parameters: null },
		]);
		expect(call.tools).toEqual([
			{ name: "f", description: "d", parameters },
			{ name: "g", parameters, strict: true },
			{ name: "h" },
		]);
		expect(warnings).toEqual([]);
	});

	it("whose form is wrong is named by its place", () => {
		expect(faultsOf({ input: "hi", tools: [fn("f"), { type: "function" }] })).toEqual([
			"tools.1.name: Invalid input: expected string, received undefined",
		]);
		expect(faultsOf({ input: "hi", tools: [namespace("n", { type: "web_search" })] })).toEqual([
			"tools.0.tools.0.type: must be a tool of type function or custom",
		]);
		expect(faultsOf({ input: "hi", tools: [7] })).toEqual(["tools.0: must be an object with a type"]);
	});
});

describe("a custom tool", () => {
	it("takes one text, with the grammar that the client gives", () => {
		const format = { type: "grammar", syntax: "lark", definition: "start: /.+/" };
		const { call, tools } = made([
			custom("exec", { description: "d", format }),
			custom("free", { format: { type: "text" } }),
		]);
		expect(call.tools).toEqual([
			{ name: "exec", description: "d", input: "text", grammar: { syntax: "lark", definition: "start: /.+/" } },
			{ name: "free", input: "text" },
		]);
		expect(tools.get("exec")).toEqual({ kind: "custom", name: "exec" });
	});
});

describe("a namespace", () => {
	it("is part of the names that models are sent, and calls are mapped both ways", () => {
		const tools = [namespace("crm", fn("find"), custom("note")), fn("find")];
		const { call, tools: names } = made(tools, {
			input: [
				{ role: "user", content: "hi" },
				{ type: "function_call", call_id: "c1", name: "find", namespace: "crm", arguments: "{}" },
				{ type: "function_call", call_id: "c2", name: "find", arguments: "{}" },
				{ type: "custom_tool_call", call_id: "c3", name: "note", namespace: "crm", input: "x" },
			],
		});
		expect(Object.fromEntries(names)).toEqual({
			crm__find: { kind: "function", name: "find", namespace: "crm" },
			crm__note: { kind: "custom", name: "note", namespace: "crm" },
			find: { kind: "function", name: "find" },
		});
		expect(call.messages[1]?.content).toMatchObject([{ name: "crm__find" }, { name: "find" }, { name: "crm__note" }]);
	});

	it("keeps names apart, short and of one form, whatever the client's are", () => {
		const long = "x".repeat(100);
		const tools = [
			fn("a__b"),
			namespace("a", fn("b")),
			namespace(long, fn("y"), fn("z")),
			fn("read.file"),
			fn("read_file"),
		];
		const names = namesOf(tools);
		expect(new Set(names).size).toBe(6);
		for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
		expect(namesOf(tools)).toEqual(names);
		expect([...made(tools).tools.values()]).toContainEqual({ kind: "function", name: "read.file" });
	});

	it("gives the names of its tools however many follow, so that a prompt's prefix stays", () => {
		const first = [namespace("a", fn("b"))];
		expect(namesOf([...first, fn("a__b"), namespace("c", fn("b"))])[0]).toBe(namesOf(first)[0]);
	});

	it("says what it is for, once", () => {
		const crm = { ...namespace("crm", fn("find", { description: "Finds." }), fn("add")), description: "Customers." };
		expect(made([crm]).call.tools.map(({ description }) => description)).toEqual([
			"[crm: Customers.]\nFinds.",
			undefined,
		]);
	});
});

describe("tools that an item adds", () => {
	const item = (...tools: object[]) => ({ type: "additional_tools", role: "developer", tools });
	const user = { role: "user", content: "hi" };

	it("follow the request's own", () => {
		expect(namesOf([fn("f")], { input: [item(fn("g")), user] })).toEqual(["f", "g"]);
	});

	it("replace those of the same name, with a warning where they differ", () => {
		const { call, warnings } = made([fn("f")], { input: [item(fn("f"), fn("f", { description: "new" })), user] });
		expect(call.tools).toEqual([{ name: "f", description: "new", parameters }]);
		expect(warnings).toMatchObject([{ code: "parameter_changed", param: "input[0].tools[1]" }]);
	});
});

describe("a tool that the service cannot run", () => {
	it("is left out and named", () => {
		const { call, warnings } = made([
			{ type: "web_search", external_web_access: true },
			fn("f"),
			{ type: "mcp", server_label: "s" },
		]);
		expect(call.tools.map(({ name }) => name)).toEqual(["f"]);
		expect(warnings).toEqual([
			{ code: "tool_dropped", param: "tools[0]", message: "this service cannot run web_search, so it was left out" },
			{ code: "tool_dropped", param: "tools[2]", message: "this service cannot run mcp, so it was left out" },
		]);
	});

	it("is refused only where the choice demands it", () => {
		const search = { type: "web_search" };
		expect(made([search], { tool_choice: "auto" }).call.toolChoice).toBe("auto");
		expect(issueOf([], "required")).toEqual(["tool_choice: requires a tool, and the request defines none"]);
		expect(issueOf([search], "required")).toEqual([
			"tool_choice: requires a tool, and this service cannot run web_search",
		]);
		expect(issueOf([search, fn("f")], { type: "web_search_preview" })).toEqual([
			"tool_choice: demands web_search_preview, which this service cannot run",
		]);
		expect(issueOf([search, fn("f")], { type: "allowed_tools", mode: "auto", tools: [search] })).toEqual([
			"tool_choice.tools: allows only tools that this request does not define or this service cannot run",
		]);
	});
});

describe("a choice", () => {
	const tools = [fn("f"), fn("g"), namespace("crm", fn("find"), fn("f"))];
	const choiceOf = (tool_choice: unknown) => made(tools, { tool_choice }).call.toolChoice;

	it("names a tool by its name, and by its namespace where there are several", () => {
		expect(choiceOf({ type: "function", name: "f" })).toEqual({ name: "f" });
		expect(choiceOf({ type: "function", name: "f", namespace: "crm" })).toEqual({ name: "crm__f" });
		expect(choiceOf({ type: "function", name: "find" })).toEqual({ name: "crm__find" });
		expect(choiceOf("none")).toBe("none");
		expect(choiceOf(null)).toBeUndefined();
	});

	it("of a tool that is not defined is refused", () => {
		expect(issueOf(tools, { type: "function", name: "h" })).toEqual([
			"tool_choice.name: names no tool of this request",
		]);
		expect(issueOf(tools, { type: "custom" })).toEqual(["tool_choice.name: names no tool of this request"]);
	});

	it("among some leaves the others out", () => {
		const tool_choice = {
			type: "allowed_tools",
			mode: "required",
			tools: [fn("g"), { type: "mcp", server_label: "s" }],
		};
		const { call } = made(tools, { tool_choice });
		expect(call.tools.map(({ name }) => name)).toEqual(["g"]);
		expect(call.toolChoice).toBe("required");
	});
});
