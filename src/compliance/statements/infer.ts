// Finds what a conversation says of somebody's health, money or person in free words, by the trained model of statements. It adds
// to what pattern matching finds (detect.ts). Pure.

import type { Steps } from "../../turns/steps.ts";
import type { Conversation } from "../conversation.ts";
import type { DataKind } from "../detection/kinds.ts";
import { decodeViewsInSteps } from "../detection/views.ts";
import { type Detection, DetectionCollector } from "../findings.ts";
import { createUnitFeatures, type UnitFeatures } from "./features.ts";
import { decodeStatements, STATEMENT_CLASSES, type StatementModel } from "./model.ts";
import { neededExcess, StatementScorer } from "./score.ts";
import { TopicScores } from "./topics.ts";
import weightsFile from "./weights.json" with { type: "json" };

const KINDS = {
	PII: "personal_statement",
	PHI: "health_statement",
	FINANCIAL: "financial_statement",
} as const satisfies Record<(typeof STATEMENT_CLASSES)[number], DataKind>;

/** The shipped model, and space for the features of one unit at a time. */
let shipped: { model: StatementModel; features: UnitFeatures } | undefined;

function loadModel() {
	if (shipped) return shipped;
	const model = decodeStatements(weightsFile);
	shipped = { model, features: createUnitFeatures(new TopicScores(model.topics), model.buckets) };
	return shipped;
}

/** The statements of a conversation. A finding spans the sentence, or the part of a long one, that makes it. */
export function* inferStatements({ texts }: Conversation): Steps<Detection> {
	const { model, features } = loadModel();
	const found = new DetectionCollector();
	const scorer = new StatementScorer(model, features);
	for (const [index, { text }] of texts.entries())
		for (const view of decodeViewsInSteps(text, false)) {
			if (typeof view === "number") {
				yield view;
				continue;
			}
			found.enter((_, from, to) => {
				const [start, end] = view.origin(from, to);
				return [{ text: index, start, end }];
			});
			let units = 0;
			const candidates: { kind: DataKind; start: number; end: number; excess: number }[] = [];
			yield* scorer.read(view.text, ({ start, end }, scores) => {
				units++;
				for (const [output, dataClass] of STATEMENT_CLASSES.entries()) {
					const excess = (scores[output] ?? 0) - (model.thresholds[output] ?? 0);
					if (excess > 0) candidates.push({ kind: KINDS[dataClass], start, end, excess });
				}
			});
			for (const { kind, start, end, excess } of candidates)
				if (excess > neededExcess(units)) found.add(kind, start, end);
		}
	return found.toDetection();
}
