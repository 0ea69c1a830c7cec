// `svc chat`: a completion as it comes, by a model, by a skill; and `svc route`, which model would answer.
import type { CompletionChunk } from "../../client/chat.ts";
import type { EndpointBody } from "../../client/transport.ts";
import { ROUTING_MODES } from "../../routing/mode.ts";
import type { Command, Flag } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { readPrompt } from "./input.ts";
import { renderColumns, renderUsd } from "./output.ts";
import type { CommandSession } from "./session.ts";

/** What flags narrow a value to: parseWords has refused all others. */
export function asChoice<Choice extends string>(
	value: string | undefined,
	choices: readonly Choice[],
): Choice | undefined {
	return choices.find((choice) => choice === value);
}

export const FILE_FLAG: Flag = {
	value: "FILE",
	short: "f",
	isList: true,
	about: "a file to quote in the prompt; may be repeated",
};

const CHAT_FLAGS = {
	model: { value: "ID", short: "m", about: "a model of `svc models`, or auto (default)" },
	mode: { value: "MODE", choices: ROUTING_MODES, about: "what auto prefers: quality, balanced or agility" },
	skill: { value: "ID", about: "a skill of `svc skills` whose instructions hold" },
	system: { value: "TEXT", about: "instructions before the prompt" },
	file: FILE_FLAG,
	"max-tokens": { value: "N", about: "most tokens of the answer" },
} as const satisfies Record<string, Flag>;

interface ServedBy {
	routing?: { mode?: string; provider?: string; reason?: string };
	cost?: { total_usd?: number };
	warnings?: { message: string }[];
}

/** Who answered, at what cost, under which id. */
function renderServed(id: string, model: string, served: ServedBy): string {
	const cost = served.cost?.total_usd;
	const parts = [model, served.routing?.provider, cost === undefined ? undefined : renderUsd(cost), id];
	return parts.filter((part) => part).join(" · ");
}

interface Served {
	id: string;
	/** Who answered, and who was asked for. */
	model: string;
	asked: string | undefined;
	served: ServedBy;
	finish: string | null;
}

function noteServed(session: CommandSession, { id, model, asked, served, finish }: Served): void {
	const { mode, reason } = served.routing ?? {};
	// A model that was named is a direct request; another one answered for a reason.
	if (mode === "direct" && asked !== undefined && asked !== model && reason)
		session.note(`not ${asked}: ${reason}`, "yellow");
	for (const { message } of served.warnings ?? []) session.note(`warning: ${message}`, "yellow");
	if (finish === "length") session.note("the answer was cut at its output limit; --max-tokens allows more", "yellow");
	session.note(renderServed(id, model, served), "dim");
}

async function showStream(
	session: CommandSession,
	chunks: AsyncIterable<CompletionChunk>,
	asked: string | undefined,
): Promise<void> {
	let last: CompletionChunk | null = null;
	let finish: string | null = null;
	let isAtLineStart = true;
	try {
		for await (const chunk of chunks) {
			const text = chunk.choices[0]?.delta.content ?? "";
			session.write(text);
			if (text !== "") isAtLineStart = text.endsWith("\n");
			finish = chunk.choices[0]?.finish_reason ?? finish;
			last = chunk;
		}
	} finally {
		if (!isAtLineStart) session.line();
	}
	if (last)
		noteServed(session, { id: last.id, model: last.model, asked, served: (last.svc ?? {}) as ServedBy, finish });
}

export const chatCommand: Command = {
	name: "chat",
	about: "answer a prompt",
	operands: "PROMPT…",
	details: ["What is piped in is added to the prompt: git diff | svc chat 'write a commit message'"],
	flags: CHAT_FLAGS,
	async run(given, session) {
		const prompt = await readPrompt(given, session.terminal, "the prompt");
		const system = given.text("system");
		const mode = asChoice(given.text("mode"), ROUTING_MODES);
		const maxTokens = given.number("max-tokens");
		const options = {
			...(given.text("model") === undefined ? {} : { model: given.text("model") ?? null }),
			...(mode === undefined ? {} : { routing_mode: mode }),
			...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
		};
		const { signal } = session;
		const skill = given.text("skill");
		const client = session.client();
		const messages: EndpointBody<"create_chat_completion">["messages"] = [
			...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
			{ role: "user", content: prompt },
		];
		const task = system === undefined ? prompt : `${system}\n\n${prompt}`;
		if (session.isJson) {
			session.json(
				skill === undefined
					? await client.chat({ messages, ...options }, { signal })
					: await client.call("invoke_skill", { params: { skill_id: skill }, body: { task, ...options } }, { signal }),
			);
			return EXIT.ok;
		}
		await showStream(
			session,
			skill === undefined
				? client.chatStream({ messages, ...options }, { signal })
				: client.skillStream(skill, { task, ...options }, { signal }),
			given.text("model"),
		);
		return EXIT.ok;
	},
};

const SHOWN_CANDIDATES = 8;

export const routeCommand: Command = {
	name: "route",
	about: "say which model would answer a prompt, and why; none is called",
	operands: "PROMPT…",
	flags: { model: CHAT_FLAGS.model, mode: CHAT_FLAGS.mode, file: FILE_FLAG, "max-tokens": CHAT_FLAGS["max-tokens"] },
	async run(given, session) {
		const prompt = await readPrompt(given, session.terminal, "the prompt");
		const maxTokens = given.number("max-tokens");
		const route = await session.client().route(
			{
				prompt,
				...(given.text("model") === undefined ? {} : { model: given.text("model") ?? null }),
				...(given.text("mode") === undefined
					? {}
					: { routing_mode: asChoice(given.text("mode"), ROUTING_MODES) ?? null }),
				...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
			},
			{ signal: session.signal },
		);
		session.answer(route, ({ model, provider, mode, reason, estimated_cost, candidates }) => [
			`${session.paint("bold", model)} (${provider}, ${mode}), about ${renderUsd(estimated_cost.total_usd)}`,
			reason,
			"",
			...renderColumns([
				["model", "quality", "about", "ms"],
				...candidates
					.slice(0, SHOWN_CANDIDATES)
					.map(({ model, expected_quality, estimated_cost_usd, expected_latency_ms }) => [
						model,
						expected_quality.toFixed(2),
						renderUsd(estimated_cost_usd),
						String(Math.round(expected_latency_ms)),
					]),
			]),
			...(candidates.length > SHOWN_CANDIDATES ? [`and ${candidates.length - SHOWN_CANDIDATES} more (--json)`] : []),
		]);
		return EXIT.ok;
	},
};
