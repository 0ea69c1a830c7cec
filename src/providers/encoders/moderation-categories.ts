// Mistral's categories of moderations under OpenAI's names, too: clients of OpenAI's library read those. Source of the names:
// ModerationLlmv1CategoryThresholds and ModerationLlmv2CategoryThresholds of @mistralai/mistralai 2.7, read 2026-11-28. Pure.
import type { ModerationResult } from "./encoder-call.ts";

/** OpenAI's word for a category of Mistral's. Health, financial, law, pii and jailbreaking have none. */
const KNOWN_AS: Readonly<Record<string, string>> = {
	hate_and_discrimination: "hate",
	violence_and_threats: "violence",
	dangerous_and_criminal_content: "illicit",
	dangerous: "illicit",
	criminal: "illicit",
	selfharm: "self-harm",
};

/** A result with each category under OpenAI's name beside its own. Where two have one name, it is flagged if either is. */
export function withKnownCategories({ flagged, categories, scores }: ModerationResult): ModerationResult {
	const known: ModerationResult = { flagged, categories: { ...categories }, scores: { ...scores } };
	for (const [own, name] of Object.entries(KNOWN_AS)) {
		if (categories[own] !== undefined) known.categories[name] = categories[own] || known.categories[name] === true;
		if (scores[own] !== undefined) known.scores[name] = Math.max(scores[own], known.scores[name] ?? 0);
	}
	return known;
}
