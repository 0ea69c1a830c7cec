// What the run's object provides to a tool step. Pure.
import type { AuditEventRow } from "../../audit/event.ts";
import type { ComplianceGate } from "../../compliance/gate.ts";
import type { Mask } from "../../compliance/mask/mask.ts";
import type { Failure } from "../../failure.ts";
import type { PlanContext } from "../../inference/caller.edge.ts";
import type { SpendGuard } from "../guard.ts";
import type { RunEvent } from "../run/run-event.ts";
import type { OpenStepCharge, StoredRun } from "../run/stored-run.edge.ts";
import type { StepRules } from "../step-pricer.edge.ts";

export interface LoopContext {
	env: Env;
	run: StoredRun;
	guard: SpendGuard;
	/** Account and settings, with current prices. */
	planContext(): PlanContext;
	rules: StepRules;
	/** Of all that the run has read so far; null where nothing is masked. */
	mask: Mask | null;
	/** The gate of the run's calls that covers texts which are about to be read, too. */
	gateWith(texts: readonly string[]): Promise<ComplianceGate | null>;
	record(charge: OpenStepCharge): Promise<boolean>;
	report(event: RunEvent): void;
	/** Adds an audit event. Called within a transaction. */
	queueEvent(event: AuditEventRow): void;
	/** Leaves the audit event of a step that compliance keeps from every model. */
	recordRefusal(refusal: Failure): Promise<void>;
}
