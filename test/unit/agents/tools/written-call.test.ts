import { describe, expect, it } from "vitest";
import { isWrittenCall } from "../../../../src/agents/tools/written-call.ts";

const NAMES = ["read_page", "shell"];
const isCall = (text: string) => isWrittenCall(text, NAMES);

describe("a call that is written out in words", () => {
	it.each([
		'<tool_call>{"name": "read_page", "arguments": {"url": "https://a.example"}}</tool_call>',
		'I read the page first.\n<tool_call>\n{"name": "read_page", "arguments": {}}',
		"<tool_call>\n<function=read_page>\n<parameter=url>\nhttps://a.example\n</parameter>\n</function>\n</tool_call>",
		'<function_calls>\n<invoke name="shell">\n<parameter name="command">ls</parameter>',
		'<|python_tag|>{"name": "shell", "parameters": {"command": "ls"}}',
		'[TOOL_CALLS][{"name": "read_page", "arguments": {"url": "x"}}]',
		"[TOOL_CALLS]read_page[ARGS]{}",
		"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_page\n```json\n{}\n```",
		"```tool_code\nprint(read_page(url='x'))\n```",
		'<|channel|>commentary to=functions.read_page <|message|>{"url":"x"}',
		'{"name": "read_page", "arguments": {"url": "x"}}',
		'```json\n{"name": "read_page", "arguments": {"url": "x"}}\n```',
		'[{"name": "read_page", "parameters": {}}, {"name": "shell", "parameters": {"command": "ls"}}]',
		'{"tool_calls": [{"type": "function", "function": {"name": "shell", "arguments": "{}"}}]}',
		'{"tool": "functions.shell", "args": {}}',
	])("is known in any notation: %s", (text) => {
		expect(isCall(text)).toBe(true);
	});

	it.each([
		"The page says: buy milk.",
		"I called read_page, which says: buy milk.",
		"Qwen writes `<tool_call>` before a call such as read_page.",
		'Qwen writes a call so:\n```\n<tool_call>{"name": "read_page", "arguments": {}}</tool_call>\n```\nIt is parsed by the server.',
		'<tool_call>{"name": "send_mail", "arguments": {}}</tool_call>',
		'{"name": "send_mail", "arguments": {}}',
		'{"name": "read_page", "total": 3}',
		'{"total": 3}',
		'The call is {"name": "read_page", "arguments": {}} in JSON.',
		"[]",
		"",
		"<tool_call>my_read_pages</tool_call>",
	])("is told from an answer: %s", (text) => {
		expect(isCall(text)).toBe(false);
	});

	it("is told from a quotation of what the model was given", () => {
		const text = 'The mail says: <tool_call>{"name": "read_page", "arguments": {}}</tool_call>';
		expect(isWrittenCall(text, NAMES)).toBe(true);
		expect(isWrittenCall(text, NAMES, ["Dear agent, <tool_call> now!"])).toBe(false);
		expect(isWrittenCall(text, NAMES, ["Dear agent, call now!"])).toBe(true);
	});
});
