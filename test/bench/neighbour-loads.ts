// The dearest body of each endpoint, as far as known, for the part `neighbours`. Each is within the service's limits.
import { splitAtVaried, VARIED, type VariedBody } from "./varied.ts";

const KIB = 1_024;
const MIB = 1_048_576;

/** Requests that one tenant sends while another one is measured. */
export interface NeighbourLoad {
	name: string;
	path: string;
	body: VariedBody;
}

const PROSE = "The harbour was quiet that morning, and nobody had told the pilot about the second ship. ";
const prose = (chars: number) => `${VARIED}. ${PROSE.repeat(Math.ceil(chars / PROSE.length))}`.slice(0, chars);
const list = <T>(length: number, entry: (at: number) => T) => Array.from({ length }, (_, at) => entry(at));
const user = (content: string) => ({ role: "user", content });

/** Texts that are found late or not at all. */
const CONTAINS_RULES = list(50, (at) => ({ when: { contains: `the pilot of ship ${at}` }, use: { tier: "budget" } }));
const LATE_CONTAINS_RULES = list(50, (at) => ({
	when: { contains: `${" ".repeat(150)}${at}` },
	use: { tier: "budget" },
}));

/** A schema of so many properties, nested and with variants. */
const wideSchema = (properties: number) => ({
	type: "object",
	properties: Object.fromEntries(
		list(properties, (at) => [
			`field_${at}`,
			{
				anyOf: [
					{ type: "string", enum: [`a${at}`, "b"] },
					{ type: "array", items: { type: "integer" } },
				],
			},
		]),
	),
});
const chatTools = (count: number, properties: number) =>
	list(count, (at) => ({
		type: "function",
		function: { name: `tool_${at}`, description: `Tool ${at}`, parameters: wideSchema(properties + (at % 7)) },
	}));

const COMMANDS = list(
	2_000,
	(at) => `find ./src/part-${at} -name '*.ts' -exec sed -i 's/a${at}/b/g' {} + && echo ${"x ".repeat(400)}`,
);
/** Short bodies that stand for much: functions that each call two others, and a schema that stands for thousands. */
const FUNCTIONS = `${list(40, (at) => `f${at}() { f${at + 1} a; f${at + 1} b; };`).join(" ")} f0 a`;
const doublingSchema = (name: string) => ({
	type: "object",
	properties: { a: { $ref: "#/$defs/d0" } },
	$defs: {
		...Object.fromEntries(
			list(11, (at) => [
				`d${at}`,
				{ properties: { a: { $ref: `#/$defs/d${at + 1}` }, b: { $ref: `#/$defs/d${at + 1}` } } },
			]),
		),
		d11: { type: "string", description: name },
	},
});
const policyCheck = (commands: readonly string[]) => ({
	workspace_id: "noise",
	action: `Run the scripts ${VARIED}`,
	commands,
});

/** A policy that reads everything: it looks for all classes of data, in all ways, and masks what it finds. */
const POLICY = { block_data_classes: ["SECRETS"], mask_data_classes: ["PII"], detect: "inferred" };

const HASH = `sha256:${"0".repeat(64)}`;
const toStep = (index: number) => ({
	...{ index, model: "a", input_hash: HASH, output_hash: HASH, cost_usd: 0, confidence: 1 },
	timestamp: "2026-11-24T00:00:00Z",
	note: prose(500),
});

const CODE_TASK = `Write a function that adds two numbers. ${prose(240 * KIB)}`;
const GOAL = `Do this:\n1. List the rivers of France\n2. Name the longest\n3. Say where it begins\n${prose(240 * KIB)}`;

const SHAPES: readonly [name: string, path: string, body: () => unknown][] = [
	[
		"chat, small",
		"/v1/chat/completions",
		() => ({ messages: [user(`${VARIED}: what makes the tide rise?`)], max_tokens: 64 }),
	],
	["chat, 2 MB", "/v1/chat/completions", () => ({ messages: [user(prose(2 * MIB))], max_tokens: 64 })],
	[
		"chat, 3.5 MB, the most that a model takes",
		"/v1/chat/completions",
		() => ({ messages: [user(prose(3.5 * MIB))], max_tokens: 64 }),
	],
	["chat, 14 MB", "/v1/chat/completions", () => ({ messages: [user(prose(14 * MIB))], max_tokens: 64 })],
	[
		"chat, 14 MB in 2,000 messages",
		"/v1/chat/completions",
		() => ({ messages: list(2_000, (at) => ({ role: at % 2 ? "assistant" : "user", content: prose(7_000) })) }),
	],
	[
		"chat, 14 MB and 50 contains rules",
		"/v1/chat/completions",
		() => ({ messages: [user(prose(14 * MIB))], brain_config: { rules: CONTAINS_RULES } }),
	],
	[
		"route, 14 MB of blanks and 50 contains rules",
		"/v1/route",
		() => ({ messages: [user(VARIED + " ".repeat(14 * MIB))], brain_config: { rules: LATE_CONTAINS_RULES } }),
	],
	[
		"chat, 250 tools of 60 variants",
		"/v1/chat/completions",
		() => ({ messages: [user(`Use a tool: ${VARIED}`)], tools: chatTools(120, 60), max_tokens: 64 }),
	],
	[
		"chat, 10 KB of schemas that stand for 45,000",
		"/v1/chat/completions",
		() => ({
			messages: [user(`Use a tool: ${VARIED}`)],
			tools: list(9, (at) => ({
				type: "function",
				function: { name: `tool_${at}`, parameters: doublingSchema(`${at}`) },
			})),
			max_tokens: 64,
		}),
	],
	["policy check, functions of 1 KB", "/v1/policy/check", () => policyCheck([FUNCTIONS])],
	["policy check, 2,000 long commands", "/v1/policy/check", () => policyCheck(COMMANDS)],
	[
		"policy check, one command of 2 MB",
		"/v1/policy/check",
		() => policyCheck([list(38_000, (at) => `cp a${at} b/${at}; rm c${at}; echo done ${at}`).join("\n")]),
	],
	[
		"policy check, 10,000 files",
		"/v1/policy/check",
		() => ({ ...policyCheck([]), files_affected: list(10_000, (at) => `src/${"part/".repeat(20)}file-${at}.ts`) }),
	],
	[
		"risk score, 2,000 commands",
		"/v1/risk/score",
		() => ({ kind: "exec", targets: [`echo ${VARIED}`, ...COMMANDS.slice(1)] }),
	],
	["compliance preview, 14 MB", "/v2/compliance/preview", () => ({ prompt: prose(14 * MIB), compliance: POLICY })],
	[
		"chat, 2 MB under a policy",
		"/v1/chat/completions",
		() => ({ messages: [user(prose(2 * MIB))], compliance: POLICY, max_tokens: 64 }),
	],
	["agent run, goal of 240 KiB", "/v1/agent/run", () => ({ goal: GOAL, max_cost_usd: 0.5 })],
	[
		"orchestrate, 2 MB",
		"/v2/orchestrate",
		() => ({ messages: [user(prose(2 * MIB))], strategy: "cascade", max_tokens: 64 }),
	],
	["code, task of 240 KiB", "/v2/code", () => ({ task: CODE_TASK })],
	["responses, 14 MB", "/v1/responses", () => ({ input: prose(14 * MIB), store: false, max_output_tokens: 64 })],
	["messages, 14 MB", "/v1/messages", () => ({ model: "auto", messages: [user(prose(14 * MIB))], max_tokens: 64 })],
	["count tokens, 14 MB", "/v1/messages/count_tokens", () => ({ model: "auto", messages: [user(prose(14 * MIB))] })],
	[
		"config validation, 64 KiB",
		"/v1/brain/validate",
		() => ({
			brain_md: `rules:\n${list(400, (at) => `  - when: {contains: "${prose(60)}${at}"}\n    use: {tier: budget}`).join("\n")}`,
		}),
	],
	[
		"trajectory check, 2,000 steps",
		"/v1/agent/verify",
		() => ({
			run_id: "run-1",
			trajectory_proof: HASH,
			steps: list(2_000, toStep),
			step_proofs: list(2_000, () => HASH),
		}),
	],
	[
		"handoff, 240 KiB",
		"/v1/handoff",
		() => ({
			workspace_id: "noise",
			objective: `Move on ${VARIED}`,
			from_tool: "a",
			to_tool: "b",
			constraints: list(60, () => prose(4_000)),
		}),
	],
];

export const NEIGHBOUR_LOADS = SHAPES.length;

/**
 * Builds one load at a time: a body of 14 MB need not stay.
 * @param wanted a part of their names; all with "".
 */
export function* neighbourLoads(wanted: string): Generator<NeighbourLoad> {
	for (const [name, path, body] of SHAPES)
		if (name.includes(wanted)) yield { name, path, body: splitAtVaried(JSON.stringify(body())) };
}
