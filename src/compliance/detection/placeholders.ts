// What stands where a secret would: documented examples, variables, words to be replaced. Lists, and the entropy test.
import { verbose } from "./verbose.ts";

/** Documented by their providers, or by scanners, as examples that open nothing. */
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

/** Counts that fill a place: 1234567890 and abcdefgh in keys of tutorials. */
const SEQUENCE = /^[a-z_-]{0,12}(?:0?123456789\d?|abcdef(?:ghij?\w*)?)$/i;

/** References to where the secret is: variables of shells, templates, pipelines and languages, and calls. */
const SECRET_REFERENCE =
	/^(?:\$|%[A-Za-z({]|[<[{(@&*!]|#\{|`)|\$\{|\{\{|<[^>]{1,40}>|\(|\[|^(?:process|import|os|env|config|settings|self|this|secrets?|vault|ctx|req|request|args|options|props|params|var|local|data|module|System|Deno|ENV|getenv)\b\.?|^[A-Za-z_]\w{0,40}(?:\.[A-Za-z_]\w{0,40}){1,6}$/;

/** Passwords that nobody takes for secret, and words that describe one. */
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

/** Whether a value stands for a secret without being one. */
export function isPlaceholder(value: string): boolean {
	return EXAMPLE_MARK.test(value) || SEQUENCE.test(value) || SECRET_REFERENCE.test(value) || COMMON_PASSWORD.test(value);
}

/** Digits and letters in their order, as tutorials fill a key; of mixed case they are not typed so. */
const ORDERED_RUN = /\d{0,3}123456789\d{0,4}|abcdefgh\w{0,64}|ABCDEFGH\w{0,64}/g;
const MIN_KEY_BESIDES = 28;

/** The same for what has a provider's own prefix, which a reference cannot have. */
export function isExampleKey(value: string): boolean {
	if (EXAMPLE_MARK.test(value)) return true;
	const besides = value.replace(ORDERED_RUN, "").length;
	return besides < value.length && besides < MIN_KEY_BESIDES;
}

/** Shannon entropy of a text's characters, in bits per character. */
export function entropy(text: string): number {
	const counts = new Map<string, number>();
	for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
	let bits = 0;
	for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
	return bits;
}
