// Runs with tools on the sandbox, over each wire format: what a reader of the README sees offline, and what misbehaves on request.
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeCatalog } from "../../src/load-settings.edge.ts";
import { postRun } from "../support/agents.ts";
import { BEDROCK_ROWS } from "../support/bedrock-rows.ts";
import { useService } from "../support/per-test.ts";
import { callWithKey } from "../support/service.ts";

const { key } = useService("corporate");
// Bedrock's models have no quality figures, and are taken all the same.
const BEDROCK = { ...BEDROCK_ROWS, models: BEDROCK_ROWS.models.map((row) => ({ ...row, tier: "mid", auto: true })) };
beforeAll(() => storeCatalog(env, JSON.stringify(BEDROCK)));
afterAll(async () => {
	await storeCatalog(env, "{}");
	await Promise.all([env.KV.delete("catalog:operator"), env.KV.delete("catalog:operator:last")]);
});

const string = { type: "string" };
const MAIL = {
	type: "function",
	name: "send_mail",
	description: "Sends a mail.",
	parameters: { type: "object", properties: { to: string, text: string }, required: ["to", "text"] },
};
const ORDERS = {
	type: "function",
	name: "list_orders",
	description: "The open orders.",
	parameters: { type: "object", properties: {} },
	effects: "read",
};
const NOTE = "Send ada@example.com the note: the cache is deployed";

interface Answer {
	run_id: string;
	status: string;
	output: string;
	format_met?: boolean;
	pending?: { id: string; kind: string; tool: string; arguments: Record<string, unknown> }[];
	tool_calls?: Record<string, number>;
	steps: { strategy: string; model: string }[];
	alerts: { code: string }[];
}

const read = async (response: Response): Promise<Answer> => {
	const body = await response.text();
	expect(response.status, body).toBe(200);
	return JSON.parse(body) as Answer;
};

const begin = async (goal: string, more: Record<string, unknown> = {}) =>
	read(await postRun(key, { goal, workspace_id: "sandbox", tools: [MAIL, ORDERS], ...more }));

const resolve = async ({ run_id, pending = [] }: Answer, output: unknown) => {
	const resolutions = pending.map(({ id }) => ({ id, output }));
	return read(await callWithKey(key.key, `/v1/agent/${run_id}/resolve`, { resolutions }));
};

const PROVIDERS = ["openai", "mistral", "xai", "deepseek", "anthropic", "google", "bedrock-eu-central-1"];
const OTHERS = ["cohere", "groq", "deepinfra", "alibaba", "moonshot", "zai"];

describe.each(PROVIDERS)("on %s", (provider) => {
	const only = { brain_config: { blocked: [...PROVIDERS, ...OTHERS].filter((other) => other !== provider) } };

	it("calls the tool that the goal speaks of, reads its result and answers in words", async () => {
		const waiting = await begin(NOTE, only);
		expect(waiting).toMatchObject({
			status: "requires_action",
			pending: [{ tool: "send_mail", arguments: { to: "ada@example.com", text: "the cache is deployed" } }],
		});
		const ended = await resolve(waiting, { queued: "as message 4711" });
		expect(ended).toMatchObject({ status: "complete", tool_calls: { requested: 1, allowed: 1 } });
		expect(ended.output).toContain("It called send_mail");
		expect(ended.output).toContain("4711");
	});

	it("reads what others wrote where it stands between marks, and computes on it", async () => {
		const tools = [{ ...ORDERS, untrusted: true }, { type: "compute" }];
		const waiting = await begin("List the orders and count them", { ...only, tools });
		expect(waiting.pending).toMatchObject([{ tool: "list_orders" }]);
		const ended = await resolve(waiting, [{ id: 1 }, { id: 2 }, { id: 3 }]);
		expect(ended.status).toBe("complete");
		expect(ended.output).toContain('{"result":3}');
	});

	it("answers in the form of output_schema after its tools", async () => {
		const output_schema = {
			type: "object",
			properties: { sent: { type: "boolean" }, to: string },
			required: ["sent", "to"],
			additionalProperties: false,
		};
		const ended = await resolve(await begin(NOTE, { ...only, output_schema }), "sent");
		expect(ended).toMatchObject({ status: "complete", format_met: true });
		expect(JSON.parse(ended.output)).toEqual({ sent: true, to: expect.any(String) });
	});

	it("may do all at once", async () => {
		const waiting = await begin("List the orders and mail ada@example.com [[parallel]]", only);
		expect(waiting.pending?.map(({ tool }) => tool).toSorted()).toEqual(["list_orders", "send_mail"]);
		expect(await resolve(waiting, "fine")).toMatchObject({ status: "complete", tool_calls: { requested: 2 } });
	});

	it("is told of a tool that there is not, and of arguments that do not fit, and goes on", async () => {
		for (const word of ["unknown tool", "bad arguments"]) {
			const waiting = await begin(`${NOTE} [[${word}]]`, only);
			expect(waiting.pending, word).toMatchObject([{ tool: "send_mail", arguments: { to: "ada@example.com" } }]);
			expect(await resolve(waiting, "sent")).toMatchObject({ status: "complete", tool_calls: { requested: 2 } });
		}
	});

	it("is stopped where it calls the same again and again", async () => {
		let run = await begin(`${NOTE} [[loop tool]]`, only);
		for (let round = 0; run.status === "requires_action" && round < 10; round++) run = await resolve(run, "sent");
		expect(run.status).toBe("complete");
		expect(run.alerts.map(({ code }) => code)).toContain("loop_detected");
		expect(run.output).not.toBe("");
	});
});
