// A double of Ollama: the paths and forms that its documents give, with models that take a while to load.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface DoubleModel {
	name: string;
	capabilities: string[];
	/** What the model itself can read. */
	contextLength: number;
	/** Its Modelfile's parameters. */
	parameters?: string;
	/** How long the first answer takes to begin. */
	loadMs?: number;
}

interface ChatBody {
	model: string;
	messages: { role: string; content: unknown }[];
	stream?: boolean;
	stream_options?: { include_usage?: boolean };
	tools?: { function: { name: string } }[];
}

export interface OllamaDouble {
	/** Without a trailing slash. */
	url: string;
	/** Bodies of the chats that it was sent, and their headers. */
	chats: { body: ChatBody; headers: IncomingMessage["headers"] }[];
	stop(): Promise<void>;
}

async function readBody(request: IncomingMessage): Promise<unknown> {
	let text = "";
	for await (const chunk of request) text += chunk;
	return text === "" ? {} : JSON.parse(text);
}

function send(response: ServerResponse, status: number, body: unknown): void {
	response.writeHead(status, { "content-type": "application/json" });
	response.end(JSON.stringify(body));
}

/** What a model says: a call of the first tool where it has one and nothing was called yet, else words with its name. */
function toAnswer({ model, messages, tools }: ChatBody) {
	const [tool] = tools ?? [];
	if (tool && !messages.some(({ role }) => role === "tool")) {
		const call = { name: tool.function.name, arguments: '{"city":"Paris"}' };
		return { content: "", tool_calls: [{ id: "call_k3x7", index: 0, type: "function", function: call }] };
	}
	return { content: `Hello from ${model}.` };
}

function answerChat(body: ChatBody, response: ServerResponse): void {
	const { content, tool_calls } = toAnswer(body);
	const finish = tool_calls ? "tool_calls" : "stop";
	const base = { id: "chatcmpl-42", created: 1_760_000_000, model: body.model, system_fingerprint: "fp_ollama" };
	const usage = { prompt_tokens: 26, completion_tokens: 9, total_tokens: 35 };
	const message = { role: "assistant", content, ...(tool_calls ? { tool_calls } : {}) };
	if (!body.stream) {
		const choices = [{ index: 0, message, finish_reason: finish }];
		send(response, 200, { ...base, object: "chat.completion", choices, usage });
		return;
	}
	response.writeHead(200, { "content-type": "text/event-stream" });
	const write = (chunk: object) =>
		response.write(`data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", ...chunk })}\n\n`);
	const pieces = tool_calls
		? [message]
		: content.split(/(?<= )/).map((piece) => ({ role: "assistant", content: piece }));
	for (const delta of pieces) write({ choices: [{ index: 0, delta, finish_reason: null }] });
	write({ choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: finish }] });
	if (body.stream_options?.include_usage) write({ choices: [], usage });
	response.end("data: [DONE]\n\n");
}

/** Starts the double. @param loaded names of models that are loaded, with the context that is in force. */
export async function startOllama(
	models: readonly DoubleModel[],
	loaded: Readonly<Record<string, number>> = {},
): Promise<OllamaDouble> {
	const chats: OllamaDouble["chats"] = [];
	const warm = new Set<string>();
	const find = (name: string) => models.find((model) => model.name === name || model.name === `${name}:latest`);
	const server = createServer(async (request, response) => {
		const body = (await readBody(request)) as ChatBody & { model?: string };
		const model = find(body.model ?? "");
		const missing = `model "${body.model}" not found, try pulling it first`;
		switch (`${request.method} ${request.url}`) {
			case "GET /api/tags":
				return send(response, 200, { models: models.map(({ name }) => ({ name, model: name, size: 2_019_393_189 })) });
			case "GET /api/ps": {
				const running = Object.entries(loaded).map(([name, context_length]) => ({ name, context_length }));
				return send(response, 200, { models: running });
			}
			case "POST /api/show":
				if (!model) return send(response, 404, { error: missing });
				return send(response, 200, {
					parameters: model.parameters ?? "",
					details: { family: "llama", parameter_size: "3.2B" },
					model_info: { "general.architecture": "llama", "llama.context_length": model.contextLength },
					capabilities: model.capabilities,
				});
			case "POST /v1/chat/completions":
				chats.push({ body, headers: request.headers });
				if (!model)
					return send(response, 404, { error: { message: missing, type: "not_found_error", param: null, code: null } });
				if (!warm.has(model.name)) await sleep(model.loadMs ?? 0);
				warm.add(model.name);
				return answerChat(body, response);
			default:
				response.writeHead(404, { "content-type": "text/plain" });
				return response.end("404 page not found");
		}
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		chats,
		stop: () =>
			new Promise((resolve) => {
				server.closeAllConnections();
				server.close(() => resolve());
			}),
	};
}
