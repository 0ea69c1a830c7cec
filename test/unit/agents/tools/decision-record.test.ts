// The record of a person's decision: what it says, what it never says, and that it counts what it is.
import { describe, expect, it } from "vitest";
import type { RunState } from "../../../../src/agents/run/run.ts";
import { type DecidedAction, toDecisionRecord, withRecorded } from "../../../../src/agents/tools/decision-record.ts";
import type { CallApproval } from "../../../../src/agents/tools/tool-call.ts";
import { hashText } from "../../../../src/proof/hash.ts";

const RUN = { runId: "agt_1", userId: "usr_1", workspaceId: "acme/web", planId: "pro" as const };
const AT = "2026-11-28T22:00:00.000Z";

function approval(decision: CallApproval["decision"], more: Partial<CallApproval> = {}): CallApproval {
	return { keyId: "key_2", decision, at: AT, digest: hashText("decided"), ...more };
}

function action(given: CallApproval): DecidedAction {
	return {
		pendingId: "pnd_1",
		call: { id: "call_1", tool: "send_mail", policyEventId: "ae_0" },
		proposedDigest: hashText("proposed"),
		approval: given,
	};
}

let made = 0;
const newId = () => `id${made++}`;
const recordOf = (decided: DecidedAction) => toDecisionRecord(RUN, decided, newId);

describe("the record of a decision", () => {
	it.each([
		["approve", "tool_approved", "Approved: a call of send_mail of run agt_1"],
		["edit", "tool_approved", "Approved with changes: a call of send_mail of run agt_1"],
		["reject", "tool_rejected", "Rejected: a call of send_mail of run agt_1"],
	] as const)("to %s is an event and a review from the run to the key", (decision, event_type, objective) => {
		const { event, handoff } = recordOf(action(approval(decision, { reason: "too dear" })));
		expect(event).toMatchObject({ event_type, actor: "key:key_2", workspace_id: "acme/web", created_at: AT });
		expect(JSON.parse(event.payload)).toEqual({
			run_id: "agt_1",
			kind: "approval",
			pending_id: "pnd_1",
			call_id: "call_1",
			tool: "send_mail",
			decision,
			action_digest: hashText("decided"),
			proposed_digest: hashText("proposed"),
			policy_event_id: "ae_0",
			self_approval: false,
			reason: "too dear",
			handoff_id: handoff.id,
		});
		expect(handoff).toMatchObject({ userId: "usr_1", workspaceId: "acme/web", actor: "key:key_2", isRepeatable: true });
		expect(handoff.draft).toMatchObject({
			objective,
			action_kind: "review",
			from_tool: "agt_1",
			to_tool: "key_2",
			risks: [],
			validation: [
				{ id: "action_digest", description: hashText("decided") },
				{ id: "decision", description: decision },
			],
		});
		expect(JSON.stringify(handoff)).not.toContain("too dear");
	});

	it("on a plan names no call", () => {
		const { event, handoff } = recordOf({ ...action(approval("approve")), call: null });
		expect(JSON.parse(event.payload)).toMatchObject({ kind: "plan", call_id: null, tool: null, policy_event_id: null });
		expect(handoff.draft.objective).toBe("Approved: the plan of run agt_1");
	});

	it("by the run's own side shows it, in the event and in the ledger", () => {
		const { event, handoff } = recordOf(action(approval("approve", { isSelfApproval: true })));
		expect(JSON.parse(event.payload)).toMatchObject({ self_approval: true });
		expect(handoff.draft.risks.map(({ id }) => id)).toEqual(["self_approval"]);
	});

	it("has three ids of its own", () => {
		const ids = [recordOf(action(approval("approve"))), recordOf(action(approval("approve")))].flatMap(
			({ event, handoff }) => [event.id, handoff.id, handoff.eventId],
		);
		expect(new Set(ids).size).toBe(6);
		expect(ids.map((id) => id.slice(0, 3))).toEqual(["ae_", "ho_", "ae_", "ae_", "ho_", "ae_"]);
	});

	it("counts with what the run has recorded before, at least its own length", () => {
		const record = recordOf(action(approval("reject", { reason: "x".repeat(2_000) })));
		const state = { isSandbox: true } as RunState;
		const once = withRecorded(state, [record]);
		const length = record.event.payload.length + JSON.stringify(record.handoff.draft).length;
		expect(once.recordedBytes).toBeGreaterThan(length);
		expect(withRecorded(once, [record]).recordedBytes).toBe(2 * (once.recordedBytes ?? 0));
		expect(withRecorded(state, []).recordedBytes).toBe(0);
	});
});
