// What `svc run` shows of a run: a line for each event, its spend against the cap, and the run at its end.
import type { SvcClient } from "../../client/client.ts";
import type { Progress } from "../../client/progress.ts";
import { revealHidden } from "../../text/hidden-characters.ts";
import { EXIT } from "./exit-codes.ts";
import { firstLine, renderUsd } from "./output.ts";
import type { CommandSession } from "./session.ts";

export type Run = Awaited<ReturnType<SvcClient["runs"]["get"]>>;

interface DoneStep {
	index: number;
	model: string;
	intensity: string;
	strategy: string;
	cost_usd: number;
}

type SpentRun = Pick<Run, "cost_consumed_usd"> & { steps?: readonly Pick<DoneStep, "cost_usd">[] };

/** What a run has spent so far, as its events tell it. */
export class Spend {
	#usd = 0;
	/** Of its steps that are done. A step with tools is charged turn by turn, before it is done. */
	#stepsUsd = 0;
	readonly #capUsd: number;

	constructor(run: SpentRun & Pick<Run, "max_cost_usd">) {
		this.#capUsd = run.max_cost_usd;
		this.correct(run);
	}

	/** Counts a step that is done, turns that were charged before included. */
	add(usd: number): void {
		this.#stepsUsd += usd;
		this.#usd = Math.max(this.#usd, this.#stepsUsd);
	}

	/** A run as it stands knows better than the sum of its events. */
	correct({ cost_consumed_usd, steps }: SpentRun): void {
		this.#usd = cost_consumed_usd;
		this.#stepsUsd = steps?.reduce((sum, { cost_usd }) => sum + cost_usd, 0) ?? cost_consumed_usd;
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
	// The model names it, and may name a tool that there is not.
	if (type === "tool_called") return `call  ${spend}  ${firstLine(revealHidden(String(members["tool"])), 70)}`;
	return type === "alert" ? `alert: ${members["message"] ?? JSON.stringify(members)}` : null;
}

/** Shows an event: as JSON, else as a line where it needs one. */
export function showProgress(session: CommandSession, progress: Progress, spend: Spend): void {
	if (session.isJson) session.json(progress, "line");
	if (progress.type === "run") spend.correct(progress["run"] as Run);
	const line = renderStep(progress, spend);
	if (line !== null) session.note(line, progress.type === "alert" ? "yellow" : "dim");
}

/** Shows a run at its end, or as it waits. */
export function showRun(session: CommandSession, run: Run, wasInterrupted: boolean): number {
	if (session.isJson) session.json(run, "line");
	else if (run.output !== "") session.line(run.output);
	if (run.final_message !== undefined) session.note(run.final_message, "yellow");
	const facts = `${run.status} · ${run.steps_taken} steps · ${renderUsd(run.cost_consumed_usd)} of ${renderUsd(run.max_cost_usd)} · ${run.run_id}`;
	session.note(facts, run.status === "complete" ? "green" : "yellow");
	if (run.status === "interrupted") session.note(`svc run --resume ${run.run_id} lets it go on`);
	if (wasInterrupted) return EXIT.interrupted;
	return run.status === "complete" ? EXIT.ok : EXIT.failed;
}
