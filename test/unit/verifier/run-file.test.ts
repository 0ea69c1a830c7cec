// What checking a saved run or step says. The files are the second implementation's: a run's answer, its receipt, the answers for its
// steps. Every change of any member is found, or the member is named as unproven.
import { describe, expect, it } from "vitest";
import { allHold, renderFinding } from "../../../src/verifier/findings.ts";
import { guessKind, PROOF_KINDS } from "../../../src/verifier/kinds.ts";
import { findLackingAnswers } from "../../../src/verifier/run-file.ts";
import { type ChangedCopy, changedCopies, extendedCopies, mixedCopies } from "../../support/changed-copies.ts";
import { signingKey } from "../../support/second-ed25519.ts";
import {
	actionDigestOf,
	definitionOf,
	exchangeOf,
	inputHashOf,
	type KnownCall,
} from "../../support/second-exchange.ts";
import { canonical, saltedHash, textHash } from "../../support/second-ledger.ts";
import { issueBundle } from "../../support/second-trajectory.ts";

const key = signingKey(Buffer.alloc(32, 7));
const definition = definitionOf({
	...{ name: "send", description: "Sends a mail.", parameters: { type: "object" }, strict: null, effects: "external" },
	...{ untrusted: false, private: false, commands: [], files: [], hosts: ["/to"], max_calls: null },
	...{ timeout_s: 600, quarantine: false },
});

/** A run with a plan and a step with tools, whose members differ from every other's. */
function aRun(name: string, salt: string, nanoUsd: number) {
	const run_id = `agt_01ARZ3NDEKTSV4RRFFQ69G5FA${name}`;
	const hash = (text: string) => saltedHash(salt, text);
	const policy = { manifest_digest: textHash(`manifest ${name}`), version: `7${name}` };
	const id = `call_${name}`;
	const args = `{"to":"${name}@example.org"}`;
	const action_digest = actionDigestOf(salt, {
		run_id,
		call_id: id,
		tool: "send",
		definition,
		arguments: args,
		policy,
	});
	const call: KnownCall = {
		...{ id, turn: 0, tool: "send", definition, arguments: args, decision: "approve", event_id: `ae_${name}` },
		...{
			approval: {
				key_id: `key_${name}`,
				decision: "approve",
				at: `2026-11-28T22:00:00.00${nanoUsd}Z`,
				digest: action_digest,
			},
		},
		...{ result: `sent ${name}`, state: "done" },
	};
	const known = {
		messages: [{ role: "user", content: `Send it, ${name}.` }],
		said: [{ turn: 0, text: `I send it, ${name}.` }],
		steering: [],
		calls: [call],
	};
	const output = `Done, ${name}.`;
	const input_hash = inputHashOf(salt, known);
	const shown = {
		...call,
		...{
			arguments: JSON.parse(args) as unknown,
			risk_score: nanoUsd,
			reason: `it sends ${name}`,
			tainted_by: [],
			unsourced: [],
			policy,
		},
		...{ action_digest, is_error: false, result_cut: false, truncated: false },
	};
	const step = {
		...{
			object: "agent.step",
			run_id,
			index: 1,
			role: "subtask",
			subtask: `Send ${name}`,
			text: output,
			truncated: false,
		},
		...{ output_hash: hash(output), input_hash, exchange: exchangeOf(salt, known), said: known.said, steering: [] },
		...{ calls: [shown], salt },
	};
	const plan = {
		...{ object: "agent.step", run_id, index: 0, role: "subtask", subtask: `Plan ${name}`, text: `1. Send ${name}` },
		...{ truncated: false, output_hash: hash(`1. Send ${name}`) },
	};
	const records = [0, 1].map((index) => ({
		...{ index, model: `model-${name}`, cost_usd: (nanoUsd + index) / 1e9, confidence: nanoUsd / 10 },
		...{ timestamp: `2026-11-28T22:00:0${index}.00${nanoUsd}Z` },
		input_hash: index === 1 ? input_hash : hash("plan it"),
		output_hash: index === 1 ? step.output_hash : plan.output_hash,
	}));
	const head = { run_id, policy: `policy ${name}`, strategy: `strategy ${name}` };
	const { trajectory_proof, step_proofs = [] } = issueBundle(head, records, output, hash);
	const tool_calls = { requested: 1, allowed: 0, denied: 0, approved: 1, rejected: 0, expired: 0 };
	const cost_usd = (2 * nanoUsd + 1) / 1e9;
	const max_cost_usd = (10 * nanoUsd) / 1e9;
	const ended = { status: `status ${name}`, goal_outcome: `outcome ${name}` };
	const receipt = {
		...{ type: "svc.receipt.v2", kind: "agent", request_id: run_id, trajectory_proof, n_steps: 2, ...ended },
		...{ input_hash: hash(`Goal ${name}`), output_hash: hash(output), tool_calls, cost_usd, max_cost_usd },
	};
	const proof_hash = textHash(canonical(receipt));
	const run = {
		...{ object: "agent.run", ...head, ...ended, sealed: true, created_at: `created ${name}`, workspace_id: name },
		...{ goal: `Goal ${name}`, plan: [`Send ${name}`], steps_taken: 2, cost_consumed_usd: cost_usd, max_cost_usd },
		...{ remaining_usd: (8 * nanoUsd - 1) / 1e9, trajectory_proof, output, tool_calls, salt, alerts: [name] },
		steps: records.map((record, place) => ({ ...record, role: `role ${name}`, step_proof: step_proofs[place] })),
	};
	const proof = {
		...{ object: "proof", request_id: run_id, kind: "agent", valid: true, recomputed_hash: proof_hash, signed: true },
		...{ proof_hash, signature: key.sign(proof_hash), key_id: key.keyId, receipt },
	};
	return { run, proof, plan, step };
}
type SavedRun = ReturnType<typeof aRun>;

const own = aRun("A", "000102030405060708090a0b0c0d0e0f", 4);
const other = aRun("B", "101112131415161718191a1b1c1d1e1f", 7);

/** Answers one after another, as `cat` joins them. */
const fileOf = (...answers: object[]) => answers.map((each) => `${JSON.stringify(each, null, 1)}\n`).join("");
const wholeFile = ({ run, proof, plan, step }: SavedRun) => fileOf(run, proof, plan, step);

async function check(text: string, keys = [key.publicKey]) {
	const kind = guessKind(text);
	if (!kind) throw new Error("the text is of no kind");
	const findings = await PROOF_KINDS[kind].check(text, { keys, checkpoint: null });
	const lines = findings.map(renderFinding);
	return { kind, holds: allHold(findings), lines, failed: lines.filter((line) => line.startsWith("FAIL")) };
}

/** The members that a note names: no proof has them. */
const namedIn = (lines: readonly string[]) =>
	new Set(lines.flatMap((line) => /^note {2}.*nothing proves (.*)$/.exec(line)?.[1]?.split(", ") ?? []));

/** The changes that neither fail nor touch a member that is named, before the change or after it. */
async function silentChanges(changes: readonly ChangedCopy<SavedRun>[]): Promise<string[]> {
	const unproven = namedIn((await check(wholeFile(own))).lines);
	const silent: string[] = [];
	for (const { path, copy } of changes) {
		const { holds, lines } = await check(wholeFile(copy));
		const named = [...unproven, ...namedIn(lines)].map((name) => name.replace(/^.*\./, ""));
		const members = path.replace(" (left out)", "").split(".");
		if (holds && !members.some((member) => named.includes(member))) silent.push(path);
	}
	return silent;
}

describe("a saved run", () => {
	it("holds with its receipt and its steps, in any order, and says what its receipt covers", async () => {
		const { run, proof, plan, step } = own;
		const { kind, holds, lines, failed } = await check(wholeFile(own));
		expect([kind, failed, holds]).toEqual(["run", [], true]);
		expect(lines).toEqual(
			expect.arrayContaining([
				`ok    root: ${run.run_id} chains to ${run.trajectory_proof}, as claimed`,
				`ok    goal: has the hash ${proof.receipt.input_hash}`,
				"note  run: nothing proves plan, created_at, workspace_id, alerts",
				`ok    step 0: its text has the hash ${plan.output_hash}`,
				`ok    step 1: its exchange has the hash ${step.input_hash}; calls: 1, none ran that nobody let run`,
				`ok    receipt: is of run ${run.run_id}`,
			]),
		);
		expect((await check(fileOf(step, proof, plan, run))).lines.toSorted()).toEqual(
			(await check(fileOf(run, proof, step, plan))).lines.toSorted(),
		);
		const beside = JSON.stringify({ ...run, proof, exchanges: [plan, step] });
		expect((await check(beside)).lines).toEqual(lines);
	});

	it("holds as the end of a stream, and not where the stream has none", async () => {
		const ends = `: working\n\nevent: progress\ndata: {"type":"planned"}\n\nevent: result\ndata: ${JSON.stringify(own.run)}\n\n`;
		const { kind, lines, failed } = await check(ends, []);
		expect([kind, failed]).toEqual(["run", []]);
		expect(lines).toEqual((await check(fileOf(own.run), [])).lines);
		expect((await check(ends.replaceAll("\n", "\r\n"), [])).lines).toEqual(lines);
		const { run, proof, plan } = own;
		const joined = await check(`${fileOf(plan)}${ends}${fileOf(proof)}`);
		expect([joined.failed, joined.lines.length]).toEqual([[], (await check(fileOf(run, proof, plan))).lines.length]);
		expect((await check(`${ends}${ends}`)).failed).toEqual([
			"FAIL  the file holds more than one run; save each run in a file of its own",
		]);
		for (const broken of [ends.replace("event: result", "event: error"), `${fileOf(proof, run)}event: progress\n`])
			expect((await check(broken)).failed).toEqual(["FAIL  the file is a stream that does not end with an answer"]);
	});

	it("is found out by every change of any member, or names it as unproven", async () => {
		expect(await silentChanges(changedCopies(own).filter(({ path }) => path.includes(".")))).toEqual([
			// The file says less without these: it is a bundle then, or its texts are not compared for want of the salt.
			...["object", "salt"].map((name) => `run.${name} (left out)`),
			// The answer around a receipt claims less without these.
			...["object", "request_id", "kind", "valid", "recomputed_hash", "signed"].map(
				(name) => `proof.${name} (left out)`,
			),
		]);
	});

	it("names each member that somebody added, or does not hold", async () => {
		const extended = extendedCopies(own)
			.filter(({ path }) => path !== "")
			.map(({ path, copy }) => ({ path: `${path}.added`, copy }));
		expect(extended.length).toBeGreaterThan(15);
		expect(await silentChanges(extended)).toEqual([]);
	});

	it("is told from another run's by each part that was swapped, or names it as unproven", async () => {
		const mixed = mixedCopies(own, other);
		expect(mixed.length).toBeGreaterThan(80);
		expect(await silentChanges(mixed)).toEqual([]);
	});

	it("that has not ended says so, and shows less", async () => {
		const open = { ...own.run, status: "requires_action", sealed: false };
		const { holds, lines } = await check(fileOf(open), []);
		expect(holds).toBe(true);
		expect(lines).toContain(
			"note  receipt: none yet; the run is requires_action, and is signed when it has ended for good",
		);
		expect(namedIn(lines)).toContain("tool_calls");
		expect((await check(fileOf(open))).holds).toBe(false);
	});

	it("does not hold beside another's receipt, twice in a file, or beside what belongs to no run", async () => {
		for (const [text, said] of [
			[fileOf(own.run, other.proof), `FAIL  receipt: is of agent ${other.run.run_id}, not of run ${own.run.run_id}`],
			[fileOf(own.run, other.run), "FAIL  the file holds more than one run"],
			[fileOf(own.run, { object: "list" }), "FAIL  the file holds an answer that belongs to no run"],
			[fileOf(own.run, { ...own.run, object: "agent.step" }), "FAIL  step: is not what"],
			[fileOf({ ...own.run, proof: own.proof }, own.proof), "FAIL  proof: stands twice in the file"],
			[`${fileOf(own.run)}{"object":`, "FAIL  the file is not valid JSON, in answer 2 of 2"],
			[fileOf({ ...own.run, steps: undefined }), "FAIL  the run cannot be read"],
		] as const) {
			const { failed } = await check(text);
			expect([said, failed.some((line) => line.startsWith(said))]).toEqual([said, true]);
		}
	});
});

describe("a saved step", () => {
	it("agrees with itself, and does not show whose it is", async () => {
		const { kind, holds, lines } = await check(fileOf(own.step), []);
		expect([kind, holds]).toEqual(["step", true]);
		expect(lines).toEqual([
			`ok    step 1: its exchange has the hash ${own.step.input_hash}; calls: 1, none ran that nobody let run`,
			"note  step 1: nothing proves role, subtask, risk_score, reason, tainted_by, unsourced, result_cut, self_approval",
			"note  run: none in the file; that its steps are of a run that the service signed is not shown",
		]);
		expect((await check(fileOf(own.step))).holds).toBe(false);
		const changed = { ...own.step, text: "Done, but otherwise." };
		expect((await check(fileOf(changed), [])).failed).toEqual(["FAIL  step 1: its text and output_hash do not agree"]);
	});

	it("without tools is compared under the run's salt, which it does not have itself", async () => {
		const text = fileOf(own.plan);
		const findings = await PROOF_KINDS.step.check(text, {
			...{ keys: [], checkpoint: null },
			texts: { salt: own.run.salt, input: null, output: null },
		});
		expect(findings.map(renderFinding)).toContain(`ok    step 0: its text has the hash ${own.plan.output_hash}`);
		expect((await check(text, [])).lines).toContain(
			"note  step 0: its text is not compared, for want of the run's salt",
		);
	});

	it("lacks its chain and its receipt, and a run its receipt", () => {
		const runId = own.run.run_id;
		expect(findLackingAnswers(fileOf(own.step))).toEqual({ runId, lacks: ["trajectory", "proof"] });
		expect(findLackingAnswers(fileOf(own.run))).toEqual({ runId, lacks: ["proof"] });
		expect(findLackingAnswers(wholeFile(own))).toEqual({ runId, lacks: [] });
		expect(findLackingAnswers(fileOf({ object: "list" }))).toBeNull();
	});
});
