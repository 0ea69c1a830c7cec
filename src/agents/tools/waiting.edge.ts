// A run's waiting for somebody, as its object does it: it pauses the run, lets pendings expire, and lets the run go on under today's
// rules and what its key's budget leaves by then. Nothing is open upstream meanwhile. resolving.edge.ts takes the answers.
//
// Crash order: the reservation is lowered before the pause is stored, and raised before the run goes on. An object that dies in
// between does the same again. `wait.sinceMs` is set from the pause until the reservation has been raised again, so that no turn is
// made on a lowered hold.
import { ulid } from "ulid";
import { database } from "../../db/client.edge.ts";
import { hasLiveSuccessor } from "../../keys/key-origins.store.ts";
import type { BudgetRoom } from "../../meter/meter-calls.ts";
import { meterClient } from "../../meter/meter-client.edge.ts";
import { canonicalJson } from "../../proof/canonical.ts";
import { textHash } from "../../proof/salted.ts";
import type { GuardState } from "../guard.ts";
import { listCharges, sumChargesNanoUsd } from "../run/charges.ts";
import { lowerCap, resumedState } from "../run/interruption.ts";
import type { RunMoney } from "../run/money.edge.ts";
import type { RunState } from "../run/run.ts";
import type { StoredRun } from "../run/stored-run.edge.ts";
import { planDigest } from "./action.ts";
import { readArguments } from "./arguments.ts";
import { expireCall, isOver } from "./call-states.ts";
import type { PendingView } from "./pending.ts";
import { fillResult } from "./results.ts";
import type { ToolCall } from "./tool-call.ts";
import { withCounts } from "./tool-state.ts";
import { NO_WAIT, type PlanWait, type RunWait } from "./wait-state.ts";
import {
	createPending,
	hasExpiry,
	isAtRest,
	isPaused,
	lastMs,
	listPendings,
	needsPlanApproval,
	needsSomebody,
	nextDueMs,
	openPlan,
	planArguments,
	toKept,
} from "./waiting.ts";

/** A version of a key that no change of it reaches: only whether it is revoked is asked. */
const ANY_VERSION = Number.MAX_SAFE_INTEGER;

const REVOKED_TEXT = "the key that began it was revoked while it waited; an owner may resume it";
const TOO_LONG_TEXT = "it lasted 30 days, the most that a run may last";

const EXPIRED_TEXTS = {
	client_tool: "No result of this call came in time. Whether the tool has run is not known.",
	input: "The user did not answer in time.",
	approval: "Nobody approved this call in time. It did not run.",
} as const;

const SETTLED_TEXT = "its reservation ended while it waited";

/** What the run's object provides. */
export interface WaitingOwner {
	money: RunMoney;
	/** Sets the object's alarm. The earlier time wins. */
	arm(atMs: number): void;
	/** Stores the state of a run that waits, with its row for lists. @param told whether its webhook has news to tell. */
	storePause(run: StoredRun, state: RunState, told: { isNews: boolean }): Promise<void>;
	/** Stores the state of a run that goes on, with its row for lists, which waits for the next one a little. */
	storeGoingOn(run: StoredRun, state: RunState): void;
	/** The run stands still: whoever waits for it is answered. */
	reportRest(run: StoredRun): Promise<void>;
	/** What is to be done could not be done now: it is tried again. */
	reportUnsettled(): void;
	/** Whether money covers the run's next turn, where a turn is next. */
	canTurn(run: StoredRun, guard: GuardState): Promise<boolean>;
}

/** What looking after a run came to: it stands still, or its next action may be executed. */
type WaitOutcome = "rests" | "may_go_on";

/** What the state of a run keeps of its waiting once it goes on. */
function toAwake({ wait }: RunState): RunWait {
	return { ...(wait ?? NO_WAIT), sinceMs: null, kept: null, stalled: null };
}

const toSpentNanoUsd = (run: StoredRun) => sumChargesNanoUsd(listCharges(run));

/** The worst case of one more turn, as far as it is known while the run waits; at least something, because no call is free. */
function leastTurnNanoUsd({ tools }: RunState): number {
	return Math.max(1, tools?.open?.turnNanoUsd ?? 0);
}

/** Whether a model is asked to read a result: a tool's that is in quarantine. */
function hasPaidReading({ spec, calls }: StoredRun): boolean {
	const names = (spec.tools ?? []).flatMap((tool) => (tool.kind === "client" && tool.isQuarantined ? tool.name : []));
	return calls.some((call) => isOver(call) && !call.isRead && names.includes(call.tool));
}

/** Whether a waiting run's reservation is to be written: it would end too early, or holds a turn that it holds no longer. */
function needsKeeping(kept: RunWait["kept"], due: NonNullable<RunWait["kept"]>): boolean {
	return kept === null || kept.untilMs < due.untilMs || (kept.holdsTurn && !due.holdsTurn);
}

/** The state after calls have changed: the service looks at them next. */
export function withJudging(state: RunState, calls: readonly ToolCall[]): RunState {
	const { tools } = state;
	if (!tools) return state;
	return { ...state, tools: { ...withCounts(tools, calls), open: tools.open && { ...tools.open, phase: "judge" } } };
}

/** What a run waits for, with the arguments of its calls and of its plan. */
export async function showPendings(env: Env, run: StoredRun): Promise<PendingView[]> {
	await run.toolCalls.openTexts(env, run.spec.userId);
	const toArguments = (pendingId: string) => {
		const call = run.calls.find(({ pending }) => pending?.id === pendingId);
		if (!call) return planArguments(run);
		const read = readArguments(run.toolCalls.texts(call.id).arguments);
		return read.ok ? read.value : null;
	};
	return listPendings(run).map((pending) => ({ ...pending, arguments: toArguments(pending.id) }));
}

export class RunWaiting {
	#env: Env;
	#owner: WaitingOwner;

	constructor(env: Env, owner: WaitingOwner) {
		this.#env = env;
		this.#owner = owner;
	}

	/** Does what is due of a run's waiting. To be called before each action. */
	async advance(run: StoredRun): Promise<WaitOutcome> {
		if (run.state.isCancelled || run.state.fault !== null) return "may_go_on";
		const nowMs = Date.now();
		if (isPaused(run) && nowMs >= lastMs(run.spec)) {
			// It is signed at once: nobody can resume it.
			run.saveState({ ...run.state, fault: TOO_LONG_TEXT, resumableUntilMs: nowMs });
			return "may_go_on";
		}
		if (isPaused(run) && (await this.isRevoked(run))) {
			run.saveState({ ...run.state, fault: REVOKED_TEXT, wait: toAwake(run.state) });
			return "may_go_on";
		}
		if (hasExpiry(run, nowMs)) await this.#expire(run, nowMs);
		if (needsPlanApproval(run)) this.#askForPlan(run);
		if (needsSomebody(run)) return this.#pause(run);
		if (!isPaused(run) || run.state.isCancelled) return "may_go_on";
		// Judging costs nothing, and what it dispatches may be waited for again.
		if (run.state.tools?.open?.phase === "judge" && !hasPaidReading(run)) return "may_go_on";
		return run.state.wait?.stalled ? this.#pause(run) : this.#goOn(run);
	}

	#askForPlan(run: StoredRun): void {
		const { spec, state } = run;
		const { id, createdAtMs, expiresAtMs } = createPending(spec, { id: `pnd_${ulid()}`, kind: "approval" }, Date.now());
		const shown = textHash(spec.salt)(canonicalJson(planArguments(run)));
		const digest = planDigest(spec.runId, shown);
		const plan = { id, createdAtMs, expiresAtMs, digest, end: null, resolution: null, approval: null };
		run.saveState({ ...state, wait: { ...(state.wait ?? NO_WAIT), plan } });
	}

	/** Keeps a run that waits: its reservation, its row, its webhook, and when it is looked after next. */
	async #pause(run: StoredRun): Promise<WaitOutcome> {
		const nowMs = Date.now();
		const due = toKept(run, nowMs);
		const mustKeep = needsKeeping(run.state.wait?.kept ?? null, due);
		if (mustKeep && !(await this.#keep(run, due))) return this.#handleLostReservation(run);
		// Somebody may have answered meanwhile. The reservation is lowered all the same, and the state must say so.
		const wait = run.state.wait ?? NO_WAIT;
		const told = listPendings(run).map(({ id }) => id);
		const isNews = told.some((id) => !wait.told.includes(id));
		const hasChanged = isNews || told.length !== wait.told.length || wait.sinceMs === null;
		const next: RunWait = { ...wait, sinceMs: wait.sinceMs ?? nowMs, kept: mustKeep ? due : wait.kept, told };
		const state = { ...run.state, wait: next };
		if (hasChanged) await this.#owner.storePause(run, state, { isNews });
		// Lists show nothing of what it holds.
		else if (mustKeep) run.saveState(state);
		if (isAtRest(run)) {
			this.#owner.arm(nextDueMs(run));
			await this.#owner.reportRest(run);
		} else this.#owner.arm(Date.now());
		return "rests";
	}

	/** Writes what a waiting run holds; false when that failed. */
	async #keep(run: StoredRun, { untilMs, holdsTurn }: NonNullable<RunWait["kept"]>): Promise<boolean> {
		const { money } = this.#owner;
		const turnNanoUsd = holdsTurn ? leastTurnNanoUsd(run.state) : 0;
		const holdNanoUsd = Math.min(run.state.guard.capNanoUsd, toSpentNanoUsd(run) + turnNanoUsd);
		return money.keepOpen(run, await money.gateFor(run), untilMs, holdNanoUsd);
	}

	/** The reservation could not be written: it is tried again, unless the meter has settled the run by itself. */
	async #handleLostReservation(run: StoredRun): Promise<WaitOutcome> {
		if (await this.#owner.money.isSettled(run)) {
			run.saveState({ ...run.state, fault: SETTLED_TEXT });
			return "may_go_on";
		}
		this.#owner.reportUnsettled();
		return "rests";
	}

	/**
	 * Whether the key that began the run has been revoked, with those that took its place by rotation, and nobody who may has let the run
	 * go on since.
	 */
	async isRevoked({ spec: { userId, keyId }, state }: StoredRun): Promise<boolean> {
		if (!state.wait || state.wait.isVouchedFor) return false;
		const meter = meterClient(this.#env.ACCOUNT_METER, userId);
		if ((await meter.keyStanding(keyId, ANY_VERSION)) !== "revoked") return false;
		return !(await hasLiveSuccessor(database(this.#env.DB), userId, keyId));
	}

	/** Lets a run whose key was revoked while it waited go on once it is answered: an owner resumes it. What it waits for is kept. */
	async vouchFor(run: StoredRun): Promise<void> {
		if (!isPaused(run) || !(await this.isRevoked(run))) return;
		const { wait } = run.state;
		if (wait && isPaused(run)) run.saveState({ ...run.state, wait: { ...wait, isVouchedFor: true } });
	}

	/** Lets a run go on for which everything is resolved, under today's rules and what its key's budget leaves. */
	async #goOn(run: StoredRun): Promise<WaitOutcome> {
		const { spec } = run;
		const { money } = this.#owner;
		const rules = await money.serverRules(run);
		const room = await meterClient(this.#env.ACCOUNT_METER, spec.userId).room(spec.runId);
		if (room && !(await this.#leavesTurn(run, room))) {
			run.saveState({ ...run.state, wait: { ...(run.state.wait ?? NO_WAIT), stalled: room.budget } });
			return this.#pause(run);
		}
		const limits = [rules.maxCostNanoUsd, room?.mostNanoUsd].flatMap((nanoUsd) => nanoUsd ?? []);
		const limited = { ...rules, maxCostNanoUsd: limits.length > 0 ? Math.min(...limits) : null };
		const { capNanoUsd } = lowerCap(run.state, limited.maxCostNanoUsd);
		if (!(await money.keepOpen(run, await money.gateFor(run), Date.now(), capNanoUsd)))
			return this.#handleLostReservation(run);
		// Somebody may have cancelled it meanwhile.
		if (run.state.isCancelled) return "may_go_on";
		const state = resumedState(spec, run.state, run.steps, limited, (id) => money.isKnownModel(id));
		this.#owner.storeGoingOn(run, { ...state, wait: toAwake(run.state) });
		return "may_go_on";
	}

	/** Whether the key's budget leaves a turn. Where it is the run's own money that does not, the run goes on, and ends with what it has. */
	async #leavesTurn(run: StoredRun, { mostNanoUsd }: BudgetRoom): Promise<boolean> {
		if (mostNanoUsd <= toSpentNanoUsd(run)) return false;
		const { guard } = run.state;
		const lowered = lowerCap(run.state, mostNanoUsd);
		if (lowered.capNanoUsd === guard.capNanoUsd) return true;
		return (await this.#owner.canTurn(run, lowered)) || !(await this.#owner.canTurn(run, guard));
	}

	/** Ends the pendings whose time is over: an approval and a plan are rejected, what others were to say becomes an error result. */
	async #expire(run: StoredRun, nowMs: number): Promise<void> {
		const isDue = (expiresAtMs: number | undefined) => expiresAtMs !== undefined && expiresAtMs <= nowMs;
		const plan = openPlan(run.state);
		if (plan && isDue(plan.expiresAtMs)) this.#endPlan(run, plan, { end: "expired" });
		for (;;) {
			const due = run.calls.filter(({ pending }) => isDue(pending?.expiresAtMs));
			if (due.length === 0) return;
			await this.#expireCalls(run, due, nowMs);
		}
	}

	#endPlan(run: StoredRun, plan: PlanWait, { end }: { end: "expired" | "closed" }): void {
		const wait: RunWait = { ...(run.state.wait ?? NO_WAIT), plan: { ...plan, end } };
		run.saveState({ ...run.state, wait, ...(end === "expired" ? { isCancelled: true } : {}) });
	}

	/** Gives calls their error results. Where one of them was answered meanwhile, nothing is stored. */
	async #expireCalls(run: StoredRun, due: readonly ToolCall[], nowMs: number): Promise<void> {
		const { spec, toolCalls } = run;
		await toolCalls.openTexts(this.#env, spec.userId);
		const ended = due.map((call) => {
			const said = EXPIRED_TEXTS[call.pending?.kind ?? "client_tool"];
			const { texts, mark } = fillResult(toolCalls.texts(call.id).arguments, said, true, textHash(spec.salt));
			return { call: { ...expireCall(call, mark, nowMs), isRead: true }, texts };
		});
		const sealed = await toolCalls.seal(this.#env, spec.userId, due[0]?.step ?? 0, { calls: ended });
		if (due.some((call) => toolCalls.find(call.id) !== call)) return;
		run.saveCalls(withJudging(run.state, toolCalls.after(ended.map(({ call }) => call))), sealed);
	}

	/** Closes the plan of a run that ends without a decision on it. Calls are closed with their step. */
	close(run: StoredRun): void {
		const plan = openPlan(run.state);
		if (plan) this.#endPlan(run, plan, { end: "closed" });
	}
}
