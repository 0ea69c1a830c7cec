// Scores the units of a conversation's texts, one after the other, each with what was said before it. Pure.
import type { Steps } from "../../turns/steps.ts";
import { readUnitFeatures, type UnitFeatures } from "./features.ts";
import { type StatementModel, scoreUnit, sumFeatures, type UnitSums } from "./model.ts";
import { type TextUnit, textUnits } from "./units.ts";

const SCORED_CHARS = 32_768;

/** Units before one that count as what was said before. */
export const UNITS_BEFORE = 2;

/** Texts of so few units are read as they are. */
const FEW_UNITS = 4;

/** More than by chance alone: long texts are code, exercises and news more often than short ones are. */
const LENGTH_WEIGHT = 1.5;

/**
 * How far above its threshold a score must be. The more units a text has, the more of them score high by chance: scores are log
 * odds, and the odds of each are divided by the number of units, and some more.
 */
export function neededExcess(units: number): number {
	return Math.max(0, LENGTH_WEIGHT * Math.log(units / FEW_UNITS));
}

export class StatementScorer {
	readonly #model: StatementModel;
	readonly #features: UnitFeatures;
	#before: readonly UnitSums[] = [];

	/** @param features space for the model's own features, one unit at a time. */
	constructor(model: StatementModel, features: UnitFeatures) {
		this.#model = model;
		this.#features = features;
	}

	/** Reports the units of the next text, with a score a class. Pauses every 32 Ki characters. */
	*read(text: string, report: (unit: TextUnit, scores: readonly number[]) => void): Steps<void> {
		let pausedAt = 0;
		for (const unit of textUnits(text)) {
			readUnitFeatures(text.slice(unit.start, unit.end), this.#features);
			const own = sumFeatures(this.#model, this.#features);
			report(unit, scoreUnit(this.#model, own, this.#before));
			this.#before = [...this.#before, own].slice(-UNITS_BEFORE);
			if (unit.end - pausedAt < SCORED_CHARS) continue;
			yield unit.end - pausedAt;
			pausedAt = unit.end;
		}
		yield text.length - pausedAt;
	}
}
