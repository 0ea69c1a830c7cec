// Recognises placeholders for secrets: documented examples, references, words to be replaced. Also measures entropy.
import { verbose } from "./verbose.ts";

/** What marks examples in the documentation of providers and scanners. They open nothing. */
const EXAMPLE_MARK = new RegExp(
	verbose`
		example
		|sample
		|placeholder
		|dummy
		|redacted
		|replace
		|changeme
		|change[-_]?this
		|your[-_ ]?
		|my[-_]?(?:secret|key|token|password)
		|insert
		|todo
		|fake
		|mock
		|x{4,}
		|\*{3,}
		|\.{3}
		|…
		|-{3,}
		|_{3,}
		|0{8,}
		|(.)\1{7,}
	`,
	"i",
);

/** Sequences that fill a key in tutorials: 1234567890, abcdefgh. */
const SEQUENCE = /^[a-z_-]{0,12}(?:0?123456789\d?|abcdef(?:ghij?\w*)?)$/i;

/** References to a secret: variables of shells, templates, pipelines and languages, and calls. */
const SECRET_REFERENCE =
	/^(?:\$|%[A-Za-z({]|[<[{(@&*!]|#\{|`)|\$\{|\{\{|<[^>]{1,40}>|\(|\[|^(?:process|import|os|env|config|settings|self|this|secrets?|vault|ctx|req|request|args|options|props|params|var|local|data|module|System|Deno|ENV|getenv)\b\.?|^[A-Za-z_]\w{0,40}(?:\.[A-Za-z_]\w{0,40}){1,6}$/;

/** Passwords that nobody takes for a secret, and words that describe one. */
const COMMON_PASSWORD = new RegExp(
	verbose`
		^(?:
			pass(?:w(?:or)?d|phrase|code)?|pwd|pw|secret|token|key|api[-_]?key|admin|administrator|test(?:ing)?
			|testpass(?:word)?|letmein|welcome|qwerty|hunter2|foo(?:bar)?|bar|baz|default|guest|root|user(?:name)?|none|null
			|nil|undefined|true|false|string|str|text|varchar|hidden|required|optional|empty|unset|abc|demo|postgres|mysql
			|redis|none|xxx+|p@ssw0rd|str0ng
		)[\d!]{0,5}$
	`,
	"i",
);

/** Whether a value is a placeholder for a secret. */
export function isPlaceholder(value: string): boolean {
	return (
		EXAMPLE_MARK.test(value) || SEQUENCE.test(value) || SECRET_REFERENCE.test(value) || COMMON_PASSWORD.test(value)
	);
}

/** Digits and letters in order, as tutorials fill a key. Nobody types such a run in mixed case. */
const ORDERED_RUN = /\d{0,3}123456789\d{0,4}|abcdefgh\w{0,64}|ABCDEFGH\w{0,64}/g;
/** A key with fewer characters besides such a run is an example. */
const MIN_OTHER_KEY_CHARS = 28;

/** The same for a key with a provider's prefix, which a reference cannot have. */
export function isExampleKey(value: string): boolean {
	if (EXAMPLE_MARK.test(value)) return true;
	const otherChars = value.replace(ORDERED_RUN, "").length;
	return otherChars < value.length && otherChars < MIN_OTHER_KEY_CHARS;
}

/** Shannon entropy of the characters of a text, in bits per character. */
export function entropy(text: string): number {
	const counts = new Map<string, number>();
	for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
	let bits = 0;
	for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
	return bits;
}
