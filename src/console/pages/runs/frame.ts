// What the pages of agent runs share: their paths and their frame.
import type { PageRequest } from "../../page.ts";

export const RUNS_PATH = "/console/runs";
export const RUNS_FRAME = { kind: "page", section: "runs" } as const;

export function runPath(runId: string): string {
	return `${RUNS_PATH}/${encodeURIComponent(runId)}`;
}

export function runApiPath({ params }: PageRequest, rest = ""): string {
	return `/v1/agent/${encodeURIComponent(params["run_id"] ?? "")}${rest}`;
}
