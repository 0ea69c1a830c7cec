// `svc run`: works on a goal with a live line for each step. Ctrl-C cancels the run at the service and says what was spent.
import { randomUUID } from "node:crypto";
import type { SvcClient } from "../../client/client.ts";
import type { Progress, WorkEvent } from "../../client/progress.ts";
import { POLICIES } from "../../orchestration/strategy.ts";
import { asChoice } from "./chat.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { readPrompt } from "./input.ts";
import { firstLine, renderUsd } from "./output.ts";
import type { CommandSession } from "./session.ts";
import { MAX_COST_FLAG, POLICY_FLAG } from "./work.ts";

type Run = Awaited<ReturnType<SvcClient["runs"]["get"]>>;

interface DoneStep {
	index: number;
	model: string;
	intensity: string;
	strategy: string;
	cost_usd: number;
}

/** What a run has spent so far, as its events tell it. */
class Spend {
	#usd: number;
	readonly #capUsd: number;

	constructor({ cost_consumed_usd, max_cost_usd }: Pick<Run, "cost_consumed_usd" | "max_cost_usd">) {
		this.#usd = cost_consumed_usd;
		this.#capUsd = max_cost_usd;
	}

	add(usd: number): void {
		this.#usd += usd;
	}

	toString(): string {
		return `${renderUsd(this.#usd).replace(" USD", "")} of ${renderUsd(this.#capUsd)}`;
	}
}

/** A line for what happened; null for what needs none. */
function renderStep({ type, ...members }: Progress, spend: Spend): string | null {
	if (type === "planned")
		return `plan: ${(members["plan"] as string[]).map((step, at) => `${at + 1}. ${step}`).join("  ")}`;
	if (type === "step_started")
		return `step ${members["index"]}  ${spend}  ${members["intensity"]}, ${members["strategy"]}  ${firstLine(String(members["subtask"]), 70)}`;
	if (type === "step_done") {
		const step = members["step"] as DoneStep;
		spend.add(step.cost_usd);
		return `step ${step.index}  ${spend}  ${step.intensity}, ${step.strategy}, ${step.model}  done for ${renderUsd(step.cost_usd)}`;
	}
	return type === "alert" ? `alert: ${members["message"] ?? JSON.stringify(members)}` : null;
}

/** Ctrl-C once cancels the run; twice leaves it. The run at its end, or null when it was left. */
async function followRun(
	session: CommandSession,
	client: SvcClient,
	started: Pick<Run, "run_id" | "cost_consumed_usd" | "max_cost_usd">,
	events: (signal: AbortSignal) => AsyncIterable<WorkEvent<"start_agent_run"> | WorkEvent<"resume_agent_run">>,
): Promise<{ run: Run | null; wasInterrupted: boolean }> {
	const { run_id } = started;
	const spend = new Spend(started);
	const left = new AbortController();
	let interrupts = 0;
	const stopListening = session.terminal.onInterrupt(() => {
		interrupts++;
		if (interrupts > 1) return left.abort();
		session.note("cancelling; Ctrl-C again leaves it to itself", "yellow");
		client.runs.cancel(run_id, { signal: left.signal }).catch((error: unknown) => {
			if (!left.signal.aborted) session.note(`it could not be cancelled: ${Object(error).message}`, "red");
		});
	});
	try {
		for await (const event of events(left.signal)) {
			if (event.type === "result") return { run: event.result, wasInterrupted: interrupts > 0 };
			if (session.isJson) session.json(event.progress, "line");
			const line = renderStep(event.progress, spend);
			if (line !== null) session.note(line, event.progress.type === "alert" ? "yellow" : "dim");
		}
		return { run: null, wasInterrupted: interrupts > 0 };
	} catch (error) {
		if (!left.signal.aborted) throw error;
		session.note(
			`run ${run_id} goes on: svc run --resume ${run_id} joins it, svc run --cancel ${run_id} ends it`,
			"yellow",
		);
		return { run: null, wasInterrupted: true };
	} finally {
		stopListening();
	}
}

/** Shows a run at its end. */
function showRun(session: CommandSession, run: Run, wasInterrupted: boolean): number {
	if (session.isJson) session.json(run, "line");
	else if (run.output !== "") session.line(run.output);
	if (run.final_message !== undefined) session.note(run.final_message, "yellow");
	const facts = `${run.status} · ${run.steps_taken} steps · ${renderUsd(run.cost_consumed_usd)} of ${renderUsd(run.max_cost_usd)} · ${run.run_id}`;
	session.note(facts, run.status === "complete" ? "green" : "yellow");
	if (run.status === "interrupted") session.note(`svc run --resume ${run.run_id} lets it go on`);
	if (wasInterrupted) return EXIT.interrupted;
	return run.status === "complete" ? EXIT.ok : EXIT.failed;
}

async function resumeRun(session: CommandSession, client: SvcClient, runId: string): Promise<number> {
	const run = await client.runs.get(runId, { signal: session.signal });
	if (run.status !== "running" && run.status !== "interrupted") return showRun(session, run, false);
	const { run: end, wasInterrupted } = await followRun(session, client, run, (signal) =>
		client.runs.resume(runId, { signal }),
	);
	return end ? showRun(session, end, wasInterrupted) : EXIT.interrupted;
}

export const runCommand: Command = {
	name: "run",
	about: "work on a goal in steps, under a cap that is never passed",
	operands: "GOAL…",
	handlesInterrupts: true,
	details: [
		"Ctrl-C cancels the run at the service and says what was spent. Ends with 0 when the run is complete.",
		"With --json each event is a line, and the last one is the run.",
	],
	flags: {
		"max-cost": { ...MAX_COST_FLAG, about: "the cap in USD; the plan's by default" },
		"max-steps": { value: "N", about: "most steps, the plan and the final one included" },
		policy: POLICY_FLAG,
		workspace: { value: "ID", short: "w", about: "where its audit events belong" },
		background: { about: "do not wait for it" },
		resume: { value: "RUN", about: "let an interrupted run go on, or follow one that works" },
		cancel: { value: "RUN", about: "end a run" },
		file: { value: "FILE", short: "f", isList: true, about: "a file to quote in the goal; may be repeated" },
	},
	async run(given, session) {
		const client = session.client();
		const cancelled = given.text("cancel");
		if (cancelled !== undefined) {
			showRun(session, await client.runs.cancel(cancelled, { signal: session.signal }), false);
			return EXIT.ok;
		}
		const resumed = given.text("resume");
		if (resumed !== undefined) return resumeRun(session, client, resumed);
		const body = {
			goal: await readPrompt(given, session.terminal, "the goal"),
			max_cost_usd: given.number("max-cost") ?? null,
			max_steps: given.number("max-steps") ?? null,
			policy: asChoice(given.text("policy"), POLICIES) ?? null,
			workspace_id: given.text("workspace") ?? null,
			idempotency_key: randomUUID(),
		};
		// In the background first: so its id is known, and it can be cancelled, before the first step.
		const started = await client.runs.start({ ...body, background: true }, { signal: session.signal });
		if (given.is("background")) {
			session.answer(started, ({ run_id, status }) => [`${run_id} ${status}`]);
			return EXIT.ok;
		}
		session.note(`run ${started.run_id}`, "dim");
		const { run, wasInterrupted } = await followRun(session, client, started, (signal) =>
			client.runs.stream(body, { signal }),
		);
		return run ? showRun(session, run, wasInterrupted) : EXIT.interrupted;
	},
};
