// A run's texts on their way to its models and back: what is masked in prompts, and restored in all that is stored, hashed and shown.
// The mask follows from the goal, so that a run that goes on elsewhere has the same. Pure.
import type { Mask, TextForm } from "../../compliance/mask/mask.ts";
import { describeStrays } from "../../inference/masked-call.ts";
import type { PlannedSubtask } from "../plan.ts";
import type { PromptMessage } from "../prompt.ts";
import type { RunSpec, RunState, RunStep } from "./run.ts";

/** What prompts are made of. */
interface PromptSource {
	readonly spec: RunSpec;
	readonly state: RunState;
	readonly steps: readonly RunStep[];
}

export class RunTexts {
	readonly #mask: Mask | null;

	/** @param mask null where nothing is masked. */
	constructor(mask: Mask | null) {
		this.#mask = mask;
	}

	mask(text: string): string {
		return this.#mask ? this.#mask.maskText(text) : text;
	}

	restore(text: string, form: TextForm = "text"): string {
		return this.#mask ? this.#mask.restore(text, form) : text;
	}

	/** Says what in a text cannot be restored; null where there is nothing. */
	describeStrays(text: string): string | null {
		return this.#mask ? describeStrays(this.#mask.findStrays(text)) : null;
	}

	maskSpec(spec: RunSpec): RunSpec {
		return this.#mask ? { ...spec, goal: this.mask(spec.goal) } : spec;
	}

	/** A run as its prompts show it. Whole texts are masked before anything is cut from them. */
	maskRun({ spec, state, steps }: PromptSource): PromptSource {
		if (!this.#mask) return { spec, state, steps };
		return {
			spec: this.maskSpec(spec),
			state: { ...state, plan: state.plan.map((subtask) => this.mask(subtask)) },
			steps: steps.map((step) => ({ ...step, subtask: this.mask(step.subtask), output: this.mask(step.output) })),
		};
	}

	restorePlan(subtasks: readonly PlannedSubtask[]): PlannedSubtask[] {
		return subtasks.map(({ task, title, isSection }) => ({
			task: this.restore(task),
			title: title === null ? null : this.restore(title),
			isSection,
		}));
	}

	restoreMessages(messages: readonly PromptMessage[]): PromptMessage[] {
		return messages.map(({ role, content }) => ({ role, content: this.restore(content) }));
	}
}
