// The model double of the jobs, in OpenAI's format. It does what a job's script says, from what stands in the conversation, and in loose
// ways: words beside calls, arguments in another order, a wrong call first, JSON in a fence, the form only when it is asked for.
import { type ScriptedTurn, sayTurn } from "../tool-model.ts";
import type { Job, JobAnswer, Json, ScriptedCall } from "./job.ts";

/** How a model does what it does. */
export const MANNERS = ["plain", "wordy", "hasty", "reordered", "late form"] as const;
export type Manner = (typeof MANNERS)[number];

/** A job that a model works on. */
export interface JobAtWork {
	job: Job;
	/** Stands in its goal. */
	mark: string;
	manner: Manner;
	/** What the script said at its end. */
	answer: JobAnswer | null;
}

interface WireMessage {
	role: string;
	content: unknown;
	tool_call_id?: string;
	tool_calls?: { id: string }[];
}

function textIn(content: unknown): string {
	if (typeof content === "string") return content;
	return Array.isArray(content) ? content.map((part: { text?: unknown }) => String(part.text ?? "")).join("\n") : "";
}

/** What stands between marks in a message, in order. */
function markedIn(text: string): string[] {
	const marked = text.matchAll(/<<Result (\d+) (\w+)>>\n([\s\S]*?)\n<<end of result \1 \2>>/g);
	return Array.from(marked, ([, , , inside = ""]) => inside);
}

/** The results of each turn with calls, as the model reads them. */
function readTurns(messages: readonly WireMessage[]): string[][] {
	return messages.flatMap(({ tool_calls = [] }, at) => {
		if (tool_calls.length === 0) return [];
		const end = messages.findIndex(({ role }, later) => later > at && role === "assistant");
		const after = messages.slice(at + 1, end < 0 ? undefined : end);
		const marked = after.filter(({ role }) => role === "user").flatMap(({ content }) => markedIn(textIn(content)));
		const results = tool_calls.map(({ id }) => textIn(after.find((message) => message.tool_call_id === id)?.content));
		return [results.map((text) => (text.startsWith("The result stands below") ? (marked.shift() ?? text) : text))];
	});
}

function turnWith(calls: readonly ScriptedCall[], manner: Manner, turn: number): ScriptedTurn {
	const toText = (args: Json) =>
		manner === "reordered" ? JSON.stringify(Object.fromEntries(Object.entries(args).toReversed()), null, 2) : args;
	return {
		...(manner === "wordy" ? { text: "Let me look into that first.\n" } : {}),
		calls: calls.map(({ name, args }, index) => ({ id: `call_${turn}_${index}`, name, args: toText(args) })),
	};
}

/** The first call of a hasty model: of a tool that there is not, or without the arguments. */
function wrongCall({ tools }: Job): ScriptedCall {
	const strict = tools.find(({ properties }) => Object.keys(properties).length > 0);
	return { name: strict?.name ?? "look_everything_up", args: {} };
}

function sayAnswer({ words = "It is done.", json }: JobAnswer, manner: Manner, isFormAsked: boolean): string {
	if (json === undefined || (manner === "late form" && !isFormAsked)) return words;
	const text = JSON.stringify(json);
	return manner === "wordy" && !isFormAsked ? `Here is the result:\n\n\`\`\`json\n${text}\n\`\`\`` : text;
}

const PLAN = JSON.stringify({ subtasks: [{ title: "All", task: "Do all of it with the tools", is_section: false }] });

/** The turn that answers a request of a job. */
function nextTurn(work: JobAtWork, body: Json): ScriptedTurn {
	const { job, manner } = work;
	const turns = readTurns(body["messages"] as WireMessage[]);
	const isFormAsked = (body["response_format"] as Json | undefined)?.["type"] === "json_schema";
	const hasTools = Array.isArray(body["tools"]) && body["tools"].length > 0;
	if (!hasTools) return { text: sayAnswer(work.answer ?? {}, manner, isFormAsked) };
	if (manner === "hasty" && turns.length === 0) return turnWith([wrongCall(job)], manner, 0);
	const step = follow(job, manner === "hasty" ? turns.slice(1) : turns);
	if (!step.done) return turnWith(step.value, manner, turns.length);
	work.answer = step.value;
	return { text: sayAnswer(step.value, manner, isFormAsked) };
}

/** What a job's script does after these results. A script that cannot read one says what it got. */
function follow(job: Job, turns: readonly string[][]): IteratorResult<ScriptedCall[], JobAnswer> {
	const script = job.script();
	let step = script.next([]);
	for (const results of turns) {
		if (step.done) break;
		try {
			step = script.next(results);
		} catch (error) {
			return { done: true, value: { words: `${String(error)} in: ${results.join(" | ").slice(0, 400)}` } };
		}
	}
	return step;
}

/** An upstream that is the model of these jobs. Other requests are the sandbox's. */
export function jobModel(works: readonly JobAtWork[]): (request: Request) => Promise<Response | undefined> {
	return async (request) => {
		const text = await request.text();
		const work = works.find(({ mark }) => text.includes(mark));
		if (!work) return undefined;
		const body = JSON.parse(text) as Json;
		const isPlan = text.includes("You split the goal into subtasks");
		return sayTurn(isPlan ? { text: PLAN } : nextTurn(work, body), body["stream"] === true);
	};
}
