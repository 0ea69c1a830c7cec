// What a step could be: who may take part at an intensity, by which strategy, and what that costs at most. Nothing is called.
import { ok, type Result } from "../failure.ts";
import type { Caller } from "../inference/caller.edge.ts";
import type { CallOptions } from "../inference/plan.ts";
import { planCallFor } from "../inference/workflow.edge.ts";
import { type ModelPool, questionBounder } from "../orchestration/engine.edge.ts";
import { detectAnswerKind } from "../orchestration/final-answer.ts";
import { choosePanel, toMember } from "../orchestration/panel.ts";
import { POLICY_MODE } from "../orchestration/planner.ts";
import { toQuestionCall } from "../orchestration/request.ts";
import { type SizedStrategy, STRATEGY } from "../orchestration/strategies.ts";
import {
	type EffortPolicy,
	type Panel,
	type Rankings,
	systemMessage,
	type Task,
	userMessage,
} from "../orchestration/strategy.ts";
import type { Message } from "../providers/model-call.ts";
import type { RoutingMode } from "../routing/mode.ts";
import type { RoutingConfig } from "../routing/routing-config.ts";
import type { Candidate } from "../routing/select.ts";
import { detectSignals } from "../routing/signals.ts";
import type { PlanMessage } from "./plan.ts";
import type { Intensity } from "./step-decision.ts";
import { ALONE } from "./step-strategy.ts";

/** Under what every call of a run is made. */
export interface StepRules {
	policy: EffortPolicy;
	config: RoutingConfig | null;
	gate: CallOptions["gate"];
	temperature: number;
}

/** What a step is to ask. */
export interface StepTask {
	messages: readonly PlanMessage[];
	/** What it is for, as its calls tell the sandbox upstream. */
	asksFor?: string;
	/** Strategies that may be used, in order; the first that the share covers is. The last is used whatever it costs. */
	castSizes(intensity: Intensity): readonly SizedStrategy[];
	/** What a strategy may cost that is not the last, nano-USD. */
	shareNanoUsd: number;
	/** A second question, at its longest, that may follow on the first's answer. */
	followUp?: readonly PlanMessage[];
}

/** A step with everything decided but whether it is made. */
export interface PricedStep {
	/** At whose prices it was weighed. */
	caller: Caller;
	task: Task;
	floor: ModelPool;
	cast: Panel;
	size: SizedStrategy;
	boundNanoUsd: number;
}

/** Ids under which the router knows intensities. */
const ROUTING_ID: Readonly<Record<Intensity, string>> = { Laser: "laser-1", Halo: "halo-1", Foton: "foton-1" };

/** The model that answers alone, and who stands in for it. */
const MAX_ALONE = 3;

function messageOf({ role, content }: PlanMessage): Message {
	if (role === "assistant") return { role, content: [{ type: "text", text: content }] };
	return role === "system" ? systemMessage(content) : userMessage(content);
}

/** What a question is as a strategy's task. */
export function toStepTask(messages: readonly PlanMessage[], maxTokens: number, temperature: number): Task {
	const prompt = messages.findLast(({ role }) => role === "user")?.content ?? "";
	return { messages: messages.map(messageOf), prompt, kind: detectAnswerKind(prompt), maxTokens, temperature };
}

type Ranked = readonly [Candidate, ...Candidate[]];

/** Candidates that agents may use: flat-rate runs never call a hyper-frontier model (docs/reference.md, "Agents"). */
function usable(candidates: readonly Candidate[]): Ranked | null {
	const [first, ...rest] = candidates.filter(({ model }) => !model.hyper_frontier);
	return first ? [first, ...rest] : null;
}

/**
 * Who may work on a task at an intensity; null where nobody may. A failure where not even the router finds anybody.
 * @param isAlone one model is all that is asked for: then nobody is ranked for anything else.
 */
export function floorAt(
	caller: Caller,
	{ policy, config, gate }: StepRules,
	intensity: Intensity,
	task: Task,
	isAlone = false,
): Result<ModelPool | null> {
	const call = toQuestionCall({ ...task, json: false });
	const options = (mode: RoutingMode): CallOptions => ({
		model: ROUTING_ID[intensity],
		mode,
		config: config && { config, matches: () => false },
		gate,
		planLimitNanoUsd: null,
	});
	const mode = POLICY_MODE[policy];
	const own = planCallFor(caller, call, options(mode));
	if (!own.ok) return own;
	const ranked = (by: RoutingMode) => {
		const plan = by === mode || isAlone ? own : planCallFor(caller, call, options(by));
		return plan.ok ? usable(plan.value.selection.candidates) : null;
	};
	const [panel, best, cheap] = [ranked(mode), ranked("quality"), ranked("agility")];
	const lone = usable(own.value.selection.failover);
	if (!panel || !best || !cheap || !lone) return ok(null);
	const worst = ({ model, effort }: Candidate) => own.value.attempt(model, effort).worstCase.totalNanoUsd;
	const rankings: Rankings = { panel, best, cheap };
	const [first, ...standIns] = lone;
	return ok({
		signals: detectSignals(call),
		rankings,
		single: [first.model.id, ...standIns.slice(0, MAX_ALONE - 1).map(({ model }) => model.id)],
		cheapest: panel.reduce((least, next) => (worst(next) < worst(least) ? next : least)),
		limits: { soft: null, hard: null },
		options: options(mode),
	});
}

/** The same with the cheapest model, and only what is not dearer to stand in for it. */
function cheapestAlone(floor: ModelPool): ModelPool {
	return { ...floor, single: toMember(floor.cheapest, floor.rankings.panel) };
}

/** Weighs one step at whatever intensity and length; what it has weighed it knows. */
export class StepPricer {
	#caller: Caller;
	#rules: StepRules;
	#step: StepTask;
	#maxTokens: number;
	#known = new Map<string, PricedStep | null>();

	/** @param maxTokens of each call, as asked for: with fewer, money is short, and the cheapest model answers alone. */
	constructor(caller: Caller, rules: StepRules, step: StepTask, maxTokens: number) {
		this.#caller = caller;
		this.#rules = rules;
		this.#step = step;
		this.#maxTokens = maxTokens;
	}

	/** The step at an intensity and a length; null where nobody may make it. */
	at(intensity: Intensity, maxTokens: number): PricedStep | null {
		const place = `${intensity} ${maxTokens}`;
		const known = this.#known.get(place);
		if (known !== undefined) return known;
		const weighed = this.#weigh(intensity, maxTokens);
		this.#known.set(place, weighed);
		return weighed;
	}

	#weigh(intensity: Intensity, maxTokens: number): PricedStep | null {
		const { messages, asksFor = "", castSizes, shareNanoUsd } = this.#step;
		const task = { ...toStepTask(messages, maxTokens, this.#rules.temperature), asksFor };
		const isShort = maxTokens < this.#maxTokens;
		const sizes = isShort ? ALONE : castSizes(intensity);
		const isAlone = sizes.every(({ strategy }) => STRATEGY[strategy].isOneCall);
		const found = floorAt(this.#caller, this.#rules, intensity, task, isAlone);
		if (!found.ok || !found.value) return null;
		const floor = isShort ? cheapestAlone(found.value) : found.value;
		for (const [place, size] of sizes.entries()) {
			const cast = choosePanel(STRATEGY[size.strategy], floor, size, null);
			const boundNanoUsd = this.#boundOf(floor, task, cast, size);
			if (boundNanoUsd === null) continue;
			const isLast = place === sizes.length - 1;
			if (isLast || boundNanoUsd <= shareNanoUsd)
				return { caller: this.#caller, task, floor, cast, size, boundNanoUsd };
		}
		return null;
	}

	/** The most that all calls can cost together; null where one of them may not be made. */
	#boundOf(floor: ModelPool, task: Task, cast: Panel, { strategy }: SizedStrategy): number | null {
		const boundOf = questionBounder(this.#caller, floor);
		const { followUp } = this.#step;
		const second = followUp ? [toStepTask(followUp, task.maxTokens, this.#rules.temperature)] : [];
		let total = 0;
		for (const asked of [task, ...second]) {
			for (const question of STRATEGY[strategy].callGraph(asked, cast)) {
				const bound = boundOf(question);
				if (!bound.ok) return null;
				total += bound.value;
			}
		}
		return total;
	}
}
