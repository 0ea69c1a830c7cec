// Finds personal, health, financial and secret data in a conversation. It says which classes and kinds there are and where they
// stand, never the values. Pure.

import { runSteps, type Steps } from "../turns/steps.ts";
import type { Conversation } from "./conversation.ts";
import { eachWord } from "./detection/ascii-words.ts";
import { type DataKind, findClass, isStatement } from "./detection/kinds.ts";
import { createLabelReader } from "./detection/labelled-values.ts";
import { createAssignmentReader, reportKeys, reportSecretPhrases } from "./detection/secrets.ts";
import { readText } from "./detection/text-scan.ts";
import { decodeViews, decodeViewsInSteps } from "./detection/views.ts";
import { type Detection, DetectionCollector, unreadDetection } from "./findings.ts";
import { conversationReadings } from "./readings.ts";

/** The span of a secret in a text: offsets of UTF-16 units, the end exclusive. */
export interface SecretSpan {
	readonly start: number;
	readonly end: number;
	readonly kind: string;
}

/**
 * More than any model of the catalog takes at once. Longer conversations are not read: the slowest kind of text that we know
 * takes 2.7 s per MiB.
 */
export const MAX_READ_CHARS = 4_194_304;

/**
 * Finds the sensitive data in a conversation, every occurrence. Pauses every 32 Ki characters with the number of characters read.
 * Every view of a text is read: as written, without invisible characters, and with escapes and base64 decoded; then the
 * conversation across its texts. Time grows linearly with the length of the texts. If they are longer than 4 Mi characters
 * together, every class is reported, of kind `unread`, without findings. docs/reference/compliance.md, "Compliance".
 */
export function* detectInSteps(conversation: Conversation): Steps<Detection> {
	const { texts } = conversation;
	if (texts.reduce((sum, { text }) => sum + text.length, 0) > MAX_READ_CHARS) return unreadDetection();
	const found = new DetectionCollector();
	for (const [index, { text }] of texts.entries()) {
		for (const view of decodeViewsInSteps(text)) {
			if (typeof view === "number") {
				yield view;
				continue;
			}
			found.enter((kind, from, to) => {
				if (view.isValuesOnly && isStatement(kind)) return [];
				const [start, end] = view.origin(from, to);
				return [{ text: index, start, end }];
			});
			yield* readText(view.text, found);
		}
	}
	for (const { joined, accepts } of conversationReadings(conversation)) {
		found.enter((kind, from, to) => {
			const spans = joined.locate(from, to);
			const [first] = spans;
			// A value that is whole in one text does not go on in the next.
			const isWhole = first !== undefined && spans.length > 1 && found.endsWithFinding(kind, first);
			return isWhole || !accepts(kind, spans) ? [] : spans;
		});
		yield* readText(joined.text, found);
	}
	return found.toDetection();
}

/** The sensitive data in a conversation, found without a pause. */
export function detect(conversation: Conversation): Detection {
	return runSteps(detectInSteps(conversation));
}

/**
 * The spans of the secrets in a text, in order and without overlap. Overlapping secrets are one span, of the kind of the first.
 * The span of an encoded secret is all of its encoding. Only the readers of secrets run, because texts of audit events are many.
 */
export function secretSpans(text: string): SecretSpan[] {
	const found: SecretSpan[] = [];
	for (const view of decodeViews(text)) {
		const report = (kind: DataKind, start: number, end: number) => {
			const [from, to] = view.origin(start, end);
			found.push({ start: from, end: to, kind });
		};
		eachWord(view.text, (start, end) => {
			reportKeys(view.text, start, end, report);
			reportSecretPhrases(view.text, start, end, report);
		});
		createAssignmentReader(view.text, report)(view.text.length);
		createLabelReader(view.text, (kind, start, end) => {
			if (findClass(kind) === "SECRETS") report(kind, start, end);
		})(view.text.length);
	}
	found.sort((a, b) => a.start - b.start || b.end - a.end);
	const spans: SecretSpan[] = [];
	for (const span of found) {
		const last = spans.at(-1);
		if (last === undefined || span.start >= last.end) spans.push(span);
		else if (span.end > last.end) spans[spans.length - 1] = { ...last, end: span.end };
	}
	return spans;
}
