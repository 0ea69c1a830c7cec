// Follows code from its first token to its last and computes what is constant in it: joined, decoded and renamed texts
// and functions. The result is the calls in it, with their arguments. What a call does is in code-calls.ts.
import type { ScriptLanguage } from "../effects.ts";
import { TokenCursor } from "./code-cursor.ts";
import { joinPath } from "./code-names.ts";
import { type CodeCall, CodeScope, NO_NAMES } from "./code-scope.ts";
import {
	CREDENTIAL_PLACES,
	isEnvironment,
	secretVariable,
	THE_ENVIRONMENT,
	withEitherSecret,
	withSecret,
} from "./code-secrets.ts";
import { StatementFolder } from "./code-statements.ts";
import {
	ADDING,
	ASSIGNING,
	CLOSING_BRACKETS,
	isOperator,
	isUnary,
	KEYWORDS,
	MEMBERS,
	NAMING,
	SEPARATING,
	WORD_OPERATORS,
} from "./code-syntax.ts";
import type { CodeToken, TokenSource } from "./code-tokens.ts";
import { bounded, type CodeValue, listValue, pathValue, textValue, UNKNOWN_VALUE } from "./code-values.ts";

/** Expressions in expressions that are followed. What is deeper is read as if it stood alone. */
const MAX_DEPTH = 150;

export class CodeFolder {
	readonly #tokens: TokenCursor;
	readonly #language: ScriptLanguage;
	readonly #scope: CodeScope;
	readonly #callsWords: (path: string) => boolean;
	readonly #statements: StatementFolder;
	#depth = 0;
	/** Nested too deeply: everything around is left, and what follows is read as if it stood alone. */
	#leaving = false;

	/**
	 * @param callsWords Whether a function of that name is called by the values behind it, without brackets.
	 * @param judge Takes each call, in the order in which they are made.
	 */
	constructor(
		tokens: TokenSource,
		language: ScriptLanguage,
		callsWords: (path: string) => boolean,
		judge: (call: CodeCall) => void,
	) {
		this.#tokens = new TokenCursor(tokens);
		this.#language = language;
		this.#callsWords = callsWords;
		this.#scope = new CodeScope(language, judge);
		this.#statements = new StatementFolder(this.#tokens, language, this.#scope, () => this.#expression());
	}

	/** Follows the code from its first token to its last. */
	follow(): void {
		while (!this.#tokens.ended) this.#statement();
	}

	#statement(): void {
		const from = this.#tokens.at;
		this.#leaving = false;
		const token = this.#tokens.peek();
		if (token?.kind !== "name" || !this.#statements.fold(token.value)) this.#expression();
		// Every step takes a token, whatever stands there.
		if (this.#tokens.at === from) this.#tokens.next();
	}

	#expression(): CodeValue {
		if (this.#depth >= MAX_DEPTH) this.#leaving = true;
		if (this.#leaving) return UNKNOWN_VALUE;
		this.#depth++;
		const value = this.#operations();
		this.#depth--;
		return value;
	}

	#operations(): CodeValue {
		const target = this.#tokens.peek();
		let value = this.#postfix();
		if (target?.kind === "name") {
			const assigned = this.#assignment(target.value, value);
			if (assigned) return assigned;
		}
		for (let token = this.#tokens.peek(); token && !this.#leaving; token = this.#tokens.peek()) {
			if (token.kind === "mark" && ADDING[this.#language].has(token.value)) {
				this.#tokens.next();
				this.#tokens.skipNewlines();
				value = this.#scope.sum(value, this.#postfix(), token.value);
			} else if (isOperator(token)) {
				this.#tokens.next();
				this.#tokens.skipNewlines();
				const right = this.#postfix();
				if (token.value === "as" && right.path !== null) this.#scope.set(right.path, value);
				value = token.value === "/" ? joinPath(value, right) : withEitherSecret(UNKNOWN_VALUE, value, right);
			} else break;
		}
		return value;
	}

	#assignment(name: string, before: CodeValue): CodeValue | null {
		const mark = this.#tokens.peek();
		if (mark?.kind !== "mark" || !ASSIGNING.has(mark.value)) return null;
		if (this.#tokens.last?.value !== name || before.path?.includes(".")) return null;
		this.#tokens.next();
		this.#tokens.skipNewlines();
		const value = this.#expression();
		const assigned = mark.value === "+=" || mark.value === ".=" ? this.#scope.sum(before, value, "+") : value;
		this.#scope.set(name, assigned);
		return assigned;
	}

	#postfix(): CodeValue {
		let value = this.#primary();
		for (let token = this.#tokens.peek(); token && !this.#leaving; token = this.#tokens.peek()) {
			if (token.kind !== "mark") return this.#callWords(value, token);
			if (MEMBERS[this.#language].has(token.value) && this.#memberFollows()) value = this.#member(value);
			else if (token.value === "(") value = this.#callBrackets(value);
			else if (token.value === "[" && !token.spaced) value = this.#index(value);
			else if (token.value === "{" && !token.spaced && this.#language === "perl" && value.path !== null)
				value = this.#key(value);
			else return this.#callWords(value, token);
		}
		return value;
	}

	#memberFollows(): boolean {
		const next = this.#tokens.peek(1);
		return next?.kind === "name" || (next?.kind === "mark" && /^[([{]$/.test(next.value));
	}

	#member(value: CodeValue): CodeValue {
		this.#tokens.next();
		const token = this.#tokens.peek();
		if (token?.kind !== "name") return value;
		this.#tokens.next();
		return this.#scope.member(value, token.value, this.#tokens.is("("));
	}

	/** `$h{name}` and `%ENV`. */
	#key(value: CodeValue): CodeValue {
		this.#tokens.next();
		const [key] = this.#values("}");
		if (value.path !== "$ENV") return pathValue("*");
		const name = key?.text ?? key?.path ?? null;
		if (name === "HOME") return textValue("~");
		const secret = name === null || name.startsWith("$") ? THE_ENVIRONMENT : secretVariable(name);
		return secret === undefined ? pathValue("*") : { ...pathValue("*"), secret };
	}

	/** The expressions up to a closing bracket, without those that have a name. */
	#values(close: string, named: Map<string, CodeValue> | null = null): readonly CodeValue[] {
		const values: CodeValue[] = [];
		while (!this.#leaving && !this.#tokens.ended && !this.#tokens.take(close)) {
			const token = this.#tokens.peek();
			const isMark = token?.kind === "mark";
			if (token?.kind === "newline" || (isMark && SEPARATING.has(token.value))) {
				this.#tokens.next();
				continue;
			}
			if (isMark && CLOSING_BRACKETS.has(token.value)) break;
			const next = this.#tokens.peek(1);
			if (token?.kind === "name" && next?.kind === "mark" && NAMING.has(next.value)) {
				this.#tokens.next();
				this.#tokens.next();
				const value = this.#expression();
				named?.set(token.value, value);
				continue;
			}
			const from = this.#tokens.at;
			values.push(this.#expression());
			if (this.#tokens.at === from && !this.#leaving) this.#tokens.next();
		}
		return values;
	}

	/** `os["system"]`, `ENV["HOME"]`. Items of lists and slices are not computed. */
	#index(value: CodeValue): CodeValue {
		this.#tokens.next();
		let name: string | null = null;
		let isSlice = false;
		while (!this.#leaving && !this.#tokens.ended && !this.#tokens.take("]")) {
			if (this.#tokens.is(":") || this.#tokens.is(",") || this.#tokens.is("::")) {
				this.#tokens.next();
				isSlice = true;
			} else if (/^[)};]$/.test(this.#tokens.peek()?.value ?? "")) break;
			else name = this.#expression().text;
		}
		if (isSlice || value.path === null || name === null) return UNKNOWN_VALUE;
		if (isEnvironment(value.path) && name === "HOME") return textValue("~");
		return /^(?:globals|locals|vars)\(\)$/.test(value.path)
			? this.#scope.lookUp(name)
			: this.#scope.member(value, name);
	}

	#callBrackets(value: CodeValue): CodeValue {
		this.#tokens.next();
		if (this.#tokens.take(")")) return this.#scope.call(value, [], NO_NAMES);
		const named = new Map<string, CodeValue>();
		const args = this.#values(")", named);
		// Options in an object count as arguments with a name.
		for (const { fields } of args)
			for (const [name, field] of fields ?? []) if (!named.has(name)) named.set(name, field);
		return this.#scope.call(value, args, named);
	}

	/** A call without brackets: `system "ls", "-l"`. */
	#callWords(value: CodeValue, token: CodeToken): CodeValue {
		const beginsValue = token.kind === "string" || token.kind === "name" || token.value === "[" || token.value === "(";
		if (value.path === null || !token.spaced || !beginsValue || !this.#callsWords(value.path)) return value;
		if (token.kind === "name" && (WORD_OPERATORS.has(token.value) || token.value === "do")) return value;
		const args = [this.#expression()];
		while (this.#tokens.take(",")) {
			this.#tokens.skipNewlines();
			args.push(this.#expression());
		}
		return this.#scope.call(value, args, NO_NAMES);
	}

	#primary(): CodeValue {
		const token = this.#tokens.peek();
		if (!token) return UNKNOWN_VALUE;
		this.#tokens.next();
		if (token.kind === "string") return this.#adjacent(token.value);
		if (token.kind === "number") return textValue(token.value.replaceAll("_", ""));
		if (token.kind === "name") return this.#name(token.value);
		if (token.kind === "newline") return UNKNOWN_VALUE;
		if (token.value === "{" && this.#beginsObject()) return this.#object();
		if (token.value === "(" || token.value === "[") {
			const values = this.#values(token.value === "(" ? ")" : "]");
			const only = token.value === "(" && values.length === 1 ? values[0] : undefined;
			return only ?? withSecret(listValue(values), values);
		}
		if (token.value === ":" && this.#language === "ruby") return this.#symbol();
		// `%ENV` of Perl, a whole hash.
		if (token.value === "%" && this.#language === "perl") return this.#operand();
		return isUnary(token) ? this.#operand() : UNKNOWN_VALUE;
	}

	/** `:name` of Ruby. */
	#symbol(): CodeValue {
		if (this.#tokens.peek()?.kind !== "name" || this.#tokens.peek()?.spaced) return UNKNOWN_VALUE;
		this.#tokens.next();
		return textValue(this.#tokens.last?.value ?? "");
	}

	/** Whether what follows a brace are members, `{a: 1}`, `{"a": 1}`, `{...a}`, and no block. */
	#beginsObject(): boolean {
		let ahead = 0;
		while (this.#tokens.peek(ahead)?.kind === "newline") ahead++;
		const [first, second] = [this.#tokens.peek(ahead), this.#tokens.peek(ahead + 1)];
		if (first?.kind === "mark") return /^(?:\.\.\.|\*\*)$/.test(first.value);
		return first !== undefined && second?.kind === "mark" && /^(?::|=>|,)$/.test(second.value);
	}

	/** An object or a dictionary up to its brace. What a request is allowed by is no secret that it sends. */
	#object(): CodeValue {
		const fields = new Map<string, CodeValue>();
		const sent: CodeValue[] = [];
		while (!this.#leaving && !this.#tokens.ended && !this.#tokens.take("}")) {
			const token = this.#tokens.peek();
			const next = this.#tokens.peek(1);
			if (token?.kind === "newline" || (token?.kind === "mark" && /^(?:,|;|\.\.\.|\*\*)$/.test(token.value))) {
				this.#tokens.next();
				continue;
			}
			if (token?.kind === "mark" && /^[)\]]$/.test(token.value)) break;
			const from = this.#tokens.at;
			const isMember = token?.kind !== "mark" && next?.kind === "mark" && /^(?::|=>)$/.test(next.value);
			if (isMember) {
				this.#tokens.next();
				this.#tokens.next();
			}
			const value = this.#expression();
			const name = token?.value ?? "";
			fields.set(name, value);
			if (!isMember || !CREDENTIAL_PLACES.test(name) || value.secret === THE_ENVIRONMENT) sent.push(value);
			if (this.#tokens.at === from && !this.#leaving) this.#tokens.next();
		}
		return withSecret({ ...UNKNOWN_VALUE, fields }, sent);
	}

	/** The value behind any number of unary operators. */
	#operand(): CodeValue {
		if (this.#tokens.last?.value === "-" && this.#tokens.peek()?.kind === "number") {
			this.#tokens.next();
			return textValue(`-${this.#tokens.last?.value ?? ""}`);
		}
		for (let next = this.#tokens.peek(); next && isUnary(next); next = this.#tokens.peek()) this.#tokens.next();
		const next = this.#tokens.peek();
		const isValue = next?.kind === "name" || next?.kind === "string" || /^[([]$/.test(next?.value ?? "");
		return isValue ? this.#postfix() : UNKNOWN_VALUE;
	}

	/** Python and Ruby join texts that stand side by side. */
	#adjacent(text: string): CodeValue {
		let value = textValue(text);
		if (this.#language !== "python" && this.#language !== "ruby") return value;
		for (let next = this.#tokens.peek(); next?.kind === "string"; next = this.#tokens.peek()) {
			this.#tokens.next();
			value = bounded((value.text ?? "") + next.value);
		}
		return value;
	}

	#name(name: string): CodeValue {
		if (name === "new") return this.#primary();
		if (KEYWORDS.has(name)) return UNKNOWN_VALUE;
		const module = this.#scope.findDefault(name);
		if (module !== undefined && MEMBERS[this.#language].has(this.#tokens.peek()?.value ?? "")) return pathValue(module);
		return this.#scope.lookUp(name);
	}
}
