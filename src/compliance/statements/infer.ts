// Finds what a conversation says of somebody's health, money or person in free words, by the trained model of statements. It adds
// to what pattern matching finds (detect.ts). Pure.
import type { Conversation } from "../conversation.ts";
import type { DataKind } from "../detection/kinds.ts";
import { decodeViews } from "../detection/views.ts";
import { type Detection, DetectionCollector } from "../findings.ts";
import { decodeStatements, STATEMENT_CLASSES, type StatementModel } from "./model.ts";
import { StatementScorer } from "./score.ts";
import weightsFile from "./weights.json" with { type: "json" };

const KINDS = {
	PII: "personal_statement",
	PHI: "health_statement",
	FINANCIAL: "financial_statement",
} as const satisfies Record<(typeof STATEMENT_CLASSES)[number], DataKind>;

let shippedModel: StatementModel | undefined;

/** The statements of a conversation. A finding spans the sentence, or the part of a long one, that makes it. */
export function inferStatements({ texts }: Conversation): Detection {
	shippedModel ??= decodeStatements(weightsFile);
	const { thresholds } = shippedModel;
	const found = new DetectionCollector();
	const scorer = new StatementScorer(shippedModel);
	for (const [index, { text }] of texts.entries())
		for (const view of decodeViews(text)) {
			found.enter(index, view.origin);
			scorer.read(view.text, ({ start, end }, scores) => {
				for (const [output, dataClass] of STATEMENT_CLASSES.entries())
					if ((scores[output] ?? 0) > (thresholds[output] ?? 0)) found.add(KINDS[dataClass], start, end);
			});
		}
	return found.toDetection();
}
