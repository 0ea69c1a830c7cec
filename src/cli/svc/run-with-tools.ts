// `svc run` with tools: runs the commands that a run calls, asks the person at the terminal, and says how a run that waits goes on.
import type { AgentResult, FollowHandlers } from "../../client/agents.ts";
import type { SvcClient } from "../../client/client.ts";
import type { RunPending, ToolsByName } from "../../client/tool-calls.ts";
import type { GivenWords } from "./command.ts";
import { describePending, Questions } from "./decide.ts";
import { EXIT } from "./exit-codes.ts";
import { type Run, Spend, showProgress, showRun } from "./run-lines.ts";
import { renderResumeCommand } from "./run-tools.ts";
import type { CommandSession } from "./session.ts";

export const APPROVE_CHOICES = ["ask", "wait", "never"] as const;
type Approval = (typeof APPROVE_CHOICES)[number];

/** Who decides on calls: the person at the terminal where there is one, unless the flag says otherwise. */
export function chooseApproval(given: GivenWords, { terminal }: CommandSession): Approval {
	const chosen = APPROVE_CHOICES.find((each) => each === given.text("approve"));
	const hasPerson = terminal.isTyped && terminal.isProgressShown;
	if (chosen === "ask") return hasPerson ? "ask" : "never";
	return chosen ?? (hasPerson ? "ask" : "never");
}

/** Who answers what waits, in words; null where this command line alone is missing. */
function describeAnswerers(
	{ pending = [], self_approval }: Pick<Run, "pending" | "self_approval">,
	origin: string,
): string | null {
	if (pending.every(({ kind }) => kind === "client_tool")) return null;
	const isOthers = self_approval !== true && pending.some(({ kind }) => kind === "approval" || kind === "plan");
	const key = isOthers ? ", with a key that neither began the run nor comes from the one that did" : "";
	return `answer it in the console, ${origin}/console/waiting${key}`;
}

function toHandlers(session: CommandSession, tools: ToolsByName, approval: Approval, started: Run): FollowHandlers {
	const questions = new Questions(session);
	const spend = new Spend(started);
	const onWaiting = (pending: RunPending) => {
		for (const line of describePending(pending)) session.note(line);
		const answerers = describeAnswerers({ ...started, pending: [pending] }, session.connection().origin);
		session.note(`${answerers}; this goes on by itself`);
	};
	return {
		tools,
		onProgress: (progress) => showProgress(session, progress, spend),
		...(approval === "wait" ? { onApproval: "wait" as const, onWaiting } : {}),
		...(approval === "ask"
			? {
					onApproval: (pending, { refusal, signal }) => questions.decide(pending, refusal, signal),
					onInput: (question, { arguments: given }, { signal }) => {
						const choices = given?.["choices"];
						return questions.answer(question, Array.isArray(choices) ? choices.map(String) : [], signal);
					},
				}
			: {}),
	};
}

/** What a run waits for, and what goes on with it. */
function showWaiting(session: CommandSession, { run, refusals }: AgentResult, given: GivenWords): void {
	const { run_id, pending = [] } = run;
	for (const each of pending) for (const line of describePending(each)) session.note(line);
	for (const refusal of refusals) session.note(`the service did not take the decision: ${refusal}`, "yellow");
	const missing = [...new Set(pending.flatMap(({ kind, tool }) => (kind === "client_tool" && tool ? [tool] : [])))];
	if (missing.length > 0) session.note(`no command was given for ${missing.join(", ")}`, "yellow");
	const answerers = describeAnswerers(run, session.connection().origin);
	session.note(answerers === null ? "this goes on:" : `${answerers}; then this goes on:`);
	session.note(renderResumeCommand(run_id, given, missing));
}

/**
 * Goes on with a run until it ends, or waits for what nobody at this terminal answers. Ctrl-C ends the commands that run and leaves
 * the run to wait.
 * @returns the exit code.
 */
export async function finishWithTools(
	session: CommandSession,
	client: SvcClient,
	started: Run,
	tools: ToolsByName,
	given: GivenWords,
): Promise<number> {
	const left = new AbortController();
	const stopListening = session.terminal.onInterrupt(() => left.abort(new DOMException("interrupted", "AbortError")));
	const handlers = toHandlers(session, tools, chooseApproval(given, session), started);
	try {
		const result = await client.agents.resume(started.run_id, handlers, { signal: left.signal });
		const code = showRun(session, result.run, false);
		if (result.run.status === "requires_action") showWaiting(session, result, given);
		return code;
	} catch (error) {
		if (!left.signal.aborted) {
			session.note(`run ${started.run_id} is not lost: ${renderResumeCommand(started.run_id, given)}`, "yellow");
			throw error;
		}
		session.note(`run ${started.run_id} waits where it next needs this command line, or a person. To go on:`, "yellow");
		session.note(renderResumeCommand(started.run_id, given));
		session.note(`svc run --cancel ${started.run_id} ends it`);
		return EXIT.interrupted;
	} finally {
		stopListening();
	}
}
