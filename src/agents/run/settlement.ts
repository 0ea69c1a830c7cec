// A run's usage row and its unsigned receipt: final ones at its end, and interim ones before each batch of calls, which the meter
// records if the run's object dies. Pure.
import type { Catalog } from "../../catalog/catalog.ts";
import type { ComplianceGate } from "../../compliance/gate.ts";
import { keepAttempts } from "../../meter/call-attempt.ts";
import {
	type RequestEnd,
	type RequestError,
	type RequestFacts,
	type RequestNames,
	UNNAMED,
} from "../../meter/request-facts.ts";
import { mergeCallsByModel, type UsageCall, type UsageRow } from "../../meter/settlement.ts";
import { POLICY_MODE } from "../../orchestration/planner.ts";
import { usd } from "../../proof/money.ts";
import type { AgentReceipt, Outcome } from "../../proof/receipt.ts";
import { hashSalted } from "../../proof/salted.ts";
import { toGoalOutcome } from "../goal-outcome.ts";
import type { ToolRunState } from "../tools/tool-state.ts";
import { type StepCharge, sumChargesNanoUsd } from "./charges.ts";
import type { RunSpec, RunState, RunStep } from "./run.ts";
import type { EndStatus, RunEnd } from "./run-end.ts";

/** More calls are merged into one entry per model: a usage row must fit into the meter and into D1. */
const MAX_USAGE_CALLS = 2_000;
/** The same bound for interim usage, which is written before every batch of calls. */
const MAX_INTERIM_USAGE_CALLS = 50;

const OUTCOME_BY_STATUS: Readonly<Record<EndStatus, Outcome>> = {
	complete: "complete",
	budget_exhausted: "complete",
	max_steps_reached: "complete",
	cancelled: "client_closed",
	interrupted: "cut",
};

/** The parts of a run that its usage row and receipt are made from. */
export interface SettlementSource {
	spec: RunSpec;
	state: Pick<RunState, "trajectory" | "readers" | "refusedSteps"> & { tools?: Pick<ToolRunState, "counts"> };
	steps: readonly RunStep[];
	charges: readonly StepCharge[];
	end: Pick<RunEnd, "status" | "output" | "isCut" | "trajectoryProof">;
	/** The compliance policy in force on the goal; null without one. */
	gate: ComplianceGate | null;
	catalog: Catalog;
}

/** What the POST that started a run was answered with: the run, by its end or at once, or the failure of an interrupted one. */
const ANSWERED_STATUS = 200;
const ACCEPTED_STATUS = 202;
const INTERRUPTED_STATUS = 502;
const INTERRUPTED: RequestError = { code: "agent_error", message: "the run was interrupted" };

/** What is recorded of a run. */
interface DraftSettlement {
	usage: UsageRow;
	receipt: AgentReceipt;
	names: RequestNames;
}

/** The members of a receipt that tell of texts: no hash of a run that is not admitted yet, which has no salt. */
function textMembers({
	spec: { salt, goal },
	state,
	steps,
	end,
}: SettlementSource): Pick<AgentReceipt, "type" | "input_hash" | "output_hash" | "goal_outcome"> {
	return {
		type: "svc.receipt.v2",
		input_hash: salt === undefined ? null : hashSalted(salt, goal),
		output_hash: salt === undefined ? null : hashSalted(salt, end.output),
		goal_outcome: toGoalOutcome(goal, state, steps, end),
	};
}

/** A model where it was called: the catalog may have changed since, and not know it or have it elsewhere. Null where no call was billed. */
function findCalled(id: string, calls: readonly UsageCall[]): { id: string; provider: string }[] | null {
	const providers = new Set(calls.filter(({ model }) => model === id).map(({ provider }) => provider));
	return providers.size === 0 ? null : [...providers].map((provider) => ({ id, provider }));
}

function draftWithCalls(source: SettlementSource, atMs: number, maxCalls: number): DraftSettlement {
	const { spec, state, charges, end, gate, catalog } = source;
	const all = charges.flatMap(({ calls }) => calls);
	const calls = all.length > maxCalls ? mergeCallsByModel(all) : all;
	const costNanoUsd = sumChargesNanoUsd(charges);
	const estimated = charges.some((charge) => charge.estimated);
	const outcome = OUTCOME_BY_STATUS[end.status];
	const toModelRefs = (id: string) => findCalled(id, all) ?? [{ id, provider: catalog.findModel(id)?.provider ?? "" }];
	const intended = { model: spec.intendedModel, provider: catalog.findModel(spec.intendedModel)?.provider ?? "" };
	const last = all.at(-1) ?? intended;
	const receipt: AgentReceipt = {
		...textMembers(source),
		request_id: spec.runId,
		timestamp: new Date(atMs).toISOString(),
		outcome,
		estimated,
		cost_usd: usd(costNanoUsd),
		bound_usd: usd(spec.capNanoUsd),
		compliance: gate?.attest(state.readers.flatMap(toModelRefs)) ?? null,
		catalog_version: catalog.version,
		config_digest: spec.configDigest,
		kind: "agent",
		status: end.status,
		policy: spec.policy,
		strategy: state.trajectory.strategy,
		trajectory_proof: end.trajectoryProof,
		n_steps: state.trajectory.range.size,
		max_cost_usd: usd(spec.capNanoUsd),
		...(state.tools ? { tool_calls: { ...state.tools.counts } } : {}),
	};
	const usage: UsageRow = {
		request_id: spec.runId,
		user_id: spec.userId,
		api_key_id: spec.keyId,
		created_at: new Date(spec.startedAtMs).toISOString(),
		kind: "agent",
		model: last.model,
		provider: last.provider,
		mode: POLICY_MODE[spec.policy],
		tokens: calls.reduce((sum, { tokens }) => sum + tokens, 0),
		input_tokens: calls.reduce((sum, { input_tokens }) => sum + input_tokens, 0),
		cost_nano_usd: costNanoUsd,
		estimated,
		outcome,
		latency_ms: Math.max(0, atMs - spec.startedAtMs),
		fallback: false,
		calls,
	};
	return { usage, receipt, names: spec.names ?? UNNAMED };
}

/** Of a run that is over, with what its row says besides. */
export function draftSettlement(
	run: SettlementSource,
	atMs: number,
): Pick<DraftSettlement, "usage" | "receipt"> & { facts: RequestFacts; end: RequestEnd } {
	const { names, ...draft } = draftWithCalls(run, atMs, MAX_USAGE_CALLS);
	const { charges, spec } = run;
	const facts: RequestFacts = {
		...names,
		// The answer of a run is made of several.
		firstTokenMs: null,
		attempts: keepAttempts(charges.flatMap(({ attempts = [] }) => attempts)),
	};
	const isInterrupted = run.end.status === "interrupted";
	const status = spec.isBackground ? ACCEPTED_STATUS : isInterrupted ? INTERRUPTED_STATUS : ANSWERED_STATUS;
	return { ...draft, facts, end: { status, error: isInterrupted ? INTERRUPTED : null } };
}

/** Of a run under way, or one that is to be admitted, as if it ended now. */
export function draftInterimSettlement(run: SettlementSource, atMs: number): DraftSettlement {
	return draftWithCalls(run, atMs, MAX_INTERIM_USAGE_CALLS);
}
