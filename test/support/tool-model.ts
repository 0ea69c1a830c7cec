// A model double that calls tools, in OpenAI's format, streamed or whole as it is asked: what it does is a script of the test.
import { DONE, event, finish, ROLE, says, word } from "./scripted.ts";

/** One turn of a scripted model. */
export interface ScriptedTurn {
	text?: string;
	calls?: readonly { id?: string; name: string; args: unknown }[];
	finish?: string;
	usage?: Record<string, unknown>;
}

/** What a model is asked, as a script reads it. */
export interface AskedModel {
	model: string;
	messages: { role: string; content: unknown; tool_call_id?: string; tool_calls?: unknown[] }[];
	tools: { function: { name: string; description?: string } }[];
	toolChoice: unknown;
	/** The whole body, as it was sent. */
	body: string;
	/** Tool results so far. */
	results: string[];
}

const USAGE = { prompt_tokens: 50, completion_tokens: 20, total_tokens: 70 };

function toCalls({ calls = [] }: ScriptedTurn) {
	return calls.map(({ id, name, args }, index) => ({
		index,
		id: id ?? `call_${crypto.randomUUID().slice(0, 8)}`,
		type: "function",
		function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
	}));
}

/** A turn as an upstream says it. */
export function sayTurn(turn: ScriptedTurn, isStream: boolean): Response {
	const { text, usage = USAGE } = turn;
	const calls = toCalls(turn);
	const reason = turn.finish ?? (calls.length > 0 ? "tool_calls" : "stop");
	if (!isStream) {
		const message = { role: "assistant", content: text ?? null, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
		return Response.json({ choices: [{ index: 0, message, finish_reason: reason }], usage });
	}
	return says(
		ROLE,
		...(text === undefined ? [] : [word(text)]),
		...calls.map((call) => event({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] })),
		finish(reason, usage),
		DONE,
	);
}

function readText(content: unknown): string {
	if (typeof content === "string") return content;
	return Array.isArray(content) ? content.map((part) => String((part as { text?: unknown }).text ?? "")).join("") : "";
}

/** Reads a request of OpenAI's format. */
export function readAsked(body: string): AskedModel & { isStream: boolean } {
	const parsed = JSON.parse(body) as Record<string, unknown>;
	const messages = (parsed["messages"] ?? []) as AskedModel["messages"];
	return {
		model: String(parsed["model"]),
		messages,
		tools: (parsed["tools"] ?? []) as AskedModel["tools"],
		toolChoice: parsed["tool_choice"],
		body,
		results: messages.filter(({ role }) => role === "tool").map(({ content }) => readText(content)),
		isStream: parsed["stream"] === true,
	};
}

/** The text of all messages. */
export function allText({ messages }: Pick<AskedModel, "messages">): string {
	return messages.map(({ content }) => readText(content)).join("\n");
}

/** Providers of other formats, which a run of such a model does without. */
export const OPENAI_FORMAT = { blocked: ["anthropic", "google"] };

/**
 * An upstream that acts by a script where it is asked with tools, and plans one subtask. Anything else is the sandbox's.
 * @param script of the turns: null leaves the turn to the sandbox.
 */
export function toolModel(script: (asked: AskedModel) => ScriptedTurn | null | Promise<ScriptedTurn | null>) {
	const asked: AskedModel[] = [];
	const answer = async (request: Request): Promise<Response | undefined> => {
		const body = await request.text();
		if (!body.startsWith("{")) return undefined;
		const read = readAsked(body);
		if (body.includes("You split the goal into subtasks")) {
			const subtasks = [{ title: "All of it", task: "Do all of it with the tools", is_section: false }];
			return sayTurn({ text: JSON.stringify({ subtasks }) }, read.isStream);
		}
		if (read.tools.length === 0) return undefined;
		asked.push(read);
		const turn = await script(read);
		return turn === null ? undefined : sayTurn(turn, read.isStream);
	};
	return { asked, answer };
}
