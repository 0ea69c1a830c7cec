// What traces and metrics say of a run's tool calls: each that ran has a span, and each counts once, whatever dies meanwhile.
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunResponse } from "../../src/agents/response.ts";
import type { CountedToolCall } from "../../src/telemetry/metric-sums.ts";
import { expectAccounted, postRun } from "../support/agents.ts";
import {
	aCollector,
	type Collector,
	sample,
	scrape,
	TEST_METRICS_TOKEN,
	useCollector,
	useTelemetry,
} from "../support/collector.ts";
import { inOrder, killObject, onlyFor, useFaults } from "../support/faults.ts";
import { useService } from "../support/per-test.ts";
import { callWithKey, meterOf, newKey, type TestKey } from "../support/service.ts";
import { aRequestId, reservationFor, settlementFor, TEST_KEY_ID, UNLIMITED_KEY } from "../support/settlements.ts";
import { countedToolCall } from "../support/telemetry.ts";
import { OPENAI_FORMAT, type ScriptedTurn, toolModel } from "../support/tool-model.ts";
import { parseRun, putTools, readUntil, resolve, runObject, sleep } from "../support/waiting-runs.ts";

const { upstream, key } = useService("pro");
/** Of the same user: decides. */
let approver: TestKey;
let telemetry: { restore(): void };
let collector: Collector | undefined;
let faults: { restore(): void } | undefined;

const SECRET = "xyzzy";
const TIMEOUT_MS = 600_000;
const NAMES = ["read_note", "drop_table", "send_mail", "slow_tool"];
const TOOLS = NAMES.map((name) => ({
	...{ type: "function", name, description: `Does ${name}.`, effects: "read" },
	parameters: { type: "object", properties: { text: { type: "string" } } },
}));
const RULES = { allow: ["read_note", "slow_tool", "compute"], deny: ["drop_table"], ask: ["send_mail"] };
const CALLS = [
	...NAMES.map((name) => ({ name, args: { text: SECRET } })),
	{ name: "compute", args: { expression: "1 + 1" } },
];

beforeEach(async () => {
	telemetry = await useTelemetry({ otlp: aCollector(), hasContent: true, metricsToken: TEST_METRICS_TOKEN });
	approver = await newKey("pro", key.user_id);
	// It has woken without anybody to count for.
	await killObject(meterStub());
});
afterEach(() => {
	faults?.restore();
	faults = undefined;
	collector?.restore();
	collector = undefined;
	telemetry.restore();
	vi.useRealTimers();
});

const meterStub = () => env.ACCOUNT_METER.getByName(key.user_id) as unknown as DurableObjectStub<undefined>;

async function begin(more: object = {}, calls: ScriptedTurn["calls"] = CALLS): Promise<RunResponse> {
	upstream.replace(
		toolModel(({ results }) => (results.length === 0 ? { calls: calls ?? [] } : { text: "Done." })).answer,
	);
	collector = useCollector();
	const body = { goal: "Read, drop, send and wait, and say what came of it", brain_config: OPENAI_FORMAT };
	return parseRun(postRun(key, { ...body, ...more }));
}

/** Begins a run with each kind of call, and answers all of them but one. */
async function beginWithTools(): Promise<RunResponse> {
	await putTools(key, "w", RULES);
	const waiting = await begin({ workspace_id: "w", tools: [...TOOLS, { type: "compute" }] });
	const idOf = ({ pending = [] }: RunResponse, tool: string) => pending.find((each) => each.tool === tool)?.id;
	const read = { resolutions: [{ id: idOf(waiting, "read_note"), output: SECRET }] };
	await parseRun(resolve(waiting, read, key));
	await killObject(runObject(waiting) as unknown as DurableObjectStub<undefined>);
	const approve = { resolutions: [{ id: idOf(waiting, "send_mail"), decision: "approve", reason: SECRET }] };
	const approved = await parseRun(resolve(waiting, approve, approver));
	const failed = { resolutions: [{ id: idOf(approved, "send_mail"), output: SECRET, is_error: true }] };
	return parseRun(resolve(waiting, failed, key));
}

/** Lets the call expire that nobody answers, and the run end. */
async function end(waiting: RunResponse): Promise<RunResponse> {
	await sleep(waiting, TIMEOUT_MS + 1_000);
	const run = await readUntil(key, waiting, ({ status }) => status === "complete");
	vi.useRealTimers();
	return run;
}

// biome-ignore lint/suspicious/noExplicitAny: a span of the protocol.
function attributesOf(span: any): Record<string, unknown> {
	return Object.fromEntries(
		span.attributes.map(({ key: name, value }: { key: string; value: object }) => [name, Object.values(value)[0]]),
	);
}

/** The spans of a run, once they have arrived. */
async function spansOf({ run_id }: RunResponse) {
	const spans = () => (collector?.spans() ?? []).filter((span) => attributesOf(span)["svc.request.id"] === run_id);
	await vi.waitFor(() => expect(spans().length).toBeGreaterThan(2));
	return spans();
}

/** What the metrics say of tool calls, once the user's meter has sent what it counted. */
async function toolMetrics(): Promise<Record<string, number>> {
	await meterOf(key).flushNow();
	const text = await scrape();
	const lines = text
		.split("\n")
		.filter((line) => /^svc_agent_(?:tool_calls_total|decisions_total|.+_count)/.test(line));
	return Object.fromEntries(
		lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
	);
}

const calls = (kind: string, outcome: string) => `svc_agent_tool_calls_total{kind="${kind}",outcome="${outcome}"}`;
const decisions = (decision: string, by: string) => `svc_agent_decisions_total{decision="${decision}",by="${by}"}`;
const durations = (kind: string) => `svc_agent_tool_call_duration_seconds_count{kind="${kind}"}`;

const OF_THE_RUN = {
	[calls("function", "done")]: 1,
	[calls("function", "denied")]: 1,
	[calls("function", "failed")]: 1,
	[calls("function", "expired")]: 1,
	[calls("compute", "done")]: 1,
	[decisions("allowed", "policy")]: 3,
	[decisions("denied", "policy")]: 1,
	[decisions("approved", "person")]: 1,
	[durations("function")]: 3,
	[durations("compute")]: 1,
};

describe("a run with tools", () => {
	it("has a span for each call that ran, below its step, with the decision and without a text", async () => {
		const waiting = await beginWithTools();
		const run = await end(waiting);
		const spans = await spansOf(run);
		// The first step makes the plan.
		const step = spans.find((span) => attributesOf(span)["svc.step.index"] === "1");
		const tools = spans.filter(({ name }) => name.startsWith("execute_tool "));
		const shown = tools.map((span) => {
			const { "gen_ai.tool.type": type, "svc.policy.decision": decision, ...more } = attributesOf(span);
			return [span.name, type, decision, more["svc.policy.decided_by"], more["error.type"] ?? null];
		});
		expect(shown).toEqual([
			["execute_tool read_note", "function", "allow", "policy", null],
			["execute_tool send_mail", "function", "confirm", "person", "failed"],
			["execute_tool slow_tool", "function", "allow", "policy", "expired"],
			["execute_tool compute", "extension", "allow", "policy", null],
		]);
		for (const span of tools) {
			expect(span).toMatchObject({ traceId: step.traceId, parentSpanId: step.spanId });
			expect(attributesOf(span)).toMatchObject({
				"gen_ai.operation.name": "execute_tool",
				"gen_ai.tool.name": span.name.slice("execute_tool ".length),
				"gen_ai.tool.call.id": expect.stringMatching(/^call_/),
			});
			expect(JSON.stringify(span)).not.toContain(SECRET);
		}
		expect(new Set(tools.map((span) => attributesOf(span)["gen_ai.tool.call.id"])).size).toBe(tools.length);
		const [slow] = tools.filter(({ name }) => name === "execute_tool slow_tool");
		const nanos = BigInt(slow.endTimeUnixNano) - BigInt(slow.startTimeUnixNano);
		expect(Number(nanos / 1_000_000n)).toBeGreaterThanOrEqual(TIMEOUT_MS);
		await expectAccounted(key, run);
	});

	it("counts each call and each decision once, though its settling is lost and its meter dies", async () => {
		const before = await toolMetrics();
		faults = useFaults({ ACCOUNT_METER: onlyFor(["settle"], inOrder(["failAfter"])) });
		await end(await beginWithTools());
		await killObject(meterStub());
		await toolMetrics();
		await killObject(meterStub());
		const after = await toolMetrics();
		const grown = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]);
		expect(Object.fromEntries(grown.filter(([, count]) => count !== 0))).toEqual(OF_THE_RUN);
	});

	it("that its client has cancelled ends the calls that it waits for", async () => {
		const before = await toolMetrics();
		await putTools(key, "w", RULES);
		const only = CALLS.filter(({ name }) => name === "read_note" || name === "send_mail");
		const waiting = await begin({ workspace_id: "w", tools: TOOLS }, only);
		const run = await parseRun(callWithKey(key.key, `/v1/agent/${waiting.run_id}/cancel`, {}));
		expect(run.status).toBe("cancelled");
		const tools = (await spansOf(run)).filter(({ name }) => name.startsWith("execute_tool "));
		expect(tools.map((span) => [span.name, attributesOf(span)["error.type"]])).toEqual([
			["execute_tool read_note", "failed"],
		]);
		const after = await toolMetrics();
		const failed = calls("function", "failed");
		expect((after[failed] ?? 0) - (before[failed] ?? 0)).toBe(2);
	});
});

describe("a run without tools", () => {
	it("has no span of one, counts none, and is settled as before", async () => {
		const before = await toolMetrics();
		const settled: object[] = [];
		faults = useFaults({
			ACCOUNT_METER: ({ method, args }) => {
				if (method === "settle") settled.push(args[0] as object);
				return "pass";
			},
		});
		const run = await begin({ goal: "1. Name three rivers\n2. Say where each begins", max_cost_usd: 0.05 });
		expect(run.status).toBe("complete");
		const spans = await spansOf(run);
		expect(spans.filter(({ name }) => name.startsWith("execute_tool "))).toEqual([]);
		expect(settled.map((settlement) => Object.keys(settlement).sort())).toEqual([["end", "facts", "receipt", "usage"]]);
		expect(await toolMetrics()).toEqual(before);
	});
});

describe("a meter", () => {
	it("counts the tool calls of a settlement once, and none while nobody reads metrics", async () => {
		const meter = () => meterOf({ user_id: key.user_id });
		const count = async () => sample(await scrape(), "svc_agent_tool_calls_total", { kind: "ask_user" });
		const settle = async (toolCalls: CountedToolCall[], requestId = aRequestId()) => {
			const reservation = reservationFor(key.user_id, requestId, 7, Date.now() + 60_000);
			const admission = { requestId, keyId: TEST_KEY_ID, ...UNLIMITED_KEY, plan: "pro" as const };
			await meter().admit({ ...admission, countsTowardsDay: false, reservation });
			const settlement = { ...(await settlementFor(key.user_id, requestId, 7)), toolCalls };
			expect(await meter().settle(settlement)).toBe("settled");
			await killObject(meterStub());
			expect(await meter().settle(settlement)).toBe("settled");
		};
		const before = await count();
		await settle([countedToolCall({ kind: "ask_user" }), countedToolCall({ kind: "ask_user", outcome: "expired" })]);
		await meter().flushNow();
		expect(await count()).toBe(before + 2);
		telemetry.restore();
		await killObject(meterStub());
		await settle([countedToolCall({ kind: "ask_user" })]);
		telemetry = await useTelemetry({ metricsToken: TEST_METRICS_TOKEN });
		await killObject(meterStub());
		await meter().flushNow();
		expect(await count()).toBe(before + 2);
	});
});
