// Runs with tools: calls the functions that a run asks for, asks people, resolves, and goes on until the run ends or waits for others.
import { SvcError } from "./errors.ts";
import { followWork, type Progress, type WorkEvent } from "./progress.ts";
import {
	type FollowedRun,
	isDecision,
	LONGEST_TIMER_MS,
	type OpenAnswer,
	OpenAnswers,
	type RunHandlers,
	type RunPending,
	type RunResolution,
	toToolForms,
} from "./tool-calls.ts";
import type { CallSettings, EndpointArguments, EndpointId, Transport } from "./transport.ts";
import { sleepUntilAborted } from "./transport.ts";

/** Ends of requests that follow a run. */
type RunEndpoint = Extract<
	EndpointId,
	"start_agent_run" | "resume_agent_run" | "resolve_agent_run" | "watch_agent_run"
>;

export interface FollowHandlers extends RunHandlers {
	/** Hears of each event of the run. */
	onProgress?: (progress: Progress) => void;
	/** With `onApproval: "wait"`: hears once of each decision for which others are waited. */
	onWaiting?: (pending: RunPending) => void;
}

type StartBody = NonNullable<EndpointArguments<"start_agent_run">["body"]>;
/** A goal, its limits, and what answers the run. */
export type AgentRunOptions = Omit<StartBody, "tools" | "stream" | "background"> & FollowHandlers;

/** A run that has ended, or that waits for what nobody here answers. */
export interface AgentResult {
	run: FollowedRun;
	/** How it goes on; null for a run that has ended. */
	advice: string | null;
	/** Why the service took none of the decisions on what is still open. */
	refusals: string[];
}

/** What is finished is sent this long before it would be too late, though other answers are still out. */
const SEND_BEFORE_MS = 30_000;
const FIRST_POLL_MS = 2_000;
const POLL_GROWTH = 1.5;
const LONGEST_POLL_MS = 15_000;
/** Looks in a row that a service which is away may fail: about four minutes, longer than it takes to start again. */
const MAX_FAILED_LOOKS = 20;

/** Whether the service is away for now, as while it starts again. */
function isAway({ code, status }: SvcError): boolean {
	return code === "connection_failed" || code === "timed_out" || (status !== null && status >= 500);
}

/** A run with how it goes on, if it is not over. */
function toResult(run: FollowedRun, open: readonly OpenAnswer[] = []): AgentResult {
	const { run_id, status, pending = [] } = run;
	const refusals = [...new Set(open.flatMap(({ refusal }) => refusal ?? []))];
	if (status === "interrupted")
		return { run, refusals, advice: `the run is interrupted: agents.resume("${run_id}", …) lets it go on` };
	if (status !== "requires_action") return { run, refusals, advice: null };
	const waits = pending.map(
		({ id, kind, tool, expires_at }) => `${kind}${tool === null ? "" : ` of ${tool}`} (${id}, until ${expires_at})`,
	);
	const refused = refusals
		.map((refusal) => ` The service did not take a decision: ${refusal.replace(/\.$/, "")}.`)
		.join("");
	const missing = pending.flatMap(({ kind, tool }) => (kind === "client_tool" ? JSON.stringify(tool) : []));
	const others = pending.length > missing.length ? ` The console or runs.resolve("${run_id}", …) answers it.` : "";
	const own =
		missing.length > 0
			? ` \`tools\` has no function for ${[...new Set(missing)].join(", ")}: add it, or leave it to the program that has it.`
			: "";
	const advice = `the run waits for ${waits.join(", ")}.${refused}${own}${others} Then agents.resume("${run_id}", …) goes on.`;
	return { run, refusals, advice };
}

/** When to send what is ready, or to look again, though something is still worked on. */
function nextLookAtMs(open: readonly OpenAnswer[]): number {
	const times = open.map(({ pending: { expires_at }, outcome }) => {
		const expiresAtMs = Date.parse(expires_at);
		if (outcome === null) return expiresAtMs;
		return outcome === "left" ? Number.POSITIVE_INFINITY : expiresAtMs - SEND_BEFORE_MS;
	});
	return Math.min(...times);
}

/** Waits until all answers are there, or those that are there should not wait longer. @throws the signal's reason */
async function waitForAnswers(open: readonly OpenAnswer[], signal: AbortSignal | undefined): Promise<void> {
	for (;;) {
		const working = open.filter(({ outcome }) => outcome === null);
		const leftMs = nextLookAtMs(open) - Date.now();
		if (working.length === 0 || leftMs <= 0) return;
		const answered = new AbortController();
		const either = AbortSignal.any([answered.signal, ...(signal ? [signal] : [])]);
		const slept = sleepUntilAborted(Math.min(leftMs, LONGEST_TIMER_MS), either).catch(() => undefined);
		await Promise.race([slept, ...working.map(({ settled }) => settled)]);
		answered.abort();
		signal?.throwIfAborted();
	}
}

/** Follows one run. */
class RunFollower {
	readonly #transport: Transport;
	readonly #handlers: FollowHandlers;
	readonly #settings: CallSettings;
	readonly #answers: OpenAnswers;
	readonly #announced = new Set<string>();
	#polls = 0;
	#failedLooks = 0;

	constructor(transport: Transport, handlers: FollowHandlers, settings: CallSettings) {
		this.#transport = transport;
		this.#handlers = handlers;
		this.#settings = settings;
		this.#answers = new OpenAnswers(handlers, settings.signal ?? new AbortController().signal);
	}

	/** Follows a request to the run that it ends with. */
	async follow<Id extends RunEndpoint>(id: Id, given: EndpointArguments<Id>): Promise<FollowedRun> {
		const events: AsyncIterable<WorkEvent<Id>> = followWork(this.#transport, id, given, this.#settings);
		let run: FollowedRun | null = null;
		for await (const event of events) {
			if (event.type === "progress") this.#handlers.onProgress?.(event.progress);
			// The boundary: all four answer with the run.
			else run = event.result as FollowedRun;
		}
		if (run === null) throw new SvcError({ code: "stream_broken", message: "the stream ended without a run" });
		return run;
	}

	read(runId: string): Promise<FollowedRun> {
		return this.#transport.call("get_agent_run", { params: { run_id: runId } }, this.#settings);
	}

	#resolve({ run_id }: FollowedRun, answers: readonly OpenAnswer[]): Promise<FollowedRun> {
		const resolutions = answers.flatMap(({ outcome }): RunResolution[] =>
			outcome === null || outcome === "left" ? [] : [outcome],
		);
		return this.follow("resolve_agent_run", { params: { run_id }, body: { resolutions, stream: true } });
	}

	/** After a refusal of the whole request: results of functions are sent without the decisions, so that none is lost. */
	async #sendResults(run: FollowedRun, ready: readonly OpenAnswer[], error: SvcError): Promise<FollowedRun> {
		const decisions = ready.filter(isDecision);
		const isRefusal = error.status === 403 || error.status === 422;
		if (!isRefusal || decisions.length === 0) throw error;
		const results = ready.filter((answer) => !isDecision(answer));
		const next = results.length > 0 ? await this.#send(run, results) : await this.read(run.run_id);
		for (const answer of decisions) this.#answers.refuse(answer, error.message, error.status === 422);
		return next;
	}

	/** Sends answers in one request. Somebody else may have been first: then what is still open is sent again. */
	async #send(run: FollowedRun, ready: readonly OpenAnswer[]): Promise<FollowedRun> {
		try {
			const next = await this.#resolve(run, ready);
			for (const answer of ready) answer.isSent = true;
			return next;
		} catch (error) {
			if (!(error instanceof SvcError)) throw error;
			if (error.code !== "action_conflict") return this.#sendResults(run, ready, error);
			const next = await this.read(run.run_id);
			const isOpen = ({ pending: { id } }: OpenAnswer) => next.pending?.some((pending) => pending.id === id);
			if (ready.every(isOpen)) throw error;
			return next;
		}
	}

	/** The run after a pause; as it was where the service is away. */
	async #readLater(run: FollowedRun): Promise<FollowedRun> {
		const pauseMs = Math.min(LONGEST_POLL_MS, FIRST_POLL_MS * POLL_GROWTH ** this.#polls++);
		await sleepUntilAborted(pauseMs, this.#settings.signal);
		try {
			const next = await this.read(run.run_id);
			this.#failedLooks = 0;
			return next;
		} catch (error) {
			if (error instanceof SvcError && isAway(error) && ++this.#failedLooks <= MAX_FAILED_LOOKS) return run;
			throw error;
		}
	}

	#announce(open: readonly OpenAnswer[]): void {
		for (const { pending } of open.filter(isDecision).filter(({ pending: { id } }) => !this.#announced.has(id))) {
			this.#announced.add(pending.id);
			this.#handlers.onWaiting?.(pending);
		}
	}

	/** One round: answers what is open. Null where nobody here answers the rest. */
	async #answerRound(run: FollowedRun, pendings: readonly RunPending[]): Promise<FollowedRun | null> {
		const open = this.#answers.take(pendings);
		await waitForAnswers(open, this.#settings.signal);
		this.#settings.signal?.throwIfAborted();
		const failed = open.find(({ error }) => error !== undefined);
		const ready = open.filter(({ outcome, isSent }) => outcome !== null && outcome !== "left" && !isSent);
		if (ready.length > 0) {
			this.#polls = 0;
			const next = await this.#send(run, ready);
			if (failed) throw failed.error;
			return next;
		}
		if (failed) throw failed.error;
		const isDecidedElsewhere = this.#handlers.onApproval === "wait" && open.some(isDecision);
		if (isDecidedElsewhere) this.#announce(open);
		// A run whose last answer has just come waits for nobody, and is about to go on.
		const isAnybodyAtIt = open.length === 0 || isDecidedElsewhere || open.some(({ outcome }) => outcome === null);
		return isAnybodyAtIt ? this.#readLater(run) : null;
	}

	/** Goes on with a run until it ends, or waits for others. @throws SvcError that names the run in its details */
	async finish(begun: FollowedRun): Promise<AgentResult> {
		try {
			return await this.#finish(begun);
		} catch (error) {
			if (error instanceof SvcError) error.details["run_id"] ??= begun.run_id;
			throw error;
		}
	}

	async #finish(begun: FollowedRun): Promise<AgentResult> {
		let run = begun;
		for (;;) {
			const { run_id, status, pending = [] } = run;
			if (status === "running") run = await this.follow("watch_agent_run", { params: { run_id } });
			else if (status !== "requires_action") return toResult(run);
			else {
				const next = await this.#answerRound(run, pending);
				if (next === null) return toResult(run, this.#answers.take(pending));
				run = next;
			}
		}
	}
}

/** @throws TypeError for a function among what is sent, which JSON would drop: a handler whose name is misspelt. */
function refuseFunctions(body: object): void {
	const found = Object.entries(body).find(([, value]) => typeof value === "function");
	if (found)
		throw new TypeError(`there is no handler ${found[0]}: they are onApproval, onInput, onProgress and onWaiting`);
}

/** Agents whose tools are functions of this process. */
export function agentMethods(transport: Transport) {
	return {
		/**
		 * Works on a goal with tools. Calls of one round run side by side, each once, and are answered in one request.
		 * @returns the run at its end; or as it waits, when it waits for what no handler answers.
		 */
		async run(options: AgentRunOptions, settings: CallSettings = {}): Promise<AgentResult> {
			const { tools = {}, onApproval: _, onInput: __, onProgress: ___, onWaiting: ____, ...body } = options;
			refuseFunctions(body);
			const follower = new RunFollower(transport, options, settings);
			const forms = toToolForms(tools);
			const run = await follower.follow("start_agent_run", {
				body: {
					...body,
					// So that a request that is sent again joins the run and spends nothing.
					idempotency_key: body.idempotency_key ?? crypto.randomUUID(),
					...(forms.length > 0 ? { tools: forms } : {}),
					stream: true,
				},
			});
			return follower.finish(run);
		},
		/** Goes on with a run, as after the end of the process that began it: with the same functions. */
		async resume(runId: string, handlers: FollowHandlers = {}, settings: CallSettings = {}): Promise<AgentResult> {
			const follower = new RunFollower(transport, handlers, settings);
			const run = await follower.read(runId);
			if (run.status !== "interrupted") return follower.finish(run);
			return follower.finish(
				await follower.follow("resume_agent_run", { params: { run_id: runId }, body: { stream: true } }),
			);
		},
	};
}
