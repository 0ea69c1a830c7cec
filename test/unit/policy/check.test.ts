// A policy check's request and its event: what is kept of it, whole or in part, and what its input hash stands for.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashText } from "../../../src/proof/hash.ts";
import {
	checkBytes,
	type PolicyCheck,
	policyCheckSchema,
	reduceCheck,
	renderCheck,
	toPolicyCheckEvent,
	toPolicyInput,
} from "../../../src/policy/check.ts";
import { decide } from "../../../src/policy/decide.ts";

const RULES = { protectedPaths: [], forbiddenCommands: [], budgetUsd: 1 };
const DIGEST = `sha256:${"0".repeat(64)}`;
const ENVELOPE = { id: "ae_1", user_id: "usr_1", actor: "key:key_1", created_at: "2026-01-02T03:04:05.678Z" };
/** What D1 takes as one value. */
const MAX_VALUE_BYTES = 2_000_000;
/** 101 beginnings of 500 characters that JSON writes with six bytes each, the largest context, and the decision. */
const MAX_PAYLOAD_BYTES = 400_000;

const decided = decide({ action: "a", files_affected: [".env"], commands: [] }, RULES);

interface Payload {
	action: string;
	files_affected: string[];
	commands: string[];
	context: unknown;
	truncated: boolean;
	input_hash: string;
	[name: string]: unknown;
}

function payloadOf(check: PolicyCheck): Payload {
	return JSON.parse(toPolicyCheckEvent(check, decided, DIGEST, ENVELOPE).payload);
}

const bytes = (text: string) => new TextEncoder().encode(text).length;

const CHECK: PolicyCheck = {
	workspace_id: "shop",
	action: "Change something",
	action_kind: "edit",
	files_affected: ["a", "b"],
	commands: ["ls", "pwd"],
	estimated_cost_usd: 0.5,
	context: { ticket: 7 },
};

describe("the event of a check", () => {
	it("keeps a check of ordinary size whole, under the decision's columns", () => {
		const row = toPolicyCheckEvent(CHECK, decided, DIGEST, ENVELOPE);
		const { workspace_id, ...echoed } = CHECK;
		expect(row).toEqual({
			...ENVELOPE,
			workspace_id,
			event_type: "policy_check",
			decision: "approve",
			risk_score: 65,
			risk_tier: "approve",
			payload: expect.any(String),
		});
		expect(JSON.parse(row.payload)).toEqual({
			...echoed,
			factors: ["protected_path"],
			reason: decided.reason,
			manifest_digest: DIGEST,
			input_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
			truncated: false,
		});
	});

	it("writes what is absent as null or nothing", () => {
		expect(payloadOf({ workspace_id: "shop", action: "a" })).toMatchObject({
			action_kind: null,
			files_affected: [],
			commands: [],
			estimated_cost_usd: null,
			context: null,
		});
	});

	it("never outgrows what D1 takes, never breaks a character, and keeps a beginning of every list", () => {
		// Characters of one to four bytes, and those that JSON writes with six.
		const unit = fc.constantFrom("a", "é", "漢", "🦊", "\u0000", '"', "\\", "\u2028", "a🦊");
		const text = fc.tuple(unit, fc.constantFrom(0, 1, 10, 499, 500, 501, 20_000, 300_000)).map(([u, n]) => u.repeat(n));
		const many = fc
			.tuple(text, fc.nat(2_000))
			.map(([one, n]) => Array<string>(n).fill(one.slice(0, 900).toWellFormed()));
		const list = fc.oneof(fc.array(text, { maxLength: 4 }), many);
		const check = fc.record({
			action: text.map((action) => `do ${action}`.slice(0, 10_000).toWellFormed()),
			files_affected: fc.option(list),
			commands: fc.option(list),
			context: fc.option(unit.map((u) => ({ note: u.repeat(10_000) }))),
		});
		fc.assert(
			fc.property(check, (given) => {
				const check: PolicyCheck = { workspace_id: "shop", ...given };
				const row = toPolicyCheckEvent(check, decided, DIGEST, ENVELOPE);
				expect(bytes(row.payload)).toBeLessThanOrEqual(MAX_PAYLOAD_BYTES);
				expect(bytes(JSON.stringify(row))).toBeLessThan(MAX_VALUE_BYTES);
				const payload: Payload = JSON.parse(row.payload);
				for (const name of ["files_affected", "commands"] as const) {
					const sent = check[name] ?? [];
					if (!payload.truncated) {
						expect(payload[name]).toEqual(sent);
						continue;
					}
					expect(payload[name]).toHaveLength(Math.min(sent.length, 50));
					for (const [index, kept] of payload[name].entries()) {
						const whole = sent[index] ?? "";
						expect(kept.isWellFormed() && whole.startsWith(kept)).toBe(true);
						expect(kept.length).toBeGreaterThanOrEqual(Math.min(whole.length, 499));
					}
				}
				expect(check.action.startsWith(payload.action)).toBe(true);
				expect(payload.context).toEqual(check.context ?? null);
			}),
			{ numRuns: 60 },
		);
	});
});

describe("the input hash", () => {
	it("depends on every field, on the order of lists, and on what the event no longer shows", () => {
		const large = "x".repeat(300_000);
		const others: PolicyCheck[] = [
			CHECK,
			{ ...CHECK, workspace_id: "depot" },
			{ ...CHECK, action: "Change something else" },
			{ ...CHECK, action_kind: "review" },
			{ ...CHECK, action_kind: undefined },
			{ ...CHECK, files_affected: ["a"] },
			{ ...CHECK, files_affected: ["b", "a"] },
			{ ...CHECK, files_affected: [] },
			{ ...CHECK, commands: ["ls pwd"] },
			{ ...CHECK, commands: ["pwd", "ls"] },
			{ ...CHECK, files_affected: ["ls", "pwd"], commands: ["a", "b"] },
			{ ...CHECK, estimated_cost_usd: 0.25 },
			{ ...CHECK, estimated_cost_usd: undefined },
			{ ...CHECK, estimated_cost_usd: 0 },
			{ ...CHECK, context: { ticket: "7" } },
			{ ...CHECK, context: {} },
			{ ...CHECK, context: undefined },
			{ ...CHECK, commands: [large] },
			{ ...CHECK, commands: [`${large}y`] },
		];
		expect(new Set(others.map((check) => payloadOf(check).input_hash)).size).toBe(others.length);
	});

	it("does not depend on the order of keys, nor on how absence is written", () => {
		const reordered = Object.fromEntries(Object.entries(CHECK).reverse()) as PolicyCheck;
		expect(payloadOf(reordered)).toEqual(payloadOf(CHECK));
		const absent = { workspace_id: "shop", action: "a" };
		const nulls = {
			action_kind: null,
			files_affected: null,
			commands: null,
			estimated_cost_usd: null,
			context: null,
		};
		expect(payloadOf({ ...absent, ...nulls }).input_hash).toBe(payloadOf(absent).input_hash);
	});
});

describe("the request of a check", () => {
	const parses = (more: Record<string, unknown>) => policyCheckSchema.safeParse({ ...CHECK, ...more }).success;

	it("may leave out all but the workspace and the action", () => {
		expect(toPolicyInput(policyCheckSchema.parse({ workspace_id: "shop", action: "a" }))).toEqual({
			action: "a",
			action_kind: undefined,
			files_affected: [],
			commands: [],
			estimated_cost_usd: undefined,
		});
	});

	it("is measured in bytes where it says bytes, in characters where it says characters", () => {
		expect(parses({ context: { n: "é".repeat(32_764) } })).toBe(true);
		expect(parses({ context: { n: `${"é".repeat(32_764)}x` } })).toBe(false);
		expect(parses({ action: "é".repeat(10_000) })).toBe(true);
		expect(parses({ action: "é".repeat(10_001) })).toBe(false);
		expect(parses({ action: "\t " })).toBe(false);
	});

	it("takes a cost from nothing up to any finite number", () => {
		for (const cost of [0, 5e-324, 1, 1e308]) expect(parses({ estimated_cost_usd: cost })).toBe(true);
		for (const cost of [-1, -5e-324, Number.NaN, Number.POSITIVE_INFINITY])
			expect(parses({ estimated_cost_usd: cost })).toBe(false);
	});
});

describe("a check that is kept where the quota of stored bytes is full", () => {
	const rendered = (body: object) => renderCheck(policyCheckSchema.parse({ workspace_id: "w", action: "a", ...body }));

	it("is whole where it is small and has no context", () => {
		const whole = rendered({ commands: ["ls"] });
		expect(reduceCheck(whole)).toBe(whole);
	});

	it("has the digest of its context, and of long lists a few entries", () => {
		const context = { b: 1, a: "é" };
		const reduced = reduceCheck(rendered({ context, commands: ["ls"] }));
		expect(reduced).toMatchObject({ context: null, commands: ["ls"], truncated: false, reduced: "storage_quota_exceeded" });
		expect(reduced.context_digest).toEqual({ hash: hashText('{"a":"é","b":1}'), bytes: 16 });
		const long = reduceCheck(rendered({ files_affected: Array.from({ length: 9_000 }, (_, n) => `${n}`.padEnd(400, "x")) }));
		expect(long).toMatchObject({ truncated: true, reduced: "storage_quota_exceeded" });
		expect(checkBytes(long)).toBeLessThan(4_096);
	});
});
