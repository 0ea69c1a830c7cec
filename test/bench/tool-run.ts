// An agent run that acts: six calls of its client's tools, the last of which a person approves. The client answers each call that the run
// waits for, and goes on until there is none.
import { randomInt } from "node:crypto";
import * as z from "zod";

/** Calls of a run. */
export const TOOL_CALLS = 6;
const WORKSPACE = "bench-tools";
/** The tool that its manifest asks a person about. */
const ASKED = "send_mail";

const READS = ["read_inbox", "list_tickets", "fetch_prices", "open_calendar", "search_notes"] as const;

function tool(name: string, effects: "read" | "external") {
	const parameters = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
	return { type: "function", name, description: `Does ${name.replace("_", " ")}.`, parameters, effects };
}

const TOOLS = [...READS.map((name) => tool(name, "read")), tool(ASKED, "external")];

const runSchema = z.object({
	run_id: z.string(),
	status: z.string(),
	pending: z.array(z.object({ id: z.string(), kind: z.string() })).default([]),
	tool_calls: z.object({ requested: z.number(), approved: z.number() }).optional(),
});

/** Sends JSON with the user's key; resolves to the answer. @throws Error where it is refused. */
export type SendJson = (method: "POST" | "PUT", path: string, body: unknown) => Promise<unknown>;

/** Lets the user's runs call all tools, and ask about one. */
export async function prepareToolRuns(send: SendJson): Promise<void> {
	await send("PUT", `/v1/workspace/${WORKSPACE}/manifest`, { tools: { unknown: "allow", ask: [ASKED] } });
}

/** Begins a run, and answers and approves what it waits for until it has ended. @throws Error where it was another run than this. */
export async function makeToolRun(send: SendJson): Promise<void> {
	const begin = await send("POST", "/v1/agent/run", {
		goal: `Case ${randomInt(1e9)}: read the inbox, list tickets, fetch prices, open the calendar, search notes, then send mail: done`,
		policy: "efficiency",
		max_cost_usd: 0.2,
		workspace_id: WORKSPACE,
		tools: TOOLS,
		self_approval: true,
	});
	let run = runSchema.parse(begin);
	while (run.status === "requires_action") {
		const resolutions = run.pending.map(({ id, kind }) =>
			kind === "approval" ? { id, decision: "approve" } : { id, output: `{"items": ["${"item ".repeat(40)}"]}` },
		);
		run = runSchema.parse(await send("POST", `/v1/agent/${run.run_id}/resolve`, { resolutions }));
	}
	const { requested = 0, approved = 0 } = run.tool_calls ?? {};
	if (run.status !== "complete" || requested !== TOOL_CALLS || approved !== 1)
		throw new Error(
			`benchmark failed: a run with tools is ${run.status} after ${requested} calls, ${approved} approved`,
		);
}
