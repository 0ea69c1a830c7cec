// `svc run`: works on a goal with a live line for each step. Ctrl-C cancels the run at the service and says what was spent.
import { randomUUID } from "node:crypto";
import type { SvcClient } from "../../client/client.ts";
import type { WorkEvent } from "../../client/progress.ts";
import { toToolForms } from "../../client/tool-calls.ts";
import { POLICIES } from "../../orchestration/strategy.ts";
import { asChoice } from "./chat.ts";
import type { Command, GivenWords } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { UsageError } from "./failures.ts";
import { readPrompt } from "./input.ts";
import { type Run, Spend, showProgress, showRun } from "./run-lines.ts";
import { readTools, TOOL_FLAGS } from "./run-tools.ts";
import { APPROVE_CHOICES, chooseApproval, finishWithTools } from "./run-with-tools.ts";
import type { CommandSession } from "./session.ts";
import { MAX_COST_FLAG, POLICY_FLAG } from "./work.ts";

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
			showProgress(session, event.progress, spend);
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

async function resumeRun(
	session: CommandSession,
	client: SvcClient,
	runId: string,
	given: GivenWords,
): Promise<number> {
	const tools = readTools(given, session);
	const run = await client.runs.get(runId, { signal: session.signal });
	if (run.status === "requires_action" || Object.keys(tools).length > 0)
		return finishWithTools(session, client, run, tools, given);
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
		"With --tool the policy of --workspace judges each call before its command runs. What it leaves to a person is asked at the",
		"terminal; without one the run waits, and the command that goes on is printed. Ctrl-C leaves such a run waiting.",
	],
	flags: {
		"max-cost": { ...MAX_COST_FLAG, about: "the cap in USD; the plan's by default" },
		"max-steps": { value: "N", about: "most steps, the plan and the final one included" },
		policy: POLICY_FLAG,
		workspace: { value: "ID", short: "w", about: "where its audit events belong" },
		background: { about: "do not wait for it" },
		resume: { value: "RUN", about: "let an interrupted run go on, or follow one that works" },
		cancel: { value: "RUN", about: "end a run" },
		...TOOL_FLAGS,
		approve: {
			value: "HOW",
			choices: APPROVE_CHOICES,
			about: "ask at the terminal (its default), wait for others' decisions, never (default without a terminal)",
		},
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
		if (resumed !== undefined) return resumeRun(session, client, resumed, given);
		const tools = readTools(given, session);
		const hasTools = Object.keys(tools).length > 0;
		if (hasTools && given.text("workspace") === undefined)
			throw new UsageError("--tool needs --workspace: its policy judges the calls");
		const body = {
			goal: await readPrompt(given, session.terminal, "the goal"),
			max_cost_usd: given.number("max-cost") ?? null,
			max_steps: given.number("max-steps") ?? null,
			policy: asChoice(given.text("policy"), POLICIES) ?? null,
			workspace_id: given.text("workspace") ?? null,
			idempotency_key: randomUUID(),
			...(hasTools ? { tools: toToolForms(tools) } : {}),
			...(hasTools && chooseApproval(given, session) === "ask" ? { self_approval: true } : {}),
		};
		// In the background first: so its id is known, and it can be cancelled, before the first step.
		const started = await client.runs.start({ ...body, background: true }, { signal: session.signal });
		if (given.is("background")) {
			session.answer(started, ({ run_id, status }) => [`${run_id} ${status}`]);
			return EXIT.ok;
		}
		session.note(`run ${started.run_id}`, "dim");
		if (hasTools) return finishWithTools(session, client, started, tools, given);
		const { run, wasInterrupted } = await followRun(session, client, started, (signal) =>
			client.runs.stream(body, { signal }),
		);
		return run ? showRun(session, run, wasInterrupted) : EXIT.interrupted;
	},
};
