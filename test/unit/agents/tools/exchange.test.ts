// The exchange of a step with tools: the bytes of docs/proofs.md, as the second implementation writes them, and every change is found.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toHashedArguments } from "../../../../src/agents/tools/arguments.ts";
import { countToolCalls, exchangeHash, toExchange, toStepTexts } from "../../../../src/agents/tools/exchange.ts";
import { type ClientTool, definitionHash } from "../../../../src/agents/tools/tool.ts";
import type { ToolCall, ToolCallState } from "../../../../src/agents/tools/tool-call.ts";
import { TOOL_CALL_STATES } from "../../../../src/agents/tools/tool-call.ts";
import { DECISIONS } from "../../../../src/audit/event.ts";
import { hashText } from "../../../../src/proof/hash.ts";
import { textHash } from "../../../../src/proof/salted.ts";
import { changedCopies } from "../../../support/changed-copies.ts";
import {
	builtInDefinitionOf,
	definitionOf,
	exchangeOf,
	hashedArguments,
	inputHashOf,
	type KnownCall,
	type KnownStep,
} from "../../../support/second-exchange.ts";

const SALT = "000102030405060708090a0b0c0d0e0f";
const hash = textHash(SALT);

const text = fc.string({ unit: "grapheme", maxLength: 20 });
const anyHash = text.map(hashText);

/** Arguments as models write them: objects in any notation, and what is none. */
const writtenArguments = fc.oneof(
	fc.dictionary(text, fc.jsonValue()).map((value) => JSON.stringify(value)),
	fc.dictionary(text, fc.jsonValue()).map((value) => JSON.stringify(value, null, 2)),
	fc.jsonValue().map((value) => JSON.stringify(value)),
	text,
	fc.integer({ min: 28, max: 36 }).map((depth) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`),
	fc.constantFrom(
		"",
		" \n",
		'{"a":1,"a":2}',
		'{"__proto__":{"a":1}}',
		'{"a":[{"__proto__":1}]}',
		'{"a":1e999}',
		'{"a":"\\ud800"}',
		'{"b":1.0,"a":1E2}',
		"[1]",
		"null",
	),
);

const call: fc.Arbitrary<KnownCall> = fc.record({
	id: fc.uuid().map((id) => `call_${id}`),
	turn: fc.integer({ min: 0, max: 3 }),
	tool: text,
	definition: fc.option(anyHash),
	arguments: writtenArguments,
	decision: fc.option(fc.constantFrom(...DECISIONS)),
	event_id: fc.constant("ae_1"),
	approval: fc.option(
		fc.record({
			key_id: fc.constant("key_1"),
			decision: fc.constantFrom("approve", "edit", "reject"),
			at: fc.constant("2026-11-28T22:00:00.000Z"),
			digest: anyHash,
		}),
	),
	result: fc.option(text),
	state: fc.constantFrom(...TOOL_CALL_STATES),
});

const step: fc.Arbitrary<KnownStep> = fc.record({
	messages: fc.array(fc.record({ role: fc.constantFrom("system", "user"), content: text }), { maxLength: 3 }),
	said: fc.array(text, { maxLength: 4 }).map((texts) => texts.map((each, turn) => ({ turn, text: each }))),
	steering: fc
		.array(fc.record({ turn: fc.nat(3), id: text, text }), { maxLength: 2 })
		.map((all) => all.toSorted((a, b) => a.turn - b.turn)),
	calls: fc
		.array(call, { maxLength: 5 })
		.map((calls) =>
			calls
				.toSorted((a, b) => a.turn - b.turn)
				.map((each) => (each.decision === null ? { ...each, event_id: null } : each)),
		),
});

/** A call as the run stores it. */
function toStored(known: KnownCall, place: number): ToolCall {
	return {
		...{ id: known.id, step: 0, turn: known.turn, place, modelId: `model_${place}`, tool: known.tool },
		definition: known.definition as ToolCall["definition"],
		state: known.state as ToolCallState,
		argumentsHash: hash(toHashedArguments(known.arguments)),
		judgement:
			known.decision === null
				? null
				: {
						decision: known.decision as (typeof DECISIONS)[number],
						...{ riskScore: 1, riskTier: "auto", reason: "", eventId: known.event_id ?? "" },
						...{ manifestDigest: hashText("manifest"), version: "1" },
					},
		actionDigest: null,
		approval: known.approval && {
			keyId: known.approval.key_id,
			decision: known.approval.decision as "approve",
			at: known.approval.at,
			digest: known.approval.digest as ToolCall["argumentsHash"],
			isSelfApproval: true,
			reason: "not hashed",
		},
		...{ taintedBy: [], unsourced: [], pending: null, settled: [] },
		resultHash: known.result === null ? null : hash(known.result),
		...{ isError: false, isCut: false, isRead: true, isUntrusted: false },
	};
}

/** The turns of a step as the run stores them. The last one has no calls, and its words are the step's own. */
function toTurns({ said, steering }: KnownStep) {
	const turns = Array.from({ length: 5 }, (_, turn): Parameters<typeof toStepTexts>[1][number] => ({
		steering: steering.filter((each) => each.turn === turn),
		parts: [
			...said.filter((each) => each.turn === turn).map(({ text }) => ({ type: "text" as const, text })),
			{ type: "tool_call" as const, id: "model_1", name: "send", arguments: "{}" },
		],
	}));
	return [...turns, { steering: [], parts: [{ type: "text" as const, text: "the answer" }] }];
}

describe("the exchange of a step with tools", () => {
	it("has the bytes that the page fixes, in whatever order its calls are stored", () => {
		fc.assert(
			fc.property(step, fc.boolean(), (known, isReversed) => {
				const calls = known.calls.map(toStored);
				const texts = toStepTexts(known.messages, toTurns(known));
				const exchange = toExchange(texts, isReversed ? calls.toReversed() : calls, hash);
				expect(exchange).toEqual(exchangeOf(SALT, known));
				expect(exchangeHash(exchange, hash)).toBe(inputHashOf(SALT, known));
			}),
			{ numRuns: 300 },
		);
	});

	it("has the hash of the page's example", () => {
		const known: KnownStep = {
			messages: [{ role: "user", content: "Send it" }],
			...{ said: [{ turn: 0, text: "I send it." }], steering: [] },
			calls: [
				{
					...{ id: "call_01ARZ3NDEKTSV4RRFFQ69G5FAV", turn: 0, tool: "send_money", definition: hashText("definition") },
					...{ arguments: '{"to":"ada@example.org","amount":12}', decision: "allow" },
					...{ event_id: "ae_01ARZ3NDEKTSV4RRFFQ69G5FAV", approval: null, result: "sent", state: "done" },
				},
			],
		};
		const exchange = toExchange(toStepTexts(known.messages, toTurns(known)), known.calls.map(toStored), hash);
		expect(exchangeHash(exchange, hash)).toBe(
			"sha256:389dfb353832108f58b7a5e223859ff1723763daae4583ad2ceb6c0325012ce8",
		);
	});

	it("has another hash for every change of any member", () => {
		fc.assert(
			fc.property(step, (known) => {
				const exchange = toExchange(known, known.calls.map(toStored), hash);
				const own = exchangeHash(exchange, hash);
				for (const { path, copy } of changedCopies(exchange)) expect(exchangeHash(copy, hash), path).not.toBe(own);
			}),
			{ numRuns: 50 },
		);
	});

	it("hashes arguments in one form for every notation of the same object", () => {
		fc.assert(
			fc.property(writtenArguments, (written) => {
				expect(toHashedArguments(written)).toBe(hashedArguments(written));
			}),
			{ numRuns: 500 },
		);
		expect(toHashedArguments('{ "b": 1.0, "a": [1E2] }')).toBe('{"a":[100],"b":1}');
		expect(toHashedArguments("")).toBe("{}");
		expect(toHashedArguments(`${"[".repeat(100_000)}`)).toBe(`${"[".repeat(100_000)}`);
		const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
		expect(toHashedArguments(deep)).toBe(deep);
	});
});

describe("the definition of a tool", () => {
	it("has the bytes that the page fixes", () => {
		const tool: ClientTool = {
			...{ kind: "client", name: "send", effects: "external", isUntrusted: false, isPrivate: true },
			...{ commands: ["/cmd"], files: [], hosts: [], maxCalls: null, timeoutMs: 600_000, isQuarantined: false },
		};
		const defined = {
			...{ name: "send", description: null, parameters: null, strict: null, effects: "external" },
			...{ untrusted: false, private: true, commands: ["/cmd"], files: [], hosts: [] },
			...{ max_calls: null, timeout_s: 600, quarantine: false },
		};
		expect(definitionHash(tool)).toBe(definitionOf(defined));
		const parameters = { type: "object", properties: { to: { type: "string" } } };
		expect(definitionHash({ ...tool, description: "Sends.", parameters, strict: true })).toBe(
			definitionOf({ ...defined, description: "Sends.", parameters, strict: true }),
		);
		expect(definitionHash({ kind: "built_in", name: "compute" })).toBe(builtInDefinitionOf("compute"));
	});
});

describe("the counts of a receipt", () => {
	const known: KnownCall = {
		...{ id: "call_1", turn: 0, tool: "send", definition: null, arguments: "{}", decision: "allow", event_id: "ae_1" },
		...{ approval: null, result: null, state: "done" },
	};
	const decided = (decision: string) => ({ key_id: "key_1", decision, at: "", digest: hashText("") });
	const counts = (...calls: Partial<KnownCall>[]) =>
		countToolCalls(calls.map((each, place) => toStored({ ...known, ...each }, place)));

	it("count each call as requested, and once by what was decided on it", () => {
		const none = { requested: 1, allowed: 0, denied: 0, approved: 0, rejected: 0, expired: 0 };
		expect(counts()).toEqual({ ...none, requested: 0 });
		expect(counts({})).toEqual({ ...none, allowed: 1 });
		expect(counts({ decision: "deny", state: "denied" })).toEqual({ ...none, denied: 1 });
		expect(counts({ decision: "approve", approval: decided("approve") })).toEqual({ ...none, approved: 1 });
		expect(counts({ decision: "confirm", approval: decided("edit") })).toEqual({ ...none, approved: 1 });
		const rejected = { decision: "approve", approval: decided("reject"), state: "rejected" };
		expect(counts(rejected)).toEqual({ ...none, rejected: 1 });
		expect(counts({ decision: "approve", state: "requested" })).toEqual(none);
		expect(counts({ decision: null, state: "failed" })).toEqual(none);
	});

	it("count what nobody answered in time beside that", () => {
		const none = { requested: 1, allowed: 0, denied: 0, approved: 0, rejected: 0, expired: 1 };
		expect(counts({ state: "expired" })).toEqual({ ...none, allowed: 1 });
		expect(counts({ state: "expired", decision: "approve", approval: decided("approve") })).toEqual({
			...none,
			approved: 1,
		});
		expect(counts({ state: "rejected", decision: "approve" })).toEqual(none);
	});
});
