// Finds the rule of a routing config that matches a call. The first match wins. Conditions on the signals are judged first. Pure.
import type { ModelCall } from "../providers/model-call.ts";
import { runSteps, type Steps } from "../turns/steps.ts";
import { includesInSteps, lowerInSteps } from "./long-text.ts";
import type { CompiledConfig, RuleChoice, RuleCondition } from "./routing-config.ts";
import { lastUserText, type Signals } from "./signals.ts";

/** What looking into a text counts as, in characters read, besides the pauses on the way through a long one. */
const CONTAINS_CHARS = 8_192;
/** A pattern is compiled for each use, and looks at both ends of a text. */
const MATCHES_CHARS = 32_768;

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

/** The text that rules look into. What one rule has found out is known to the next, and the text is lowered once. */
class RuleText {
	readonly #call: ModelCall;
	readonly #matches: CompiledConfig["matches"];
	readonly #found = new Map<string, boolean>();
	#text: string | undefined;
	#lowerCase: string | undefined;

	constructor(call: ModelCall, matches: CompiledConfig["matches"]) {
		this.#call = call;
		this.#matches = matches;
	}

	get #own(): string {
		this.#text ??= lastUserText(this.#call);
		return this.#text;
	}

	get chars(): number {
		return this.#own.length;
	}

	/** Whether the text meets the conditions on it. */
	*meets({ contains, matches }: RuleCondition): Steps<boolean> {
		return (
			(contains === undefined || (yield* this.#contains(contains))) &&
			(matches === undefined || this.#matchesPattern(matches))
		);
	}

	*#contains(words: string): Steps<boolean> {
		const key = `contains ${words}`;
		const known = this.#found.get(key);
		if (known !== undefined) return known;
		this.#lowerCase ??= yield* lowerInSteps(this.#own);
		const found = yield* includesInSteps(this.#lowerCase, words.toLowerCase());
		this.#found.set(key, found);
		return found;
	}

	#matchesPattern(pattern: string): boolean {
		const key = `matches ${pattern}`;
		const found = this.#found.get(key) ?? this.#matches(pattern, this.#own);
		this.#found.set(key, found);
		return found;
	}
}

/** Finds the first rule that matches; null when none does. Pauses before each rule that looks into the text, and on the way through a long one. */
export function* matchRuleInSteps(
	{ config, matches }: CompiledConfig,
	call: ModelCall,
	signals: Signals,
): Steps<MatchedRule | null> {
	const text = new RuleText(call, matches);
	for (const [index, { name, when, use }] of (config.rules ?? []).entries()) {
		if (!matchesSignals(when, signals)) continue;
		if (when.contains !== undefined || when.matches !== undefined) {
			yield Math.min(text.chars, when.matches === undefined ? CONTAINS_CHARS : MATCHES_CHARS);
			if (!(yield* text.meets(when))) continue;
		}
		return { name: name ?? `rule ${index + 1}`, use };
	}
	return null;
}

/** The first rule that matches, found without a pause; null when none does. */
export function matchRule(config: CompiledConfig, call: ModelCall, signals: Signals): MatchedRule | null {
	return runSteps(matchRuleInSteps(config, call, signals));
}
