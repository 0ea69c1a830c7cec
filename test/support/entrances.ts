// The three entrances by what they share: one conversation in each form, and one form of all their answers.
import { callWithKey } from "./service.ts";
import { eventsOf } from "./sse.ts";

type Json = Record<string, unknown>;

/** A call of a tool. `args` are an object's members. */
export interface SpokenCall {
	id: string;
	name: string;
	args: Json;
}

export type Turn =
	| { by: "user"; text: string; image?: string }
	| { by: "system"; text: string }
	| { by: "model"; text: string; calls: readonly SpokenCall[] }
	| { by: "tools"; results: readonly { id: string; text: string }[] };

/** What every form can say. */
export interface SpokenConversation {
	model: string;
	turns: readonly Turn[];
	maxTokens: number;
	system?: string;
	tools?: readonly { name: string; description: string; schema: Json }[];
	toolChoice?: "auto" | "none" | "any" | { name: string };
	isSerial?: boolean;
	schema?: Json;
	effort?: string;
	temperature?: number;
	topP?: number;
	user?: string;
}

/** An answer in no form. `input` counts cached tokens, too. */
export interface HeardAnswer {
	model: string;
	text: string;
	calls: { name: string; args: unknown }[];
	usage: { input: number; cached: number; output: number };
	svc: HeardSvc;
}

interface HeardSvc extends Json {
	cost: { total_usd: number; estimated: boolean };
	proof: { request_id: string; proof_hash: string; salt: string };
	fallback: boolean;
	warnings: { code: string; param: string | null; message: string }[];
	fallback_from: string | null;
}

/** One of the three ways in. */
export interface Entrance {
	name: "chat" | "responses" | "messages";
	path: string;
	/** The `endpoint` of audit events. */
	endpoint: string;
	/** The member that limits the answer. */
	limit: string;
	/** How the form names the place of the only message of the user. */
	firstPlace: string;
	toBody(conversation: SpokenConversation): Json;
	/** The members that the input hash covers, as docs/proofs.md has it, beside `type`. */
	hashedInput(body: Json): Json;
	/** The answer in a body of status 200. */
	hear(answer: Json): HeardAnswer;
	/** A request whose answer, with the results of its calls in order, follows the conversation. */
	goOn(body: Json, answer: Json, results: readonly string[]): Json;
	/** The code of an error's body, and of the event that ends a broken stream. */
	errorCode(error: Json): unknown;
	/** How a stream ended: the answer's members, or the code of its error. */
	hearEnd(events: readonly { event: string; data: string }[]): StreamEnd;
}

interface StreamEnd {
	isWhole: boolean;
	code: unknown;
	text: string;
	svc: HeardSvc | null;
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const numberIn = (value: unknown, name: string) => (isObject(value) ? Number(value[name] ?? 0) : 0);
const present = (members: Json): Json =>
	Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
const parsed = (text: unknown): unknown => (text === "" ? {} : JSON.parse(String(text)));

function pngParts(text: string, image: string | undefined, toImage: (base64: string) => Json, toText: Json): unknown {
	return image === undefined ? text : [{ ...toText, text }, toImage(image)];
}

const isError = (body: Json) => isObject(body["error"]);

const chat: Entrance = {
	name: "chat",
	path: "/v1/chat/completions",
	endpoint: "create_chat_completion",
	limit: "max_tokens",
	firstPlace: "messages[0]",
	toBody({ model, turns, maxTokens, system, tools, toolChoice, isSerial, schema, effort, temperature, topP, user }) {
		const toMessages = (turn: Turn): Json[] => {
			switch (turn.by) {
				case "user": {
					const toImage = (data: string) => ({
						type: "image_url",
						image_url: { url: `data:image/png;base64,${data}` },
					});
					return [{ role: "user", content: pngParts(turn.text, turn.image, toImage, { type: "text" }) }];
				}
				case "system":
					return [{ role: "system", content: turn.text }];
				case "model": {
					const calls = turn.calls.map(({ id, name, args }) => ({
						id,
						type: "function",
						function: { name, arguments: JSON.stringify(args) },
					}));
					return [
						{
							role: "assistant",
							content: turn.text === "" ? null : turn.text,
							...(calls.length > 0 ? { tool_calls: calls } : {}),
						},
					];
				}
				case "tools":
					return turn.results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }));
			}
		};
		const choice = toolChoice === "any" ? "required" : toolChoice;
		return present({
			model,
			messages: [...(system === undefined ? [] : [{ role: "system", content: system }]), ...turns.flatMap(toMessages)],
			max_tokens: maxTokens,
			tools: tools?.map(({ name, description, schema: parameters }) => ({
				type: "function",
				function: { name, description, parameters },
			})),
			tool_choice: isObject(choice) ? { type: "function", function: choice } : choice,
			parallel_tool_calls: isSerial ? false : undefined,
			response_format: schema && { type: "json_schema", json_schema: { name: "output", schema } },
			reasoning_effort: effort,
			temperature,
			top_p: topP,
			user,
		});
	},
	hashedInput: ({ messages }) => ({ type: "svc.input.v1", messages }),
	hear({ model, choices, usage, svc }) {
		const message = listOf(choices)[0]?.["message"] as Json;
		return {
			model: String(model),
			text: String(message["content"] ?? ""),
			calls: listOf(message["tool_calls"]).map((call) => {
				const { name, arguments: args } = call["function"] as Json;
				return { name: String(name), args: parsed(args) };
			}),
			usage: {
				input: numberIn(usage, "prompt_tokens"),
				cached: numberIn((usage as Json)["prompt_tokens_details"], "cached_tokens"),
				output: numberIn(usage, "completion_tokens"),
			},
			svc: svc as HeardSvc,
		};
	},
	goOn(body, answer, results) {
		const message = listOf(answer["choices"])[0]?.["message"] as Json;
		const outputs = listOf(message["tool_calls"]).map(({ id }, index) => ({
			role: "tool",
			tool_call_id: id,
			content: results[index] ?? "",
		}));
		return { ...body, messages: [...listOf(body["messages"]), message, ...outputs] };
	},
	errorCode: (body) => (isError(body) ? (body["error"] as Json)["code"] : (body["error"] ?? null)),
	hearEnd(events) {
		const chunks = events.filter(({ data }) => data !== "[DONE]").map(({ data }) => JSON.parse(data) as Json);
		const last = chunks.at(-1) ?? {};
		return {
			isWhole: events.at(-1)?.data === "[DONE]",
			code: isError(last) ? (last["error"] as Json)["code"] : null,
			text: chunks
				.flatMap(({ choices }) => listOf(choices))
				.map(({ delta }) => String((delta as Json)["content"] ?? ""))
				.join(""),
			svc: (last["svc"] as HeardSvc | undefined) ?? null,
		};
	},
};

const responses: Entrance = {
	name: "responses",
	path: "/v1/responses",
	endpoint: "create_response",
	limit: "max_output_tokens",
	firstPlace: "input[0]",
	toBody({ model, turns, maxTokens, system, tools, toolChoice, isSerial, schema, effort, temperature, topP, user }) {
		const toItems = (turn: Turn): Json[] => {
			switch (turn.by) {
				case "user": {
					const toImage = (data: string) => ({
						type: "input_image",
						image_url: `data:image/png;base64,${data}`,
					});
					return [{ role: "user", content: pngParts(turn.text, turn.image, toImage, { type: "input_text" }) }];
				}
				case "system":
					return [{ role: "developer", content: turn.text }];
				case "model":
					return [
						...(turn.text === "" ? [] : [{ role: "assistant", content: turn.text }]),
						...turn.calls.map(({ id, name, args }) => ({
							type: "function_call",
							call_id: id,
							name,
							arguments: JSON.stringify(args),
						})),
					];
				case "tools":
					return turn.results.map(({ id, text }) => ({ type: "function_call_output", call_id: id, output: text }));
			}
		};
		const choice = toolChoice === "any" ? "required" : toolChoice;
		return present({
			model,
			instructions: system,
			input: turns.flatMap(toItems),
			max_output_tokens: maxTokens,
			tools: tools?.map(({ name, description, schema: parameters }) => ({
				type: "function",
				name,
				description,
				parameters,
			})),
			tool_choice: isObject(choice) ? { type: "function", ...choice } : choice,
			parallel_tool_calls: isSerial ? false : undefined,
			text: schema && { format: { type: "json_schema", name: "output", schema } },
			reasoning: effort === undefined ? undefined : { effort },
			temperature,
			top_p: topP,
			user,
			store: false,
			include: ["reasoning.encrypted_content"],
		});
	},
	hashedInput({ instructions, input, previous_response_id }) {
		return {
			type: "svc.input.v2",
			entrance: "responses",
			body: present({ instructions, input, previous_response_id }),
		};
	},
	hear({ model, output, usage, svc }) {
		return {
			model: String(model),
			text: listOf(output)
				.flatMap(({ type, content }) => (type === "message" ? listOf(content) : []))
				.map(({ text }) => String(text ?? ""))
				.join(""),
			calls: listOf(output)
				.filter(({ type }) => type === "function_call")
				.map(({ name, arguments: args }) => ({ name: String(name), args: parsed(args) })),
			usage: {
				input: numberIn(usage, "input_tokens"),
				cached: numberIn((usage as Json)["input_tokens_details"], "cached_tokens"),
				output: numberIn(usage, "output_tokens"),
			},
			svc: svc as HeardSvc,
		};
	},
	goOn(body, { output }, results) {
		const outputs = listOf(output)
			.filter(({ type }) => type === "function_call" || type === "custom_tool_call")
			.map(({ type, call_id }, index) => ({ type: `${String(type)}_output`, call_id, output: results[index] ?? "" }));
		return { ...body, input: [...listOf(body["input"]), ...listOf(output), ...outputs] };
	},
	errorCode: (body) => (isError(body) ? (body["error"] as Json)["code"] : null),
	hearEnd(events) {
		const all = events.map(({ data }) => JSON.parse(data) as Json);
		const last = all.at(-1) ?? {};
		const response = (last["response"] ?? {}) as Json;
		const error = (isObject(response["error"]) ? response["error"] : last) as Json;
		return {
			isWhole: last["type"] === "response.completed",
			code: last["type"] === "response.completed" ? null : error["code"],
			text: all
				.filter(({ type }) => type === "response.output_text.delta")
				.map(({ delta }) => String(delta))
				.join(""),
			svc: ((response["svc"] ?? last["svc"]) as HeardSvc | undefined) ?? null,
		};
	},
};

const CHOICES: Readonly<Record<string, string>> = { auto: "auto", none: "none", any: "any" };

const messages: Entrance = {
	name: "messages",
	path: "/v1/messages",
	endpoint: "create_message",
	limit: "max_tokens",
	firstPlace: "messages[0]",
	toBody({ model, turns, maxTokens, system, tools, toolChoice, isSerial, schema, effort, temperature, topP, user }) {
		const toMessage = (turn: Turn): Json => {
			switch (turn.by) {
				case "user": {
					const toImage = (data: string) => ({
						type: "image",
						source: { type: "base64", media_type: "image/png", data },
					});
					return { role: "user", content: pngParts(turn.text, turn.image, toImage, { type: "text" }) };
				}
				case "system":
					return { role: "system", content: turn.text };
				case "model":
					return {
						role: "assistant",
						content: [
							...(turn.text === "" ? [] : [{ type: "text", text: turn.text }]),
							...turn.calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
						],
					};
				case "tools":
					return {
						role: "user",
						content: turn.results.map(({ id, text }) => ({ type: "tool_result", tool_use_id: id, content: text })),
					};
			}
		};
		const choice =
			toolChoice === undefined && !isSerial
				? undefined
				: {
						...(isObject(toolChoice) ? { type: "tool", ...toolChoice } : { type: CHOICES[toolChoice ?? "auto"] }),
						...(isSerial ? { disable_parallel_tool_use: true } : {}),
					};
		const format = schema && { type: "json_schema", schema };
		return present({
			model,
			system,
			messages: turns.map(toMessage),
			max_tokens: maxTokens,
			tools: tools?.map(({ name, description, schema: input_schema }) => ({ name, description, input_schema })),
			tool_choice: choice,
			output_config: format || effort ? present({ format, effort }) : undefined,
			temperature,
			top_p: topP,
			metadata: user === undefined ? undefined : { user_id: user },
		});
	},
	hashedInput: (body) => ({
		type: "svc.input.v2",
		entrance: "messages",
		body: present({ system: body["system"], messages: body["messages"] }),
	}),
	hear({ model, content, usage, svc }) {
		const cached = numberIn(usage, "cache_read_input_tokens");
		return {
			model: String(model),
			text: listOf(content)
				.map(({ type, text }) => (type === "text" ? String(text) : ""))
				.join(""),
			calls: listOf(content)
				.filter(({ type }) => type === "tool_use")
				.map(({ name, input }) => ({ name: String(name), args: input })),
			usage: {
				input: numberIn(usage, "input_tokens") + cached + numberIn(usage, "cache_creation_input_tokens"),
				cached,
				output: numberIn(usage, "output_tokens"),
			},
			svc: svc as HeardSvc,
		};
	},
	goOn(body, { content }, results) {
		const outputs = listOf(content)
			.filter(({ type }) => type === "tool_use")
			.map(({ id }, index) => ({ type: "tool_result", tool_use_id: id, content: results[index] ?? "" }));
		return {
			...body,
			messages: [...listOf(body["messages"]), { role: "assistant", content }, { role: "user", content: outputs }],
		};
	},
	errorCode: (body) => (isError(body) ? (body["error"] as Json)["code"] : null),
	hearEnd(events) {
		const all = events.map(({ data }) => JSON.parse(data) as Json);
		const last = all.at(-1) ?? {};
		const withSvc = all.findLast(({ svc }) => svc !== undefined);
		return {
			isWhole: last["type"] === "message_stop",
			code: isError(last) ? ((last["error"] as Json)["code"] ?? (last["error"] as Json)["type"]) : null,
			text: all
				.map(({ type, delta, content_block }) =>
					String((type === "content_block_start" ? (content_block as Json) : ((delta ?? {}) as Json))["text"] ?? ""),
				)
				.join(""),
			svc: (withSvc?.["svc"] as HeardSvc | undefined) ?? null,
		};
	},
};

export const ENTRANCES: readonly Entrance[] = [chat, responses, messages];

export function entranceNamed(name: Entrance["name"]): Entrance {
	const found = ENTRANCES.find((entrance) => entrance.name === name);
	if (!found) throw new Error(`there is no entrance ${name}`);
	return found;
}

/** A conversation of one sentence. */
export function sentence(text: string, more: Partial<SpokenConversation> = {}): SpokenConversation {
	return { model: "auto", maxTokens: 500, turns: [{ by: "user", text }], ...more };
}

/** Asks one entrance in its own form. @param more members of the body. */
export function ask(
	entrance: Entrance,
	key: string,
	conversation: SpokenConversation,
	more: Json = {},
): Promise<Response> {
	return callWithKey(key, entrance.path, { ...entrance.toBody(conversation), ...more });
}

/** The body of an answer; throws for a refusal. */
export async function answerIn(response: Response): Promise<Json> {
	if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
	return response.json();
}

/** How a stream ended. */
export async function endOf(entrance: Entrance, response: Response): Promise<StreamEnd> {
	return entrance.hearEnd(eventsOf(await response.text()));
}
