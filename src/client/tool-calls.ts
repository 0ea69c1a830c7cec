// What a waiting run is answered with: functions for its tools, and what asks people. Each pending is answered once. No requests.
import { toErrorOutput, toOutput } from "./tool-output.ts";
import type { EndpointAnswer, EndpointBody } from "./transport.ts";

export type FollowedRun = EndpointAnswer<"get_agent_run">;
/** What a run waits for. */
export type RunPending = NonNullable<FollowedRun["pending"]>[number];
/** What settles a pending. */
export type RunResolution = NonNullable<EndpointBody<"resolve_agent_run">["resolutions"]>[number];
type ToolForm = NonNullable<EndpointBody<"start_agent_run">["tools"]>[number];
type FunctionForm = Extract<ToolForm, { type: "function" }>;

/** A call of a tool. */
export interface CallContext {
	/** The pending's id: no other call has it, and it stays the same when a process that died starts again. */
	id: string;
	/** Aborts with the run's own signal, and when the call's time is over. */
	signal: AbortSignal;
}

/** Arguments, typed as what `JSON.parse` reads. A model wrote them: a function checks what matters to it. */
export type ToolArguments = Record<string, ReturnType<typeof JSON.parse>>;

/**
 * Does what a tool is for. What it returns goes to the model, as text or JSON; what it throws, as an error with its message. As a
 * method's are, its parameters may be typed more closely: `({ to }: { to: string }) => …`.
 */
export type ToolFunction = { run(given: ToolArguments, call: CallContext): unknown }["run"];

/** A tool with all that a model, the policy and the service are told of it. */
export type ToolWithFunction = Omit<FunctionForm, "type" | "name" | "function"> & { run: ToolFunction };

/** Tools by name. `true` stands for one that the service has itself: `compute`, `ask_user`. */
export type ToolsByName = Readonly<Record<string, ToolFunction | ToolWithFunction | true>>;

/** A decision: true approves, false rejects, null leaves it to others. */
export type ApprovalDecision =
	| boolean
	| null
	| { decision: "approve" }
	| { decision: "edit"; arguments: Record<string, unknown> }
	| { decision: "reject"; reason?: string };

interface ApprovalContext {
	signal: AbortSignal;
	/** Why the service did not take the decision before. */
	refusal: string | null;
}

/** What answers a run. What is left out is left to others. */
export interface RunHandlers {
	tools?: ToolsByName;
	/** Decides on a call or a plan. `wait` waits until somebody has decided elsewhere, as in the console. */
	onApproval?:
		| ((pending: RunPending, context: ApprovalContext) => ApprovalDecision | Promise<ApprovalDecision>)
		| "wait";
	/** Answers a question of the model. What it returns is the answer. */
	onInput?: (question: string, pending: RunPending, call: CallContext) => unknown;
}

/** Tools as a request names them. @throws TypeError for what is no tool: a run that has begun could not call it. */
export function toToolForms(tools: ToolsByName): ToolForm[] {
	if (Array.isArray(tools))
		throw new TypeError("tools is an object: a function, or one with its form, by the tool's name");
	return Object.entries(tools).map(([name, tool]): ToolForm => {
		if (tool !== true && typeof tool !== "function" && typeof tool?.run !== "function")
			throw new TypeError(`tools.${name} is no function, has none as \`run\`, and is not true`);
		// The boundary: the service says which tools it has.
		if (tool === true) return { type: name } as ToolForm;
		if (typeof tool === "function") return { type: "function", name };
		const { run: _, ...form } = tool;
		return { ...form, type: "function", name };
	});
}

/** Timers take 31 bits of milliseconds. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** A decision that the service refuses is asked for again, this often in all. */
const MAX_DECISIONS = 3;

/** An answer on its way: null while it is worked on, `left` where nobody here gives one. */
export interface OpenAnswer {
	readonly pending: RunPending;
	outcome: RunResolution | "left" | null;
	/** Resolves when the outcome is known; never rejects. */
	settled: Promise<void>;
	/** What a handler threw that is no result of a tool. */
	error?: unknown;
	/** Why the service refused the decision. */
	refusal: string | null;
	decisions: number;
	isSent: boolean;
}

export function isDecision({ pending: { kind } }: OpenAnswer): boolean {
	return kind === "approval" || kind === "plan";
}

/** Calls a function, as a resolution that holds what it returned or threw. */
async function callFunction(id: string, call: () => unknown): Promise<RunResolution> {
	try {
		return { id, output: toOutput(await call()) };
	} catch (error) {
		return { id, output: toErrorOutput(error), is_error: true };
	}
}

/** @throws TypeError for what is no decision. */
function toDecision(id: string, decision: ApprovalDecision | undefined): RunResolution | "left" {
	if (decision === null || decision === undefined) return "left";
	if (typeof decision === "boolean") return { id, decision: decision ? "approve" : "reject" };
	if (typeof decision !== "object" || typeof decision.decision !== "string")
		throw new TypeError(
			"onApproval returned no decision: true, false, null, or {decision: approve | edit | reject, …}",
		);
	return { id, ...decision };
}

/** The answers to what a run waits for, which may wait for the same thing more than once: it is asked for once. */
export class OpenAnswers {
	readonly #handlers: RunHandlers;
	readonly #signal: AbortSignal;
	readonly #answers = new Map<string, OpenAnswer>();

	constructor(handlers: RunHandlers, signal: AbortSignal) {
		this.#handlers = handlers;
		this.#signal = signal;
	}

	#callContext({ id, expires_at }: RunPending): CallContext {
		const leftMs = Math.min(LONGEST_TIMER_MS, Math.max(0, Date.parse(expires_at) - Date.now()));
		return { id, signal: AbortSignal.any([this.#signal, AbortSignal.timeout(leftMs)]) };
	}

	async #answer(answer: OpenAnswer): Promise<RunResolution | "left"> {
		const { pending, refusal } = answer;
		const { tools, onApproval, onInput } = this.#handlers;
		const { id, kind, arguments: given } = pending;
		if (kind === "client_tool") {
			const tool = Object.hasOwn(tools ?? {}, pending.tool ?? "") ? tools?.[pending.tool ?? ""] : undefined;
			const run = typeof tool === "object" ? tool.run : tool;
			if (typeof run !== "function") return "left";
			return callFunction(id, () => run(given ?? {}, this.#callContext(pending)));
		}
		if (kind === "input") {
			if (!onInput) return "left";
			const payload = await onInput(String(given?.["question"] ?? ""), pending, this.#callContext(pending));
			return payload === undefined || payload === null ? "left" : { id, payload };
		}
		if (typeof onApproval !== "function") return "left";
		answer.decisions++;
		return toDecision(id, await onApproval(pending, { signal: this.#callContext(pending).signal, refusal }));
	}

	#begin(answer: OpenAnswer): void {
		answer.outcome = null;
		answer.settled = this.#answer(answer)
			.catch((error: unknown) => {
				answer.error = error;
				return "left" as const;
			})
			.then((outcome) => {
				answer.outcome = outcome;
			});
	}

	/** The answers to pendings; one that is new is begun. */
	take(pendings: readonly RunPending[]): OpenAnswer[] {
		return pendings.map((pending) => {
			const known = this.#answers.get(pending.id);
			if (known) return known;
			const answer: OpenAnswer = {
				pending,
				outcome: null,
				settled: Promise.resolve(),
				refusal: null,
				decisions: 0,
				isSent: false,
			};
			this.#answers.set(pending.id, answer);
			this.#begin(answer);
			return answer;
		});
	}

	/** Takes in that a decision was refused. @param mayAskAgain whether another decision may be taken. */
	refuse(answer: OpenAnswer, refusal: string, mayAskAgain: boolean): void {
		answer.refusal = refusal;
		if (mayAskAgain && answer.decisions < MAX_DECISIONS) this.#begin(answer);
		else answer.outcome = "left";
	}
}
