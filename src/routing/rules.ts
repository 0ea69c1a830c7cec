// Finds the rule of a routing config that matches a call. The first match wins. Pure.
import type { ModelCall } from "../providers/model-call.ts";
import type { CompiledConfig, RuleChoice, RuleCondition } from "./routing-config.ts";
import { lastUserText, type Signals } from "./signals.ts";

/** The rule that applies to a call. */
export interface MatchedRule {
	/** Its own name, or its position: `rule 2`. */
	name: string;
	use: RuleChoice;
}

/** Whether the signals meet every condition except those on the text. */
function matchesSignals(when: RuleCondition, signals: Signals): boolean {
	const { intent, min_tokens, max_tokens, has_tools, has_images } = when;
	return (
		(intent === undefined || intent.some((wanted) => signals.intents.includes(wanted))) &&
		(min_tokens === undefined || signals.promptTokens >= min_tokens) &&
		(max_tokens === undefined || signals.promptTokens <= max_tokens) &&
		(has_tools === undefined || signals.hasTools === has_tools) &&
		(has_images === undefined || signals.hasImages === has_images)
	);
}

/** The first rule that matches; null when none does. */
export function matchRule({ config, matches }: CompiledConfig, call: ModelCall, signals: Signals): MatchedRule | null {
	const { rules } = config;
	if (!rules) return null;
	const text = lastUserText(call);
	let lowerCaseText: string | undefined;
	for (const [index, { name, when, use }] of rules.entries()) {
		if (!matchesSignals(when, signals)) continue;
		if (when.contains !== undefined) {
			lowerCaseText ??= text.toLowerCase();
			if (!lowerCaseText.includes(when.contains.toLowerCase())) continue;
		}
		if (when.matches !== undefined && !matches(when.matches, text)) continue;
		return { name: name ?? `rule ${index + 1}`, use };
	}
	return null;
}
