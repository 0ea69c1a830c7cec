// The events of a run that is watched, as the API streams them, and the run as they change it. Pure.
import type { Run } from "./views/run.tsx";

/** An event of the stream: its name, and its data as JSON. */
export interface RunStreamEvent {
	name: string;
	data: Record<string, unknown>;
}

/** Splits a text into whole events and what is left of it. Comments, which keep the stream alive, are left out. */
export function splitEvents(text: string): { events: RunStreamEvent[]; rest: string } {
	const blocks = text.split("\n\n");
	const rest = blocks.pop() ?? "";
	const events = blocks.flatMap((block) => {
		const member = (name: string) =>
			block
				.split("\n")
				.find((line) => line.startsWith(`${name}: `))
				?.slice(name.length + 2);
		const data = member("data");
		return data === undefined ? [] : [{ name: member("event") ?? "message", data: JSON.parse(data) }];
	});
	return { events, rest };
}

const NANO = 1e9;

/** A sum of amounts in USD, each of whole nano-USD. */
function addUsd(a: number, b: number): number {
	return Math.round((a + b) * NANO) / NANO;
}

/** A run with one more step. */
function withStep(run: Run, step: Run["steps"][number]): Run {
	// After a break, the run is told anew with steps whose events may still come.
	if (run.steps.some(({ index }) => index === step.index)) return run;
	return {
		...run,
		steps: [...run.steps, step],
		steps_taken: run.steps_taken + 1,
		cost_consumed_usd: addUsd(run.cost_consumed_usd, step.cost_usd),
		remaining_usd: addUsd(run.remaining_usd, -step.cost_usd),
	};
}

/**
 * The run after an event; null before the first that tells it. Between two tellings, its cost is that of its steps: what the plan cost
 * is in the next telling.
 */
export function applyRunEvent(run: Run | null, { name, data }: RunStreamEvent): Run | null {
	if (name === "result" || name === "requires_action") return data as unknown as Run;
	if (name !== "progress") return run;
	if (data["type"] === "run") return data["run"] as Run;
	if (run === null) return null;
	switch (data["type"]) {
		case "planned":
			return { ...run, plan: data["plan"] as string[] };
		case "step_done":
			return withStep(run, data["step"] as Run["steps"][number]);
		case "alert":
			return { ...run, alerts: [...run.alerts, data["alert"] as Run["alerts"][number]] };
		default:
			return run;
	}
}
