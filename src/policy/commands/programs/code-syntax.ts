// Marks and words of the usual languages by what they do: join, name a member, stand between values or before one.
import type { ScriptLanguage } from "../effects.ts";
import type { CodeToken } from "./code-tokens.ts";

export const ADDING: Readonly<Record<ScriptLanguage, RegExp>> = {
	python: /^\+$/,
	javascript: /^\+$/,
	perl: /^\.$|^\+$/,
	ruby: /^(?:\+|<<)$/,
	php: /^\.$|^\+$/,
	lua: /^(?:\.\.|\+)$/,
	r: /^\+$/,
	julia: /^(?:\+|<>|\^)$/,
	groovy: /^\+$/,
};
export const MEMBERS: Readonly<Record<ScriptLanguage, RegExp>> = {
	python: /^\.$/,
	javascript: /^(?:\.|\?\.)$/,
	perl: /^(?:->|::)$/,
	ruby: /^(?:\.|::|\?\.)$/,
	php: /^(?:->|::)$/,
	lua: /^[.:]$/,
	r: /^(?:::|\$|\.)$/,
	julia: /^(?:\.|::?)$/,
	groovy: /^(?:\.|\?\.|::)$/,
};
const OPERATORS = /^(?:->|<-|[-/%<>|&^?]|\*\*|&&|\|\||\?\?|==|!=|===|!==|<=>|=~)$/;
export const WORD_OPERATORS = /^(?:and|or|xor|in|is|if|else|unless|x|instanceof|of|as|lt|gt|eq|ne)$/;

/** Words before what is printed, with brackets around it or without. */
export const PRINTING: Readonly<Record<ScriptLanguage, RegExp>> = {
	python: /^print$/,
	javascript: /^$/,
	perl: /^(?:print|printf|say)$/,
	ruby: /^(?:puts|print|printf|pp?)$/,
	php: /^(?:echo|print)$/,
	lua: /^print$/,
	r: /^$/,
	julia: /^(?:print|println)$/,
	groovy: /^(?:print|println)$/,
};

/** Words that are no value, behind which one may follow. */
export const KEYWORDS =
	/^(?:if|elif|else|elsif|while|until|unless|for|foreach|return|yield|await|async|new|not|typeof|void|throw|raise|do|then|begin|end|try|my|our|local|const|let|var|and|or|in|is|print|puts|echo|defined|delete|case|when|with|assert|class|def|function|sub|fn|lambda|static|global|export)$/;

/** Whether a token stands between two values. */
export const isOperator = ({ kind, value }: CodeToken): boolean =>
	(kind === "mark" && OPERATORS.test(value)) || (kind === "name" && WORD_OPERATORS.test(value));

/** Whether a token stands before a value and leaves it. */
export const isUnary = ({ kind, value }: CodeToken) => kind === "mark" && /^(?:[-!~\\*&+]|\*\*|\.\.\.)$/.test(value);
