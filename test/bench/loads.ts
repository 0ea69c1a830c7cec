// The requests that the benchmark sends.
import type { Load } from "./load.ts";

const REQUEST = {
	model: "auto",
	messages: [
		{ role: "system", content: "You are a concise assistant." },
		{ role: "user", content: "What makes the tide rise, in one sentence?" },
	],
	max_tokens: 256,
};

function chatLoad(body: unknown, streamed: boolean): Load {
	const expected = streamed ? '"chat.completion.chunk"' : '"chat.completion"';
	return { path: "/v1/chat/completions", body: Buffer.from(JSON.stringify(body)), streamed, expected, signed: true };
}

/** @param mark what the upstream shall do, in its own words. */
function markedMessages(mark: string) {
	const [system, user] = REQUEST.messages;
	return [system, { ...user, content: `${user?.content} ${mark}`.trim() }];
}

function wholeLoad(mark = ""): Load {
	return chatLoad({ ...REQUEST, messages: markedMessages(mark) }, false);
}

export const WHOLE = wholeLoad();

/** The service asks every upstream for a stream; this one is answered whole, which shows what reading streams costs. */
export const WHOLE_UPSTREAM = wholeLoad("[[no stream]]");

function streamedLoad(mark = ""): Load {
	const options = { stream: true, stream_options: { include_usage: true } };
	return chatLoad({ ...REQUEST, messages: markedMessages(mark), ...options }, true);
}

export const STREAMED = streamedLoad();

/** Chunks that {@link LONG_STREAM} has more than {@link SHORT_STREAM}. */
export const MORE_CHUNKS = 200;

// Chunks 2 ms apart are read one by one even by a busy machine: faster ones would arrive several to a read, and cost less each.
export const SHORT_STREAM = streamedLoad("[[20 deltas, 2 ms apart]]");
export const LONG_STREAM = streamedLoad(`[[${20 + MORE_CHUNKS} deltas, 2 ms apart]]`);

const WORKSPACE = "bench";

export const HANDOFF: Load = {
	path: "/v1/handoff",
	body: Buffer.from(
		JSON.stringify({
			workspace_id: WORKSPACE,
			objective: "Move the checkout to the new tax table and keep the old one readable",
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
	body: Buffer.from(
		JSON.stringify({
			workspace_id: WORKSPACE,
			action: "Run the checkout's tests and push the branch",
			action_kind: "edit",
			files_affected: ["src/checkout/tax.ts", "test/checkout.test.ts"],
			commands: ["npm test -- checkout", "git push origin tax-table"],
		}),
	),
	streamed: false,
	expected: '"decision"',
	signed: false,
};

/** Four subtasks, which with the plan and the final answer make six steps. */
export const AGENT_RUN: Load = {
	path: "/v1/agent/run",
	body: Buffer.from(
		JSON.stringify({
			goal: "Do this:\n1. List the rivers of France\n2. Name the longest\n3. Say where it begins\n4. Say where it ends",
			policy: "efficiency",
			max_cost_usd: 0.1,
		}),
	),
	streamed: false,
	expected: '"steps_taken":6',
	signed: false,
};
