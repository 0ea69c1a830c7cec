// The requests that the benchmark sends. Each has a text of its own (varied.ts).
import type { StrategyName } from "../../src/orchestration/strategies.ts";
import type { Load } from "./load.ts";
import { splitAtVaried, VARIED } from "./varied.ts";

const REQUEST = {
	model: "auto",
	messages: [
		{ role: "system", content: "You are a concise assistant." },
		{ role: "user", content: `${VARIED}: what makes the tide rise, in one sentence?` },
	],
	max_tokens: 256,
};

/** Every sound streamed answer contains this. */
export const STREAMED_ANSWER = '"chat.completion.chunk"';

function chatLoad(body: unknown, streamed: boolean): Load {
	const expected = streamed ? STREAMED_ANSWER : '"chat.completion"';
	return { path: "/v1/chat/completions", body: splitAtVaried(JSON.stringify(body)), streamed, expected, signed: true };
}

/** @param mark tells the upstream how to answer. */
function markedMessages(mark: string) {
	const [system, user] = REQUEST.messages;
	return [system, { ...user, content: `${user?.content} ${mark}`.trim() }];
}

function wholeLoad(mark = ""): Load {
	return chatLoad({ ...REQUEST, messages: markedMessages(mark) }, false);
}

export const WHOLE = wholeLoad();

/** The upstream answers this one whole, whatever it was asked for. */
export const WHOLE_UPSTREAM = wholeLoad("[[no stream]]");

function streamedLoad(mark = ""): Load {
	const options = { stream: true, stream_options: { include_usage: true } };
	return chatLoad({ ...REQUEST, messages: markedMessages(mark), ...options }, true);
}

export const STREAMED = streamedLoad();

/** The entrances that {@link entranceLoad} knows besides chat. */
export const ENTRANCES = ["responses", "messages", "responses, stored"] as const;
export type BenchEntrance = (typeof ENTRANCES)[number];

/** The conversation of {@link WHOLE} and {@link STREAMED} through another entrance. */
export function entranceLoad(entrance: BenchEntrance, streamed: boolean): Load {
	const { model, messages, max_tokens } = REQUEST;
	const [system, user] = messages.map(({ content }) => content);
	const stream = streamed ? { stream: true } : {};
	const [path, body, expected] =
		entrance === "messages"
			? ["/v1/messages", { model, system, messages: messages.slice(1), max_tokens, ...stream }, "message_stop"]
			: [
					"/v1/responses",
					{
						...{ model, instructions: system, input: user, max_output_tokens: max_tokens, ...stream },
						store: entrance === "responses, stored",
					},
					"response.completed",
				];
	return {
		path,
		body: splitAtVaried(JSON.stringify(body)),
		streamed,
		expected: streamed ? expected : '"svc":',
		isEndExpected: true,
		signed: true,
	};
}

/** {@link WHOLE} as a Response that is stored. */
export const STORED_RESPONSE = entranceLoad("responses, stored", false);

/** Chunks that {@link LONG_STREAM} has more than {@link SHORT_STREAM}. */
export const MORE_CHUNKS = 200;

// Chunks 2 ms apart are read one by one even on a busy machine. Of faster ones several would come in one read.
export const SHORT_STREAM = streamedLoad("[[20 deltas, 2 ms apart]]");
export const LONG_STREAM = streamedLoad(`[[${20 + MORE_CHUNKS} deltas, 2 ms apart]]`);

const WORKSPACE = "bench";

export const HANDOFF: Load = {
	path: "/v1/handoff",
	body: splitAtVaried(
		JSON.stringify({
			workspace_id: WORKSPACE,
			objective: `Move the checkout to the new tax table and keep the old one readable, ${VARIED}`,
			from_tool: "coder",
			to_tool: "reviewer",
			files_touched: ["src/checkout/tax.ts", "src/checkout/total.ts", "test/checkout.test.ts"],
			constraints: ["keep the public API", "no new dependency"],
			risks: [{ id: "rounding", description: "totals may differ by a cent" }],
			validation: [{ id: "unit", description: "npm test" }],
			recommended_next_action: "review the rounding rules",
		}),
	),
	streamed: false,
	expected: '"ho_',
	signed: true,
};

export const POLICY_CHECK: Load = {
	path: "/v1/policy/check",
	body: splitAtVaried(
		JSON.stringify({
			workspace_id: WORKSPACE,
			action: `Run the checkout's tests and push the branch ${VARIED}`,
			action_kind: "edit",
			files_affected: ["src/checkout/tax.ts", "test/checkout.test.ts"],
			commands: ["npm test -- checkout", "git push origin tax-table"],
		}),
	),
	streamed: false,
	expected: '"decision"',
	signed: false,
};

/** Steps of {@link AGENT_RUN}: the plan, four subtasks, the final answer. */
export const AGENT_RUN_STEPS = 6;

export const AGENT_RUN: Load = {
	path: "/v1/agent/run",
	body: splitAtVaried(
		JSON.stringify({
			goal: `Do this:\n1. List the rivers of France besides ${VARIED}\n2. Name the longest\n3. Say where it begins\n4. Say where it ends`,
			policy: "efficiency",
			max_cost_usd: 0.1,
		}),
	),
	streamed: false,
	expected: `"steps_taken":${AGENT_RUN_STEPS}`,
	signed: false,
};

/** It waits for the approval of its plan. Without an answer it ends after a day. */
export const WAITING_RUN: Load = {
	path: "/v1/agent/run",
	body: splitAtVaried(
		JSON.stringify({
			goal: `Do this:\n1. List the rivers of France besides ${VARIED}\n2. Name the longest`,
			policy: "efficiency",
			max_cost_usd: 0.1,
			workspace_id: WORKSPACE,
			plan: { approve: true },
		}),
	),
	streamed: false,
	expected: '"status":"requires_action"',
	signed: false,
};

/** The parts of this prompt have final answers, so it suits every strategy. */
const TASK = `${VARIED}. Answer both:\n1. What is 17 * 23?\n2. What is 19 * 29?`;

/** One orchestrated request by a strategy. */
export function orchestrationLoad(strategy: StrategyName): Load {
	return {
		path: "/v2/orchestrate",
		body: splitAtVaried(JSON.stringify({ messages: [{ role: "user", content: TASK }], strategy, max_tokens: 256 })),
		streamed: false,
		expected: `"strategy":"${strategy}"`,
		signed: true,
	};
}
