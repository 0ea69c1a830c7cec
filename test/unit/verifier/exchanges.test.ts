// What checking a run with tools says. The files are the second implementation's: a trajectory with its receipt, the exchange of a step
// with tools, and the chain with the handoffs of its approvals. Every change of any member is found, or named as unproven.
import { describe, expect, it } from "vitest";
import { allHold, renderFinding } from "../../../src/verifier/findings.ts";
import { guessKind, PROOF_KINDS } from "../../../src/verifier/kinds.ts";
import { checkReceipt } from "../../../src/verifier/receipt.ts";
import { checkTrajectory } from "../../../src/verifier/trajectory.ts";
import { changedCopies, extendedCopies } from "../../support/changed-copies.ts";
import { signingKey } from "../../support/second-ed25519.ts";
import {
	actionDigestOf,
	builtInDefinitionOf,
	definitionOf,
	exchangeOf,
	inputHashOf,
	type KnownCall,
} from "../../support/second-exchange.ts";
import {
	type ChainEntry,
	canonical,
	chainEntry,
	plainHandoff,
	saltedHash,
	textHash,
} from "../../support/second-ledger.ts";
import { issueBundle } from "../../support/second-trajectory.ts";

const SALT = "000102030405060708090a0b0c0d0e0f";
const hash = (text: string) => saltedHash(SALT, text);
const key = signingKey(Buffer.alloc(32, 7));
const RUN = "agt_01ARZ3NDEKTSV4RRFFQ69G5FAV";
const policy = { manifest_digest: textHash("manifest"), version: "7" };
const definition = definitionOf({
	...{ name: "send", description: "Sends a mail.", parameters: { type: "object" }, strict: null, effects: "external" },
	...{ untrusted: false, private: false, commands: [], files: [], hosts: ["/to"], max_calls: null },
	...{ timeout_s: 600, quarantine: false },
});

interface ShownCall {
	call: KnownCall;
	shown: Record<string, unknown>;
}

/** A call as it is hashed and as it is shown. */
function toShown(
	known: Partial<KnownCall> & Pick<KnownCall, "id">,
	approved?: "approve" | "edit" | "reject",
): ShownCall {
	const call: KnownCall = {
		...{ turn: 0, tool: "send", definition, arguments: '{"to":"a@example.org"}', decision: "allow" },
		...{ event_id: `ae_${known.id}`, approval: null, result: "sent", state: "done" },
		...known,
	};
	const isJudged = call.decision !== null && call.definition !== null;
	const action = { run_id: RUN, call_id: call.id, tool: call.tool, definition: call.definition ?? "" };
	const action_digest = isJudged ? actionDigestOf(SALT, { ...action, arguments: call.arguments, policy }) : null;
	if (approved)
		call.approval = {
			...{ key_id: "key_approver", decision: approved, at: "2026-11-28T22:00:00.000Z" },
			digest: action_digest ?? "",
		};
	const args = (() => {
		try {
			return JSON.parse(call.arguments) as unknown;
		} catch {
			return call.arguments;
		}
	})();
	const { arguments: _, approval, ...others } = call;
	const shown = {
		...others,
		arguments: args,
		...{ risk_score: isJudged ? 40 : null, reason: isJudged ? "it sends" : null, tainted_by: [], unsourced: [] },
		...{ policy: isJudged ? policy : null, action_digest },
		approval: approval && { ...approval, reason: "fine" },
		...{ is_error: call.result !== null && call.state !== "done", result_cut: false, truncated: false },
	};
	return { call, shown };
}

const made = [
	toShown({ id: "call_1" }),
	toShown({ id: "call_2", decision: "approve" }, "approve"),
	toShown({ id: "call_3", decision: "confirm", arguments: '{"to":"b@example.org","b":1.5}' }, "edit"),
	toShown({ id: "call_4", turn: 1, decision: "approve", state: "rejected", result: "rejected: no" }, "reject"),
	toShown({ id: "call_5", turn: 1, decision: "deny", state: "denied", result: "denied: it deletes" }),
	toShown({
		id: "call_6",
		turn: 1,
		decision: null,
		event_id: null,
		arguments: "{to:",
		state: "failed",
		result: "unreadable",
	}),
	toShown({ id: "call_7", turn: 2, decision: "approve", state: "rejected", result: "nobody answered in time" }),
	toShown({ id: "call_8", turn: 2, state: "expired", result: "nobody answered in time" }),
	toShown({ id: "call_9", turn: 2, tool: "compute", definition: builtInDefinitionOf("compute") }),
	toShown({ id: "call_10", turn: 2, decision: null, event_id: null, definition: null, tool: "nil", state: "failed" }),
];

const known = {
	messages: [
		{ role: "system", content: "You have tools." },
		{ role: "user", content: "Send it." },
	],
	said: [
		{ turn: 0, text: "I send it." },
		{ turn: 2, text: "Once more." },
	],
	steering: [{ turn: 1, id: "note-1", text: "Be short." }],
	calls: made.map(({ call }) => call),
};

const document = {
	...{
		object: "agent.step",
		run_id: RUN,
		index: 1,
		role: "subtask",
		subtask: "Send it",
		text: "Done.",
		truncated: false,
	},
	...{ output_hash: hash("Done."), input_hash: inputHashOf(SALT, known), exchange: exchangeOf(SALT, known) },
	...{ said: known.said, steering: known.steering, calls: made.map(({ shown }) => shown), salt: SALT },
};

const steps = [0, 1].map((index) => ({
	...{ index, model: "glm-5.2", cost_usd: 0.000123, confidence: 0.75, timestamp: "2026-11-28T22:00:00.000Z" },
	input_hash: index === 1 ? document.input_hash : hash("plan"),
	output_hash: index === 1 ? document.output_hash : hash("the plan"),
}));
const { output: _, ...bundle } = issueBundle(
	{ run_id: RUN, policy: "balanced", strategy: "single" },
	steps,
	"Done.",
	hash,
);
const verify_request = { ...bundle, salt: SALT };

const tool_calls = { requested: 10, allowed: 3, denied: 1, approved: 2, rejected: 1, expired: 2 };
function sealed(receipt: Record<string, unknown>) {
	const proof_hash = textHash(canonical(receipt));
	return { object: "proof", proof_hash, signature: key.sign(proof_hash), key_id: key.keyId, receipt };
}
const receipt = {
	...{ type: "svc.receipt.v2", kind: "agent", request_id: RUN, trajectory_proof: bundle.trajectory_proof, n_steps: 2 },
	...{ input_hash: hash("Send it."), output_hash: hash("Done."), tool_calls },
};

const entries: ChainEntry[] = [];
for (const { call } of made)
	if (call.approval)
		entries.push(
			chainEntry(
				entries.at(-1),
				{
					...plainHandoff(entries.length, "0123456789abcdef"),
					...{ action_kind: "review", from_tool: RUN, to_tool: call.approval.key_id },
					validation: [
						{ id: "action_digest", description: call.approval.digest },
						{ id: "decision", description: call.approval.decision },
					],
				},
				key,
			),
		);
const chain = {
	...{ object: "handoff.chain", workspace_id: "shop", count: entries.length, has_more: false },
	data: entries.map((entry) => ({ ...entry, signed: true })),
};

const whole = { verify_request, proof: sealed(receipt), exchanges: [document], chain };

async function check(file: object) {
	const findings = await checkTrajectory(JSON.parse(JSON.stringify(file)), [key.publicKey]);
	const lines = findings.map(renderFinding);
	return { holds: allHold(findings), lines, failed: lines.filter((line) => line.startsWith("FAIL")) };
}

describe("a run with tools", () => {
	it("holds with its exchange, the counts of its receipt and the handoffs of its approvals", async () => {
		const { holds, failed, lines } = await check(whole);
		expect([failed, holds]).toEqual([[], true]);
		expect(lines).toEqual(
			expect.arrayContaining([
				`ok    step 1: its exchange has the hash ${document.input_hash}; calls: 10, none ran that nobody let run`,
				"ok    tool calls: 10 requested, 3 allowed, 1 denied, 2 approved, 1 rejected, 2 expired, as the exchanges have them",
				`ok    step 1: approve of call call_2 by key key_approver: is handoff ${entries[0]?.id}`,
				`ok    step 1: reject of call call_4 by key key_approver: is handoff ${entries[2]?.id}`,
			]),
		);
	});

	it("holds as a file, on the command line and on the page", async () => {
		const text = JSON.stringify(whole, null, 2);
		expect(guessKind(text)).toBe("trajectory");
		const findings = await PROOF_KINDS.trajectory.check(text, { keys: [key.publicKey], checkpoint: null });
		expect([allHold(findings), findings.map(renderFinding)]).toEqual([true, (await check(whole)).lines]);
	});

	it("says what is not there: other exchanges, the chain, texts that are not kept", async () => {
		const none = await check({ verify_request, proof: sealed(receipt) });
		expect([none.holds, none.lines.filter((line) => line.includes("tool calls"))]).toEqual([
			true,
			[
				"note  tool calls: 10 requested, 3 allowed, 1 denied, 2 approved, 1 rejected, 2 expired, as the receipt says; the file has the exchanges of 0 of them",
			],
		]);
		const unlinked = await check({ ...whole, chain: undefined });
		expect([unlinked.holds, unlinked.lines.filter((line) => line.includes("approvals"))]).toEqual([
			true,
			["note  approvals: their handoffs are not looked up, for want of the workspace's chain"],
		]);
		const calls = document.calls.with(0, { ...document.calls[0], arguments: null, result: null, truncated: true });
		const unkept = await check({ ...whole, exchanges: [{ ...document, calls }] });
		expect([unkept.holds, unkept.lines.filter((line) => line.includes("are not in the file"))]).toEqual([
			true,
			["note  step 1: calls whose texts are not in the file: 1"],
		]);
	});

	/** No proof has these. What says so is a line of the check. */
	const UNPROVEN =
		/^(?:role|subtask|calls\.\d+\.(?:risk_score|reason|result_cut|tainted_by|unsourced|approval\.reason|approval\.self_approval))(?: \(left out\))?$/;

	it("is found out by every change of any member of its exchange, its calls and their approvals", async () => {
		const missed: string[] = [];
		const found = new Set<string>();
		for (const { path, copy } of changedCopies(document)) {
			const { holds, failed } = await check({ ...whole, exchanges: [copy] });
			if (holds && !UNPROVEN.test(path)) missed.push(path);
			if (failed.length > 0) found.add(path);
		}
		expect(missed).toEqual([]);
		expect(found.size).toBeGreaterThan(300);
		const { lines } = await check(whole);
		const named = lines.find((line) => line.startsWith("note  step 1: nothing proves"));
		expect(named).toBe(
			"note  step 1: nothing proves role, subtask, risk_score, reason, tainted_by, unsourced, result_cut, self_approval",
		);
	});

	it("is found out by every change of any member of its receipt, its steps and its handoffs", async () => {
		const missed: string[] = [];
		for (const { path, copy } of changedCopies(whole.proof))
			if ((await check({ ...whole, proof: copy })).holds) missed.push(`proof.${path}`);
		for (const { path, copy } of changedCopies(verify_request))
			if ((await check({ ...whole, verify_request: copy })).holds) missed.push(`verify_request.${path}`);
		for (const { path, copy } of changedCopies(chain.data))
			if ((await check({ ...whole, chain: { ...chain, data: copy } })).holds) missed.push(`chain.${path}`);
		// Left out, these say less, and another line says what is not shown.
		const saysLess = (path: string) => path.endsWith("(left out)") || path === "verify_request.step_proofs";
		expect(missed.filter((path) => !saysLess(path))).toEqual([]);
		expect(missed.filter((path) => path.includes("tool_calls"))).toEqual([]);
	});

	it("names each member that somebody added, wherever it stands, or does not hold", async () => {
		const silent: string[] = [];
		for (const { path, copy } of extendedCopies(whole)) {
			const { holds, lines } = await check(copy);
			const isNamed = lines.some((line) => /^note .*: nothing proves .*\badded\b/.test(line));
			// The arguments of a call are an object of the caller's, whose hash is told apart.
			if (holds && !isNamed) silent.push(path);
		}
		expect(silent).toEqual([]);
	});

	it("whose receipt stands alone says its counts, and is found out by every change of them", async () => {
		const lines = async (proof: object) => (await checkReceipt(proof, [key.publicKey])).map(renderFinding);
		expect(await lines(whole.proof)).toContain(
			"ok    tool calls: 10 requested, 3 allowed, 1 denied, 2 approved, 1 rejected, 2 expired",
		);
		for (const { path, copy } of changedCopies(receipt)) {
			const findings = await checkReceipt({ ...whole.proof, receipt: copy }, [key.publicKey]);
			expect([path, allHold(findings)]).toEqual([path, false]);
		}
		const odd = sealed({ ...receipt, tool_calls: { ...tool_calls, requested: "10" } });
		expect(await lines(odd)).toContain("FAIL  receipt: tool_calls are not the six counts");
	});

	it("whose receipt was signed with other counts does not hold", async () => {
		for (const { path, copy } of changedCopies(tool_calls)) {
			const { holds } = await check({ ...whole, proof: sealed({ ...receipt, tool_calls: copy }) });
			// More calls than the file has exchanges of are not refuted by it.
			expect([path, holds]).toEqual([path, path === "requested"]);
		}
		const { tool_calls: __, ...uncounted } = receipt;
		expect((await check({ ...whole, proof: sealed(uncounted) })).failed).toContain(
			"FAIL  receipt: counts no calls of tools",
		);
	});

	/** The file with one call changed, and everything hashed and signed anew: only its own sense can be wrong. */
	function reissued(place: number, change: (call: KnownCall) => KnownCall, also: object = {}) {
		const call = change(known.calls[place] as KnownCall);
		const calls = known.calls.with(place, call);
		const { arguments: ___, approval, ...others } = call;
		const shown = { ...document.calls[place], ...others, ...also } as Record<string, unknown>;
		shown["approval"] = approval;
		shown["is_error"] = call.result !== null && call.state !== "done";
		const input_hash = inputHashOf(SALT, { ...known, calls });
		const step = {
			...document,
			...{
				input_hash,
				exchange: exchangeOf(SALT, { ...known, calls }),
				calls: document.calls.with(place, shown as never),
			},
		};
		const changedSteps = steps.with(1, { ...(steps[1] as (typeof steps)[0]), input_hash });
		const run = { run_id: RUN, policy: "balanced", strategy: "single" };
		const { output: ____, ...issued } = issueBundle(run, changedSteps, "Done.", hash);
		const { tool_calls: counted, ...rest } = receipt;
		const proof = sealed({
			...rest,
			trajectory_proof: issued.trajectory_proof,
			tool_calls: { ...counted, requested: 11 },
		});
		return check({ verify_request: { ...issued, salt: SALT }, proof, exchanges: [step], chain });
	}

	it("that is hashed and signed, but ran what nobody let run, does not hold", async () => {
		const other = textHash("another action");
		const approve = { key_id: "key_approver", decision: "approve", at: "2026-11-28T22:00:00.000Z", digest: other };
		for (const [place, change, said] of [
			[1, (call) => ({ ...call, approval: null }), "call call_2: is done, though nobody let it run"],
			[
				1,
				(call) => ({ ...call, approval: approve }),
				`call call_2: was decided on as ${other}, which is another action`,
			],
			[4, (call) => ({ ...call, state: "done" }), "call call_5: is done, though nobody let it run"],
			[3, (call) => ({ ...call, state: "done" }), "call call_4: is done, though nobody let it run"],
			[5, (call) => ({ ...call, state: "done" }), "call call_6: is done, though nobody let it run"],
			[0, (call) => ({ ...call, state: "denied" }), "call call_1: is denied, though the policy decided otherwise"],
			[0, (call) => ({ ...call, event_id: null }), "call call_1: a decision and its event go together"],
			[0, (call) => ({ ...call, tool: "delete" }), "call call_1: its action has digest"],
			[1, (call) => ({ ...call, definition: textHash("changed since") }), "call call_2: its action has digest"],
		] satisfies [number, (call: KnownCall) => KnownCall, string][]) {
			const { failed } = await reissued(place, change);
			expect(failed.filter((line) => line.startsWith(`FAIL  step 1: ${said}`))).toHaveLength(1);
		}
		expect((await reissued(0, (call) => call)).failed).toEqual([]);
	});

	it("whose approval has no handoff of that key, run and action does not hold", async () => {
		const [first] = entries;
		const rejected = first?.validation.with(1, { id: "decision", description: "reject" }) ?? [];
		const changes = [{ action_kind: "edit" }, { from_tool: "agt_2" }, { to_tool: "key_2" }, { validation: [] }];
		for (const change of [...changes, { validation: rejected }]) {
			const others: ChainEntry[] = [];
			for (const [place, entry] of entries.entries())
				others.push(chainEntry(others.at(-1), place === 0 ? { ...entry, ...change } : entry, key));
			const { failed } = await check({ ...whole, chain: { ...chain, data: others } });
			expect(failed).toEqual(["FAIL  step 1: approve of call call_2 by key key_approver: has no handoff in the chain"]);
		}
	});

	it("is told from another's: another run, another step, twice the same, another salt", async () => {
		for (const [exchanges, said] of [
			[[{ ...document, run_id: "agt_2" }], "FAIL  step 1: is of run agt_2"],
			[[{ ...document, index: 0 }], "FAIL  step 0: has another input_hash"],
			[[{ ...document, index: 2 }], "FAIL  step 2: is of step 2, which the trajectory does not have"],
			[[document, document], "FAIL  exchanges: one of them stands twice in the file"],
			[[{ ...document, salt: SALT.replace("0f", "00") }], "FAIL  step 1: its salt is not the run's"],
			[["text"], "FAIL  step: is not what GET /v1/agent/{run_id}/steps/{index} answers"],
			[[{ calls: [] }], "FAIL  exchange: is not what GET /v1/agent/{run_id}/steps/{index} answers"],
		] satisfies [unknown[], string][]) {
			const { failed } = await check({ ...whole, exchanges });
			expect(failed.filter((line) => line.startsWith(said))).not.toEqual([]);
		}
	});
});
