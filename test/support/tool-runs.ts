// Runs with tools over HTTP: a driver that answers what they ask for, until they end.
import { expect } from "vitest";
import { type RunResponse, runSchema } from "../../src/agents/response.ts";
import { postRun } from "./agents.ts";
import { call, callWithKey, type TestKey, withKey } from "./service.ts";

/** A tool that needs no approval where its manifest allows what is unknown. */
export const READ_TOOL = {
	type: "function",
	name: "read_note",
	description: "Reads a note by its name.",
	parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
	effects: "read",
};

export async function putManifest({ key }: TestKey, manifest: object, workspace = "w"): Promise<void> {
	const response = await call(`/v1/workspace/${workspace}/manifest`, { ...withKey(key, manifest), method: "PUT" });
	expect(response.status, await response.text()).toBe(200);
}

/** A pending as its test answers it. */
export type PendingOf = NonNullable<RunResponse["pending"]>[number];

/** Answers one pending; null leaves it open. */
export type Answer = (pending: PendingOf) => Record<string, unknown> | null;

export async function resolveRun(key: TestKey, runId: string, body: unknown): Promise<RunResponse> {
	const response = await callWithKey(key.key, `/v1/agent/${runId}/resolve`, body);
	const answer = await response.json();
	if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(answer)}`);
	return runSchema.parse(answer);
}

/** Begins a run with tools, and answers what it waits for until it waits for nothing that is answered. */
export async function driveRun(
	key: TestKey,
	body: Record<string, unknown>,
	answer: Answer = ({ tool, arguments: args }) => ({ output: `${tool} says ${JSON.stringify(args)}` }),
): Promise<RunResponse> {
	const response = await postRun(key, { workspace_id: "w", ...body });
	const first = await response.json();
	if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(first)}`);
	let run = runSchema.parse(first);
	for (let round = 0; run.status === "requires_action" && round < 300; round++) {
		const resolutions = (run.pending ?? []).flatMap((pending) => {
			const said = answer(pending);
			return said ? [{ id: pending.id, ...said }] : [];
		});
		if (resolutions.length === 0) return run;
		run = await resolveRun(key, run.run_id, { resolutions });
	}
	return run;
}
