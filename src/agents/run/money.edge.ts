// A run's money. What a step may cost is written into the run's reservation at the meter before it is spent. At the end the run is
// sealed, stored and settled, once. If the meter has settled the run by itself, that settlement stands.
import { PLANS } from "../../catalog/plans.ts";
import type { ComplianceGate } from "../../compliance/gate.ts";
import type { CompliancePolicy } from "../../compliance/policy.ts";
import {
	maskedClasses,
	type PolicyLevels,
	readsInferred,
	requiresZeroRetention,
	toPolicyLevels,
} from "../../compliance/policy-levels.ts";
import { database } from "../../db/client.edge.ts";
import type { Failure } from "../../failure.ts";
import { logError } from "../../http/log.edge.ts";
import { Timings } from "../../http/timings.ts";
import type { PlanContext } from "../../inference/caller.edge.ts";
import { withTextField } from "../../inference/client-fields.ts";
import { recordRefusal } from "../../inference/record-refusal.edge.ts";
import { optionalMember } from "../../json.ts";
import { requireSettings } from "../../load-settings.edge.ts";
import { meterClient } from "../../meter/meter-client.edge.ts";
import type { Reservation, Settlement, StoredReceipt } from "../../meter/settlement.ts";
import type { StoredWrite } from "../../meter/stored-bytes.ts";
import { sealReceipt } from "../../proof/receipt.ts";
import type { Settings } from "../../settings.ts";
import type { ProviderKeyState } from "../../telemetry/metric-store.edge.ts";
import { noteProviderKey } from "../../telemetry/metrics-client.edge.ts";
import { type TraceOpener, traceOpener } from "../../telemetry/request-trace.edge.ts";
import { type OpenFunds, openFunds } from "../../usage/funds.edge.ts";
import { keepsTexts, keepTexts } from "../../usage/kept-texts.edge.ts";
import { findReceipt } from "../../usage/receipt-lookup.edge.ts";
import { type GoalTexts, gateForGoal } from "../goal-gate.edge.ts";
import { toCountedCalls } from "../tools/call-telemetry.ts";
import { listOutsideTexts } from "../tools/step-history.ts";
import { toToolDefinition } from "../tools/tool-definition.ts";
import { listCharges, sumChargesNanoUsd } from "./charges.ts";
import { runFromReceipt } from "./receipt.ts";
import { resumeRules } from "./resume-rules.edge.ts";
import type { ResumeRules, RunSpec } from "./run.ts";
import { toRunEnd } from "./run-end.ts";
import { bestOutput, currentProof } from "./run-output.ts";
import { type TellText, toRunTelemetry } from "./run-telemetry.ts";
import { draftInterimSettlement, draftSettlement, type SettlementSource } from "./settlement.ts";
import type { OpenStepCharge, SettledRun, StoredRun } from "./stored-run.edge.ts";

/** Time for the next try to record its own charge, after a wait. */
const WAIT_MARGIN_MS = 60_000;

export class RunMoney {
	#env: Env;
	#loaded: Settings | null = null;
	#openTrace: TraceOpener | null = null;
	#waitUntil: (work: Promise<unknown>) => void;
	/** The gates on the run's goal by their policies, kept because it is scanned only once for each, and with each text that the run reads. */
	#gates = new Map<PolicyLevels, { gate: Promise<ComplianceGate | null>; count: number }>();

	constructor(env: Env, waitUntil: (work: Promise<unknown>) => void) {
		this.#env = env;
		this.#waitUntil = waitUntil;
	}

	/**
	 * Loads the settings of the run's next action. What is done before that throws.
	 * @throws StorageUnavailableError, MisconfiguredError.
	 */
	async loadSettings(): Promise<void> {
		const settings = await requireSettings(this.#env);
		this.#openTrace = await traceOpener({ env: this.#env, waitUntil: this.#waitUntil, isLast: true });
		// The gates read the providers that they were made with.
		if (this.#loaded !== settings) this.#gates.clear();
		this.#loaded = settings;
	}

	get #settings(): Settings {
		if (!this.#loaded) throw new Error("the settings are loaded before an action");
		return this.#loaded;
	}

	#noteKey = (state: ProviderKeyState) => noteProviderKey({ env: this.#env, waitUntil: this.#waitUntil }, state);

	#meter = (userId: string) => meterClient(this.#env.ACCOUNT_METER, userId);

	#funds({ userId, runId: requestId }: RunSpec): OpenFunds {
		const db = database(this.#env.DB);
		return openFunds({ account: { userId }, requestId, waitUntil: this.#waitUntil, db, meter: this.#meter });
	}

	/** Account and settings of the run's calls, with current prices. */
	planContext({ planId, userId, runId, trace, startedAtMs: arrivedAtMs }: RunSpec): PlanContext {
		const account = { plan: PLANS[planId], userId };
		const tracing = trace && this.#openTrace?.(trace.parent).calls(runId);
		const context = { account, settings: this.#settings, startedAtMs: Date.now(), arrivedAtMs };
		return { ...context, ...(tracing ? { tracing } : {}), noteKey: this.#noteKey };
	}

	/** The gate on all that came into a run. @param more texts that are about to be read. */
	async #gateForLevels(
		run: StoredRun,
		levels: PolicyLevels | null,
		more: readonly string[] = [],
	): Promise<ComplianceGate | null> {
		if (!levels) return null;
		const { userId: user } = run.spec;
		const texts = await this.#goalTexts(run, more);
		const known = this.#gates.get(levels);
		const count = texts.texts?.length ?? 0;
		if (more.length === 0 && known?.count === count) return known.gate;
		const gate = gateForGoal(texts, levels, this.#settings, { user, signal: null });
		if (more.length === 0) this.#gates.set(levels, { gate, count });
		return gate;
	}

	/** What came into a run: its goal, its tools, and what they have returned. */
	async #goalTexts(run: StoredRun, more: readonly string[]): Promise<GoalTexts> {
		const { goal, tools = [], outputSchema, userId } = run.spec;
		const form = optionalMember("outputSchema", outputSchema);
		if (tools.length === 0) return { goal, ...form };
		await run.toolCalls.openTexts(this.#env, userId);
		return { goal, tools: tools.map(toToolDefinition), ...form, texts: [...listOutsideTexts(run), ...more] };
	}

	/** The compliance gate on what came into the run by its own policy, which its receipt attests; null without one. */
	gateFor(run: StoredRun): Promise<ComplianceGate | null> {
		return this.#gateForLevels(run, run.spec.compliance);
	}

	/** The gate that masks what either of two gates on a goal masks, including what is inferred if either asks for that. */
	async #gateWithMaskOf(
		run: StoredRun,
		own: ComplianceGate,
		today: ComplianceGate,
		more: readonly string[],
	): Promise<ComplianceGate | null> {
		const { userId: user } = run.spec;
		const [first, second] = [own, today].map(({ levels }) => maskedClasses(levels));
		const mask_data_classes = [...new Set([...(first ?? []), ...(second ?? [])])];
		const isInferred = [own, today].some(({ levels }) => readsInferred(levels));
		const operator: CompliancePolicy = { mask_data_classes, ...(isInferred ? { detect: "inferred" } : {}) };
		const texts = await this.#goalTexts(run, more);
		return gateForGoal(texts, toPolicyLevels({ operator }), this.#settings, { user, signal: null });
	}

	/** The gate for the run's calls: after a resumption, a model must satisfy both the run's policy and the server's. */
	async callGateFor(run: StoredRun, more: readonly string[] = []): Promise<ComplianceGate | null> {
		const own = await this.#gateForLevels(run, run.spec.compliance, more);
		const today = await this.#gateForLevels(run, run.state.resumeRules?.compliance ?? null, more);
		if (!own || !today) return own ?? today;
		const objectionsTo: ComplianceGate["objectionsTo"] = (model) => [
			...own.objectionsTo(model),
			...today.objectionsTo(model),
		];
		const { mask = null } = (await this.#gateWithMaskOf(run, own, today, more)) ?? {};
		return {
			...own,
			mask,
			objectionsTo,
			reasonsAgainst: (model) => objectionsTo(model).map(({ reason }) => reason),
			// The run's own policy let it start. What today's excludes is today's refusal.
			explain: (models) => {
				const excluded = [...models];
				const isByToday = excluded.some((model) => today.objectionsTo(model).length > 0);
				return (isByToday ? today : own).explain(excluded);
			},
		};
	}

	/** Leaves the audit event of a refusal by compliance inside the run, under the run's id. */
	recordRefusal({ spec, state }: StoredRun, refusal: Failure): Promise<void> {
		return recordRefusal(withTextField(refusal, "goal"), {
			account: spec,
			requestId: spec.runId,
			log: { endpoint: state.resumeRules ? "resume_agent_run" : "start_agent_run" },
			meter: this.#meter,
		});
	}

	/** Whether the catalog has a model. */
	isKnownModel(id: string): boolean {
		return this.#settings.catalog.findModel(id) !== undefined;
	}

	/** The server's rules of today, for a run that goes on after it has waited. @throws when they cannot be read. */
	async serverRules({ spec }: StoredRun): Promise<ResumeRules> {
		const context = { env: this.#env, settings: this.#settings, account: { key: { rules: null } } };
		const rules = await resumeRules(context, spec.goal);
		if (!rules.ok) throw new Error(`the server's rules cannot be read: ${rules.failure.reason}`);
		return rules.value;
	}

	/** Whether the meter has settled the run by itself. */
	async isSettled({ spec }: StoredRun): Promise<boolean> {
		return (await this.#findReceipt(spec)) !== null;
	}

	/** The run as it would be settled if it ended now. */
	#toSettlementSource(run: StoredRun, gate: ComplianceGate | null): SettlementSource {
		const { spec, state, steps } = run;
		const charges = listCharges(run);
		const end = {
			status: "interrupted" as const,
			output: bestOutput(state, steps),
			trajectoryProof: currentProof(spec, state, steps),
		};
		return { spec, state, steps, charges, end, gate, catalog: this.#settings.catalog };
	}

	/** Stores what the step under way may cost, then writes it into the run's reservation; false when that failed. */
	record(run: StoredRun, open: OpenStepCharge, gate: ComplianceGate | null): Promise<boolean> {
		run.saveOpenCharge(open);
		const readers = [...new Set([...run.state.readers, ...open.readers])];
		const source = {
			...this.#toSettlementSource(run, gate),
			state: { ...run.state, readers },
			charges: [...listCharges(run), open],
		};
		const spentNanoUsd = sumChargesNanoUsd(listCharges(run)) + open.billedNanoUsd;
		const { expiresAtMs } = open;
		const draft = draftInterimSettlement(source, Date.now());
		const holdNanoUsd = run.state.guard.capNanoUsd;
		return this.#extend(run, { ...draft, expiresAtMs, spentNanoUsd, holdNanoUsd });
	}

	/**
	 * Keeps the reservation open while nothing is called. If that fails, the next charge cannot be recorded.
	 * @param holdNanoUsd what the budget of the run's key holds meanwhile: by default all that the run may cost.
	 */
	keepOpen(
		run: StoredRun,
		gate: ComplianceGate | null,
		untilMs: number,
		holdNanoUsd: number = run.state.guard.capNanoUsd,
	): Promise<boolean> {
		const draft = draftInterimSettlement(this.#toSettlementSource(run, gate), Date.now());
		const spentNanoUsd = sumChargesNanoUsd(listCharges(run));
		const expiresAtMs = untilMs + WAIT_MARGIN_MS;
		return this.#extend(run, { ...draft, expiresAtMs, spentNanoUsd, holdNanoUsd });
	}

	async #extend(run: StoredRun, reservation: Reservation): Promise<boolean> {
		return (await this.#funds(run.spec).extend(reservation)) === "extended";
	}

	/** Stores the sealed settlement, so that settling can be repeated with the same bytes. */
	async seal(run: StoredRun): Promise<void> {
		const { signer } = this.#settings;
		const gate = await this.gateFor(run);
		const end = toRunEnd(run.spec, run.state, run.steps, run.charges);
		const draft = draftSettlement({ ...this.#toSettlementSource(run, gate), end }, Date.now());
		const toolCalls = run.calls.length > 0 ? { toolCalls: toCountedCalls(run) } : {};
		const settlement = { ...draft, ...toolCalls, receipt: await sealReceipt(draft.receipt, signer) };
		run.savePendingSettlement({ end, settlement });
	}

	/**
	 * Settles a sealed run; null when the outcome is unknown so far. May be repeated.
	 * @param stored what is stored at its end beside what was counted when it started.
	 */
	async settle(run: StoredRun, stored: StoredWrite): Promise<SettledRun | null> {
		const { spec, state, steps, pendingSettlement } = run;
		if (!pendingSettlement) throw new Error("a run is sealed before it is settled");
		const { end, settlement } = pendingSettlement;
		if (await this.#funds(spec).settle(settlement, stored)) {
			const tell = await this.#tellText(run);
			this.#trace(run, settlement, end.output, tell);
			await this.#keepTexts(spec, end.output, tell);
			return { end, state, steps };
		}
		const receipt = await this.#findReceipt(spec).catch(() => null);
		if (!receipt) return null;
		if (receipt.proof_hash === settlement.receipt.proof_hash) return { end, state, steps };
		return runFromReceipt({ state, steps }, receipt);
	}

	/** Masks texts of a run that are kept or told; null where none may be: by a policy, or because its mask is not known. Never throws. */
	async #tellText(run: StoredRun): Promise<TellText | null> {
		const { spec, state } = run;
		const isKept = keepsTexts(this.#settings, { logsTexts: spec.logsTexts ?? false });
		if (!isKept && !this.#settings.telemetry.hasContent) return null;
		const policies = [spec.compliance, state.resumeRules?.compliance].flatMap((levels) => levels ?? []);
		if (policies.some(requiresZeroRetention)) return null;
		try {
			const mask = (await this.callGateFor(run))?.mask;
			return (text) => mask?.maskText(text) ?? text;
		} catch (error) {
			logError("texts_not_told", error, { request_id: spec.runId });
			return null;
		}
	}

	/** Keeps goal and output where the run's key and the operator want that. Never throws. */
	async #keepTexts(spec: RunSpec, output: string, tell: TellText | null): Promise<void> {
		const { goal, runId: requestId, userId } = spec;
		const isWanted = keepsTexts(this.#settings, { logsTexts: spec.logsTexts ?? false });
		if (!isWanted || goal === "" || !tell) return;
		await keepTexts(this.#env, { userId, requestId }, this.#settings, { input: tell(goal), output: tell(output) });
	}

	/** Hands over the spans of a run that is settled. */
	#trace(
		{ spec, calls, charges, steps }: StoredRun,
		settlement: Settlement,
		output: string,
		tell: TellText | null,
	): void {
		const { trace } = spec;
		if (!trace || !this.#openTrace) return;
		const opened = this.#openTrace(trace.parent);
		const told = opened.hasContent ? tell : null;
		opened.handRequest(() => toRunTelemetry(settlement, { spec, calls, charges, steps, output }, trace, told));
	}

	/** The receipt that the run was settled with; null while it is not settled. */
	#findReceipt({ userId, runId }: RunSpec): Promise<StoredReceipt | null> {
		const timings = new Timings(Date.now(), () => Date.now());
		return findReceipt({ db: database(this.#env.DB), meter: this.#meter, timings }, userId, runId);
	}
}
