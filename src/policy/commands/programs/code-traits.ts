// Comments, quotes and regular expressions of the usual languages, by which their code is split into tokens.
import type { ScriptLanguage } from "../effects.ts";

/** The languages that share the tokens of scripts. */
export type TokenLanguage = ScriptLanguage | "awk";

/** How a language writes comments and texts. */
export interface LanguageTraits {
	readonly comments: readonly string[];
	/** What begins a variable in a string between double quotes: `${` of templates, `#{` of Ruby, `$` of Perl. */
	readonly interpolation: string | null;
	/** A backtick runs what it quotes. */
	readonly backtickRuns: boolean;
	/** Words before a bracket that quote: `qw(…)` of Perl, `%x{…}` of Ruby. */
	readonly quoting: RegExp | null;
	/** A slash where a value is expected begins a regular expression. */
	readonly hasRegex: boolean;
}

/** The traits of each language. */
export const LANGUAGE_TRAITS: Readonly<Record<TokenLanguage, LanguageTraits>> = {
	python: { comments: ["#"], interpolation: null, backtickRuns: false, quoting: null, hasRegex: false },
	javascript: { comments: ["//", "/*"], interpolation: "${", backtickRuns: false, quoting: null, hasRegex: true },
	perl: {
		comments: ["#"],
		interpolation: "$",
		backtickRuns: true,
		quoting: /(?:q[qxwr]?|tr|y|m|s)(?=\s{0,4}[^\w\s,;=)>])/y,
		hasRegex: true,
	},
	ruby: {
		comments: ["#"],
		interpolation: "#{",
		backtickRuns: true,
		quoting: /%[qQxwWiIr]?(?=[{([!|<])/y,
		hasRegex: true,
	},
	php: { comments: ["#", "//", "/*"], interpolation: "$", backtickRuns: true, quoting: null, hasRegex: false },
	awk: { comments: ["#"], interpolation: null, backtickRuns: false, quoting: null, hasRegex: true },
};
