// Runs a job through the front door, as a client does: it begins the run with an agent's key, runs the tools that it is handed, and
// has an approver decide.
import { type RunResponse, runSchema } from "../../../src/agents/response.ts";
import { call, callWithKey, withKey } from "../service.ts";
import type { Job, Json } from "./job.ts";

/** Who takes part. */
export interface JobKeys {
	/** Begins the run and hands in what its tools return. */
	agent: string;
	approver: string;
}

const MAX_ROUNDS = 40;

/** How a job went. */
export interface JobReport {
	run: RunResponse;
	/** Requests to /resolve. */
	resolves: number;
	/** What is wrong; null where the answer is right. */
	fault: string | null;
}

type Pending = NonNullable<RunResponse["pending"]>[number];

function toToolRequest({ name, description, properties, more }: Job["tools"][number]): Json {
	const parameters = { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
	return { type: "function", name, description, parameters, ...more };
}

async function answerOf(response: Response): Promise<RunResponse> {
	const body = await response.text();
	if (response.status !== 200) throw new Error(`${response.status} ${body.slice(0, 500)}`);
	return runSchema.parse(JSON.parse(body));
}

/** What the client's tool returns for a pending. */
function runTool(job: Job, { id, tool, arguments: args }: Pending): Json {
	const own = job.tools.find(({ name }) => name === tool);
	if (!own) return { id, output: `there is no tool ${tool}`, is_error: true };
	try {
		return { id, output: own.run(args ?? {}) };
	} catch (error) {
		return { id, output: String(error), is_error: true };
	}
}

function resolveOwn(job: Job, pending: Pending): Json {
	if (pending.kind === "input")
		return { id: pending.id, payload: job.answer?.(pending.arguments ?? {}) ?? "I do not know." };
	return runTool(job, pending);
}

function decide(job: Job, { id, tool, arguments: args }: Pending): Json {
	return {
		id,
		...(job.decide?.({ tool: tool ?? "", arguments: args ?? {} }) ?? { decision: "reject", reason: "nobody asked" }),
	};
}

/** Sets the rules of the job's workspace. */
async function setRules(job: Job, owner: string, workspaceId: string): Promise<void> {
	const tools = job.toolRules ?? { allow: job.tools.map(({ name }) => name) };
	const body = { tools };
	const response = await call(`/v1/workspace/${workspaceId}/manifest`, { ...withKey(owner, body), method: "PUT" });
	if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
}

/** Runs a job to its end. @param mark stands in the goal. */
export async function runJob(
	job: Job,
	mark: string,
	owner: string,
	{ agent, approver }: JobKeys,
	more: Json = {},
): Promise<JobReport> {
	const workspaceId = `jobs-${mark.replaceAll(/[^a-z0-9]/gi, "")}`;
	await setRules(job, owner, workspaceId);
	const tools = [...job.tools.map(toToolRequest), ...(job.builtIn ?? []).map((type) => ({ type }))];
	const body = {
		goal: `${mark} ${job.goal}.`,
		workspace_id: workspaceId,
		tools,
		...(job.outputSchema ? { output_schema: job.outputSchema } : {}),
		...(job.maxTokens ? { max_tokens: job.maxTokens } : {}),
		...more,
	};
	let run = await answerOf(await callWithKey(agent, "/v1/agent/run", body));
	let resolves = 0;
	for (; run.status === "requires_action" && resolves < MAX_ROUNDS; resolves++) {
		const pending = run.pending ?? [];
		const approvals = pending.filter(({ kind }) => kind === "approval");
		const own = pending.filter(({ kind }) => kind === "client_tool" || kind === "input");
		const [key, resolutions] =
			approvals.length > 0
				? [approver, approvals.map((each) => decide(job, each))]
				: [agent, own.map((each) => resolveOwn(job, each))];
		run = await answerOf(await callWithKey(key, `/v1/agent/${run.run_id}/resolve`, { resolutions }));
	}
	const isFormed = job.outputSchema === undefined || run.format_met === true;
	const fault =
		run.status !== "complete"
			? `${run.status}: ${run.final_message ?? ""}`
			: isFormed
				? job.check(run.output)
				: `the output has not its form: ${run.final_message ?? ""} ${run.output.slice(0, 300)}`;
	return { run, resolves, fault };
}
