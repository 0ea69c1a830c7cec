// All sequences of changes of a call, walked to their ends: only the stated ones are possible, and none runs what nobody let run.
import { describe, expect, it } from "vitest";
import {
	allowCall,
	approveCall,
	awaitApproval,
	denyCall,
	dispatchCall,
	editCall,
	expireCall,
	failCall,
	finishCall,
	isOver,
	rejectCall,
	reopenCall,
} from "../../../../src/agents/tools/call-states.ts";
import type {
	CallApproval,
	CallJudgement,
	CallPending,
	CallPendingKind,
	ToolCall,
	ToolCallState,
} from "../../../../src/agents/tools/tool-call.ts";
import type { Decision } from "../../../../src/audit/event.ts";
import { hashText } from "../../../../src/proof/hash.ts";
import { toolCall } from "../../../support/tool-call.ts";

const NOW_MS = 1_790_000_000_000;

const REQUESTED = toolCall({ modelId: "toolu_1", tool: "send_mail" });

const judge = (decision: Decision, text = "action") => ({
	judgement: {
		decision,
		riskScore: 10,
		riskTier: "confirm",
		reason: "because",
		eventId: "ae_1",
		manifestDigest: hashText("manifest"),
		version: "1",
	} satisfies CallJudgement,
	actionDigest: hashText(text),
	taintedBy: [],
	unsourced: [],
});
const decide = (decision: CallApproval["decision"], text = "action"): CallApproval => ({
	keyId: "key_1",
	decision,
	at: "2026-11-28T22:00:00.000Z",
	digest: hashText(text),
});
const wait = (kind: CallPendingKind, n: number): CallPending => ({
	id: `pnd_${n}`,
	kind,
	createdAtMs: 1,
	expiresAtMs: 2,
});
const answered = { resultHash: hashText("result"), isError: false, isCut: false };
const failed = { ...answered, isError: true };
const RESOLUTION = hashText("resolution");

/** Every change that can be asked for, with every argument that matters. @param n a number that no other pending has. */
const CHANGES: Readonly<Record<string, (call: ToolCall, n: number) => ToolCall>> = {
	"allow allow": (call) => allowCall(call, judge("allow")),
	"allow deny": (call) => allowCall(call, judge("deny")),
	"allow confirm": (call) => allowCall(call, judge("confirm")),
	"deny deny": (call) => denyCall(call, judge("deny"), failed),
	"deny allow": (call) => denyCall(call, judge("allow"), failed),
	"await confirm": (call, n) => awaitApproval(call, judge("confirm"), wait("approval", n)),
	"await approve": (call, n) => awaitApproval(call, judge("approve"), wait("approval", n)),
	"await allow": (call, n) => awaitApproval(call, judge("allow"), wait("approval", n)),
	"await deny": (call, n) => awaitApproval(call, judge("deny"), wait("approval", n)),
	"await as client_tool": (call, n) => awaitApproval(call, judge("confirm"), wait("client_tool", n)),
	approve: (call) => approveCall(call, decide("approve"), RESOLUTION),
	"approve another action": (call) => approveCall(call, decide("approve", "other"), RESOLUTION),
	"approve as reject": (call) => approveCall(call, decide("reject"), RESOLUTION),
	edit: (call) =>
		editCall(
			call,
			{ ...judge("confirm", "edited"), argumentsHash: hashText("a2") },
			decide("edit", "edited"),
			RESOLUTION,
		),
	"edit to what is denied": (call) =>
		editCall(call, { ...judge("deny", "edited"), argumentsHash: hashText("a2") }, decide("edit", "edited"), RESOLUTION),
	"edit to another action": (call) =>
		editCall(call, { ...judge("allow", "edited"), argumentsHash: hashText("a2") }, decide("edit"), RESOLUTION),
	reject: (call) => rejectCall(call, decide("reject"), RESOLUTION, failed),
	"reject as approve": (call) => rejectCall(call, decide("approve"), RESOLUTION, failed),
	reopen: reopenCall,
	"dispatch to client": (call, n) => dispatchCall(call, wait("client_tool", n), NOW_MS),
	"dispatch to user": (call, n) => dispatchCall(call, wait("input", n), NOW_MS),
	"dispatch here": (call) => dispatchCall(call, null, NOW_MS),
	"dispatch as approval": (call, n) => dispatchCall(call, wait("approval", n), NOW_MS),
	"finish resolved": (call) => finishCall(call, answered, RESOLUTION, NOW_MS),
	"finish failed": (call) => finishCall(call, failed, RESOLUTION, NOW_MS),
	"finish here": (call) => finishCall(call, answered, null, NOW_MS),
	expire: (call) => expireCall(call, failed, NOW_MS),
	"expire without error": (call) => expireCall(call, answered, NOW_MS),
	fail: (call) => failCall(call, failed),
};

/** Where a call stands, as far as its next changes depend on it. */
function toStand({ state, pending }: ToolCall): string {
	return pending ? `${state} ${pending.kind}` : state === "dispatched" ? "dispatched here" : state;
}

/** What may follow what: the one table that the functions are compared with. */
const FOLLOWS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	requested: {
		"allow allow": "allowed",
		"deny deny": "denied",
		"await confirm": "requested approval",
		"await approve": "requested approval",
		fail: "failed",
	},
	"requested approval": {
		approve: "approved",
		edit: "approved",
		reject: "rejected",
		expire: "rejected",
		fail: "failed",
	},
	allowed: {
		reopen: "requested",
		"dispatch to client": "dispatched client_tool",
		"dispatch to user": "dispatched input",
		"dispatch here": "dispatched here",
		fail: "failed",
	},
	approved: {
		reopen: "requested",
		"dispatch to client": "dispatched client_tool",
		"dispatch to user": "dispatched input",
		"dispatch here": "dispatched here",
		fail: "failed",
	},
	"dispatched client_tool": { "finish resolved": "done", "finish failed": "failed", expire: "expired", fail: "failed" },
	"dispatched input": { "finish resolved": "done", "finish failed": "failed", expire: "expired", fail: "failed" },
	"dispatched here": { "finish here": "done", fail: "failed" },
	denied: {},
	rejected: {},
	done: {},
	failed: {},
	expired: {},
};

/** The longest walk: two judgements anew. */
const MAX_CHANGES = 9;

interface Walk {
	call: ToolCall;
	states: ToolCallState[];
}

/** All walks over possible changes, each state with what came before it. */
function* walkAll({ call, states }: Walk, depth = 0): Generator<Walk> {
	yield { call, states };
	if (depth === MAX_CHANGES) return;
	for (const name of Object.keys(FOLLOWS[toStand(call)] ?? {})) {
		const next = CHANGES[name]?.(call, depth);
		if (next) yield* walkAll({ call: next, states: [...states, next.state] }, depth + 1);
	}
}

describe("a call's changes", () => {
	it("are those of the table, and every other one throws", () => {
		const seen = new Map<string, ToolCall>([["requested", REQUESTED]]);
		for (const [stand, call] of seen) {
			for (const [name, change] of Object.entries(CHANGES)) {
				const expected = FOLLOWS[stand]?.[name];
				if (expected === undefined) {
					expect(() => change(call, 1), `${name} of a call that is ${stand}`).toThrow(/^call call_1 is /);
					continue;
				}
				const next = change(call, 1);
				expect(toStand(next), `${name} of a call that is ${stand}`).toBe(expected);
				if (!seen.has(expected)) seen.set(expected, next);
			}
		}
		expect([...seen.keys()].sort()).toEqual(Object.keys(FOLLOWS).sort());
	});

	it("never run a call that was neither allowed nor approved just before, and never twice", () => {
		for (const { states } of walkAll({ call: REQUESTED, states: ["requested"] })) {
			const at = states.indexOf("dispatched");
			if (at >= 0) expect(["allowed", "approved"]).toContain(states[at - 1]);
			expect(states.filter((state) => state === "dispatched").length).toBeLessThan(2);
		}
	});

	it("note when a call was dispatched and when it ended, once it was", () => {
		for (const { call, states } of walkAll({ call: REQUESTED, states: ["requested"] })) {
			expect(call.dispatchedAtMs).toBe(states.includes("dispatched") ? NOW_MS : undefined);
			if (call.state === "done" || call.state === "expired") expect(call.endedAtMs).toBe(NOW_MS);
			if (!isOver(call)) expect(call.endedAtMs).toBeUndefined();
		}
	});

	it("end with a result and without a pending, and keep what each pending came to", () => {
		for (const { call } of walkAll({ call: REQUESTED, states: ["requested"] })) {
			expect(isOver(call)).toBe(call.resultHash !== null);
			if (isOver(call)) expect(call.pending).toBeNull();
			for (const { end, resolution } of call.settled) expect(end === "resolved").toBe(resolution !== null);
			const ids = [...call.settled, ...(call.pending ? [call.pending] : [])].map(({ id }) => id);
			expect(new Set(ids).size).toBe(ids.length);
		}
	});

	it("bind an approval to the action that it was given for", () => {
		for (const { call } of walkAll({ call: REQUESTED, states: ["requested"] })) {
			if (call.approval) expect(call.approval.digest === call.actionDigest || call.state === "rejected").toBe(true);
			if (call.state === "approved") expect(call.approval).not.toBeNull();
			if (call.state === "requested" && !call.pending) expect([call.judgement, call.approval]).toEqual([null, null]);
		}
	});
});
