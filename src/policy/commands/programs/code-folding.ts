// Follows code from its first token to its last and computes what is constant in it: joined, decoded and renamed texts
// and functions. The result is the calls in it, with their arguments. What a call does is in code-calls.ts.
import type { ScriptLanguage } from "../effects.ts";
import { isSecretVariable } from "../secret-names.ts";
import { TokenCursor } from "./code-cursor.ts";
import { type CodeToken, readCodeTokens } from "./code-tokens.ts";
import {
	addValues,
	bounded,
	type CodeValue,
	foldCall,
	itemOf,
	listValue,
	multiplyValues,
	pathValue,
	sliceValue,
	textValue,
	UNKNOWN_VALUE,
} from "./code-values.ts";

/** A call, or a module that is loaded: then the path is `import`. */
export interface CodeCall {
	readonly path: string;
	readonly args: readonly CodeValue[];
	readonly named: ReadonlyMap<string, CodeValue>;
	readonly subject?: CodeValue;
}

/** Expressions in expressions that are followed. What is deeper is read as if it stood alone. */
const MAX_DEPTH = 150;

/** Characters of values that are read and built in all. Beyond it values count as unknown. */
const VALUE_CHARS = 2_000_000;

const ADDING: Readonly<Record<ScriptLanguage, RegExp>> = {
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
const MEMBERS: Readonly<Record<ScriptLanguage, RegExp>> = {
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
const WORD_OPERATORS = /^(?:and|or|xor|in|is|if|else|unless|x|instanceof|of|as|lt|gt|eq|ne)$/;

/** Words that are no value, behind which one may follow. */
const KEYWORDS =
	/^(?:if|elif|else|elsif|while|until|unless|for|foreach|return|yield|await|async|new|not|typeof|void|throw|raise|do|then|begin|end|try|my|our|local|const|let|var|and|or|in|is|print|puts|echo|defined|delete|case|when|with|assert|class|def|function|sub|fn|lambda|static|global|export)$/;

/** Names of the global object, before which everything is what it is without it. */
const GLOBAL_PREFIX =
	/^(?:globalThis|window|global|self|builtins|__builtins__|Kernel|CORE|CORE::GLOBAL|main|_G|process\.mainModule|module|IO\.Kernel)\./;

export class CodeFolder {
	readonly #tokens: TokenCursor;
	readonly #language: ScriptLanguage;
	readonly #variables = new Map<string, CodeValue>();
	readonly #calls: CodeCall[] = [];
	readonly #callsWords: (path: string) => boolean;
	#depth = 0;
	/** Nested too deeply: everything around is left, and what follows is read as if it stood alone. */
	#leaving = false;
	#builtChars = 0;

	/** @param callsWords Whether a function of that name is called by the values behind it, without brackets. */
	constructor(text: string, language: ScriptLanguage, callsWords: (path: string) => boolean) {
		this.#tokens = new TokenCursor(readCodeTokens(text, language));
		this.#language = language;
		this.#callsWords = callsWords;
	}

	findCalls(): readonly CodeCall[] {
		while (!this.#tokens.ended) this.#statement();
		return this.#calls;
	}

	#statement(): void {
		const from = this.#tokens.at;
		this.#leaving = false;
		const token = this.#tokens.peek();
		if (token?.kind === "name" && /^(?:import|from)$/.test(token.value)) this.#import();
		else if (token?.kind === "name" && /^(?:const|let|var)$/.test(token.value)) this.#declaration();
		else if (token?.kind === "name" && /^for(?:each)?$/.test(token.value)) this.#loop();
		else this.#expression();
		// Every step takes a token, whatever stands there.
		if (this.#tokens.at === from) this.#tokens.next();
	}

	/** A loop's variable has no constant value. */
	#loop(): void {
		this.#tokens.next();
		for (let token = this.#tokens.peek(); token && /^(?:name|mark)$/.test(token.kind); token = this.#tokens.peek()) {
			if (token.kind === "mark" && !/^[(,]$/.test(token.value)) break;
			if (token.value === "in" || token.value === "of") break;
			this.#variables.delete(token.value);
			this.#tokens.next();
		}
	}

	/** `import os as o`, `from os import system as s`, `import { exec as e } from 'child_process'`. */
	#import(): void {
		const token = this.#tokens.next();
		if (this.#tokens.is("(")) this.#importCall();
		else if (token?.value === "from") this.#importFrom();
		else this.#importNames();
	}

	#importCall(): void {
		this.#tokens.next();
		this.#load(this.#values(")")[0]);
	}

	#importFrom(): void {
		const [from] = this.#tokens.readNames();
		if (this.#tokens.peek()?.value !== "import") return;
		this.#tokens.next();
		const module = this.#load(textValue(from?.name ?? ""));
		this.#tokens.take("(");
		for (const { name, given } of this.#tokens.readNames()) this.#bind(given, module, name);
	}

	#importNames(): void {
		const names = this.#tokens.readNames();
		while (this.#tokens.take("}") || this.#tokens.takeName("from"));
		const source = this.#tokens.peek();
		if (source?.kind === "string") {
			this.#tokens.next();
			const module = this.#load(textValue(source.value));
			for (const { name, given } of names) this.#bind(given, module, name);
			const [only] = names;
			if (names.length === 1 && only?.name === only?.given && module.path !== null)
				this.#defaults.set(only?.given ?? "", module.path);
		} else {
			for (const { name, given } of names) {
				const module = this.#load(textValue(name));
				if (given !== name) this.#variables.set(given, module);
			}
		}
	}

	/** Modules by the only name of an import: `import cp from 'child_process'`, `import { exec } from 'child_process'`. */
	readonly #defaults = new Map<string, string>();

	#bind(given: string, module: CodeValue, name: string): void {
		if (name !== "*") this.#variables.set(given, pathValue(`${module.path}.${name}`));
		else if (given !== "*") this.#variables.set(given, module);
	}

	/** `const { execSync: e } = require('child_process')`. */
	#declaration(): void {
		this.#tokens.next();
		if (!this.#tokens.take("{")) return;
		const names = this.#tokens.readNames();
		this.#tokens.take("}");
		if (!this.#tokens.take("=")) return;
		const value = this.#expression();
		if (value.path !== null) for (const { name, given } of names) this.#bind(given, value, name);
	}

	#load(module: CodeValue | undefined): CodeValue {
		const { text } = module ?? UNKNOWN_VALUE;
		this.#calls.push({ path: "import", args: [module ?? UNKNOWN_VALUE], named: new Map() });
		return text === null ? UNKNOWN_VALUE : pathValue(text.replace(/^node:/, "").replaceAll("/", "."));
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
		let value = this.#term();
		if (target?.kind === "name") {
			const assigned = this.#assignment(target.value, value);
			if (assigned) return assigned;
		}
		for (let token = this.#tokens.peek(); token && !this.#leaving; token = this.#tokens.peek()) {
			if (token.kind === "mark" && ADDING[this.#language].test(token.value)) {
				this.#tokens.next();
				this.#tokens.skipNewlines();
				value = this.#sum(value, this.#term(), token.value);
			} else if (this.#isOperator(token)) {
				this.#tokens.next();
				this.#tokens.skipNewlines();
				const right = this.#term();
				if (token.value === "as" && right.path !== null) this.#variables.set(right.path, value);
				value = token.value === "/" ? joinPath(value, right) : withSecret(UNKNOWN_VALUE, [value, right]);
			} else break;
		}
		return value;
	}

	#isOperator({ kind, value }: CodeToken): boolean {
		return (kind === "mark" && OPERATORS.test(value)) || (kind === "name" && WORD_OPERATORS.test(value));
	}

	/** Computes a value of others, while their size and its own are within what may be built. */
	#built(parts: readonly (CodeValue | null | undefined)[], compute: () => CodeValue): CodeValue {
		for (const part of parts) this.#builtChars += sizeOf(part);
		if (this.#builtChars > VALUE_CHARS) return UNKNOWN_VALUE;
		const value = compute();
		this.#builtChars += sizeOf(value);
		return value;
	}

	#sum(left: CodeValue, right: CodeValue, operator: string): CodeValue {
		return withSecret(
			this.#built([left, right], () => addValues(left, right, operator)),
			[left, right],
		);
	}

	#product(left: CodeValue, right: CodeValue): CodeValue {
		return this.#built([left, right], () => multiplyValues(left, right));
	}

	#assignment(name: string, before: CodeValue): CodeValue | null {
		const mark = this.#tokens.peek();
		if (mark?.kind !== "mark" || !/^(?:=|\+=|\.=|:=|<-)$/.test(mark.value)) return null;
		if (this.#tokens.last?.value !== name || before.path?.includes(".")) return this.#memberAssignment(before, mark);
		this.#tokens.next();
		this.#tokens.skipNewlines();
		const value = this.#expression();
		const assigned = mark.value === "+=" || mark.value === ".=" ? this.#sum(before, value, "+") : value;
		this.#variables.set(name, assigned);
		return assigned;
	}

	/** `File("x").text = y` is a call of what sets the member. */
	#memberAssignment({ path, subject }: CodeValue, mark: CodeToken): CodeValue | null {
		if (path === null || !subject || mark.value !== "=") return null;
		this.#tokens.next();
		const value = this.#expression();
		this.#calls.push({ path: `${path}=`, args: [value], named: new Map(), subject });
		return value;
	}

	/** Values that are multiplied or repeated. */
	#term(): CodeValue {
		let value = this.#postfix();
		while (
			this.#tokens.is("*") ||
			(this.#language === "perl" && this.#tokens.peek()?.value === "x" && this.#tokens.peek()?.kind === "name")
		) {
			this.#tokens.next();
			value = this.#product(value, this.#postfix());
		}
		return value;
	}

	#postfix(): CodeValue {
		let value = this.#primary();
		for (let token = this.#tokens.peek(); token && !this.#leaving; token = this.#tokens.peek()) {
			if (this.#takesText(token, value)) {
				this.#tokens.next();
				value = this.#call(value, [textValue(token.value)], new Map());
			} else if (token.kind !== "mark") return this.#callWords(value, token);
			else if (this.#takeExecution(token, value)) continue;
			else if (MEMBERS[this.#language].test(token.value) && this.#memberFollows()) value = this.#member(value);
			else if (token.value === "(") value = this.#callBrackets(value);
			else if (token.value === "[" && !token.spaced) value = this.#index(value);
			else if (token.value === "{" && !token.spaced && this.#language === "perl" && value.path !== null)
				value = this.#key(value);
			else return this.#callWords(value, token);
		}
		return value;
	}

	/** `require "x"`: Lua calls a function by the text behind it. */
	#takesText({ kind }: CodeToken, { path }: CodeValue): boolean {
		return kind === "string" && this.#language === "lua" && path !== null;
	}

	/** `"line".!` of Scala runs the text. */
	#takeExecution({ value: mark }: CodeToken, subject: CodeValue): boolean {
		if (mark !== "." || this.#language !== "groovy" || this.#tokens.peek(1)?.value !== "!") return false;
		this.#tokens.next();
		this.#tokens.next();
		this.#calls.push({ path: "*.!", args: [], named: new Map(), subject });
		return true;
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
		return this.#named(value, token.value);
	}

	#named(value: CodeValue, name: string): CodeValue {
		const path = `${value.path ?? "*"}.${name.replace(/^\$/, "")}`;
		if (this.#language === "ruby" && !this.#tokens.is("(")) {
			const folded = this.#built([value], () => foldCall(name, [], value));
			if (folded !== UNKNOWN_VALUE) return folded;
		}
		if (HOMES.test(path)) return textValue("~");
		const member = value.fields?.get(name);
		if (member) return member;
		if (name === "__dict__") return value;
		const found = pathValue(path, value.subject ?? value);
		if (!ENVIRONMENTS.test(value.path ?? "")) return withSecret(found, [value]);
		// In Ruby and Python, members in small letters are methods of the whole.
		const isMethod = /^(?:ruby|python)$/.test(this.#language) && /^[a-z]/.test(name);
		const secret = isMethod ? THE_ENVIRONMENT : secretVariable(name);
		return secret === undefined ? found : { ...found, secret };
	}

	/** `$h{name}` and `%ENV`. */
	#key(value: CodeValue): CodeValue {
		this.#tokens.next();
		const [key] = this.#values("}");
		return value.path === "$ENV" && (key?.path ?? key?.text) === "HOME" ? textValue("~") : pathValue("*");
	}

	/** The expressions up to a closing bracket, without those that have a name. */
	#values(close: string, named: Map<string, CodeValue> = new Map()): readonly CodeValue[] {
		const values: CodeValue[] = [];
		while (!this.#leaving && !this.#tokens.ended && !this.#tokens.take(close)) {
			const token = this.#tokens.peek();
			const isMark = token?.kind === "mark";
			if (token?.kind === "newline" || (isMark && /^(?:[,;:]|=>|=|\*\*|\.\.\.)$/.test(token.value))) {
				this.#tokens.next();
				continue;
			}
			if (isMark && /^[)\]}]$/.test(token.value)) break;
			const next = this.#tokens.peek(1);
			if (token?.kind === "name" && next?.kind === "mark" && /^(?:=|:|=>)$/.test(next.value)) {
				this.#tokens.next();
				this.#tokens.next();
				named.set(token.value, this.#expression());
				continue;
			}
			const from = this.#tokens.at;
			values.push(this.#expression());
			if (this.#tokens.at === from && !this.#leaving) this.#tokens.next();
		}
		return values;
	}

	#index(value: CodeValue): CodeValue {
		this.#tokens.next();
		const bounds: (CodeValue | null)[] = [null];
		while (!this.#leaving && !this.#tokens.ended && !this.#tokens.take("]")) {
			if (this.#tokens.is(":") || this.#tokens.is(",")) {
				this.#tokens.next();
				bounds.push(null);
			} else if (this.#tokens.is("::")) {
				this.#tokens.next();
				bounds.push(null, null);
			} else if (/^[)};]$/.test(this.#tokens.peek()?.value ?? "")) break;
			else bounds[bounds.length - 1] = this.#expression();
		}
		const [only] = bounds;
		if (bounds.length > 1) return this.#built([value], () => sliceValue(value, bounds));
		if (value.path !== null && only?.text != null) {
			if (ENVIRONMENTS.test(value.path) && only.text === "HOME") return textValue("~");
			return /^(?:globals|locals|vars)\(\)$/.test(value.path) ? this.#lookUp(only.text) : this.#named(value, only.text);
		}
		return only ? this.#built([value], () => itemOf(value, only)) : UNKNOWN_VALUE;
	}

	#lookUp(name: string): CodeValue {
		return this.#variables.get(name) ?? pathValue(name);
	}

	#callBrackets(value: CodeValue): CodeValue {
		this.#tokens.next();
		const named = new Map<string, CodeValue>();
		const args = this.#values(")", named);
		// Options in an object count as arguments with a name.
		for (const { fields } of args)
			for (const [name, field] of fields ?? []) if (!named.has(name)) named.set(name, field);
		return this.#call(value, args, named);
	}

	/** A call without brackets: `system "ls", "-l"`. */
	#callWords(value: CodeValue, token: CodeToken): CodeValue {
		const beginsValue = token.kind === "string" || token.kind === "name" || token.value === "[" || token.value === "(";
		if (value.path === null || !token.spaced || !beginsValue || !this.#callsWords(canonicalPath(value.path)))
			return value;
		if (token.kind === "name" && (WORD_OPERATORS.test(token.value) || token.value === "do")) return value;
		const args = [this.#expression()];
		while (this.#tokens.take(",")) {
			this.#tokens.skipNewlines();
			args.push(this.#expression());
		}
		return this.#call(value, args, new Map());
	}

	#call(callee: CodeValue, args: readonly CodeValue[], named: ReadonlyMap<string, CodeValue>): CodeValue {
		// PHP and Perl call the function that a variable names.
		const path = canonicalPath(callee.path ?? (/^(?:php|perl)$/.test(this.#language) ? (callee.text ?? "") : ""));
		const meant = this.#meantCall(path, callee, args);
		if (meant) return this.#call(meant.callee, meant.args, named);
		const [first, second] = args;
		if (LOADERS.test(path)) return this.#load(first);
		if (path === "getattr" && first && second?.text != null) return this.#named(first, second.text);
		if (path === "vars" && first?.path != null) return first;
		if (/\.__getattribute__$/.test(path) && first?.text != null)
			return pathValue(path.replace(/__getattribute__$/, first.text));
		if (this.#language === "r" && /^(?:parse|str2lang)$/.test(path)) return named.get("text") ?? first ?? UNKNOWN_VALUE;
		if (this.#language === "r" && /^(?:c|list)$/.test(path)) return withSecret(listValue(args), args);
		this.#calls.push(callee.subject ? { path, args, named, subject: callee.subject } : { path, args, named });
		return this.#carrying(path, this.#result(path, callee, args), callee, args, named);
	}

	/** The result of a call with the secret that its arguments hold, or that it reads from the environment. */
	#carrying(
		path: string,
		result: CodeValue,
		callee: CodeValue,
		args: readonly CodeValue[],
		named: ReadonlyMap<string, CodeValue>,
	): CodeValue {
		if (ENVIRONMENT_READERS.test(path)) {
			const name = args[0]?.text ?? null;
			const secret = args.length === 0 ? THE_ENVIRONMENT : name === null ? undefined : secretVariable(name);
			return secret === undefined ? result : { ...result, secret };
		}
		const whole = /^(?:os\.environ|environ|ENV|process\.env)\./.test(path)
			? [{ ...UNKNOWN_VALUE, secret: THE_ENVIRONMENT }]
			: [];
		const sent = [...named].flatMap(([name, value]) => (CREDENTIAL_PLACES.test(name) ? [] : value));
		return withSecret(result, [...whole, ...args, ...sent, callee.subject ?? UNKNOWN_VALUE]);
	}

	/** The call that a call of a call makes: `call_user_func(f, x)`, `f.call(null, x)`, `send(:f, x)`. */
	#meantCall(path: string, callee: CodeValue, args: readonly CodeValue[]): MeantCall | null {
		const [first, second, third] = args;
		if (
			/(?:^|\.)(?:call_user_func(?:_array)?|array_map|send|public_send|__send__|methodcaller|do\.call)$/.test(path) &&
			first?.text != null
		)
			return { callee: pathValue(first.text), args: args.slice(1).flatMap((arg) => arg.list ?? [arg]) };
		if (/^Reflect\.apply$/.test(path) && first) return { callee: first, args: third?.list ?? [] };
		if (this.#language !== "javascript" || !/\.(?:call|apply)$/.test(path) || callee.path === null) return null;
		const meant = pathValue(callee.path.replace(/\.(?:call|apply)$/, ""));
		return { callee: meant, args: path.endsWith(".apply") ? (second?.list ?? []) : args.slice(1) };
	}

	/** What a call gives. */
	#result(path: string, callee: CodeValue, args: readonly CodeValue[]): CodeValue {
		if (HOMES.test(path)) return textValue("~");
		// The name of a function that gives the home folder stands for the folder.
		if (path === "" && callee.text === "~") return callee;
		const joins = /(?:path|File|posixpath|ntpath)\.(?:join|resolve)$/.test(path);
		const name = path.slice(path.lastIndexOf(".") + 1);
		const folded = this.#built([callee.subject, ...args], () =>
			joins ? joinPaths(args) : foldCall(name, args, callee.subject),
		);
		if (folded !== UNKNOWN_VALUE) return folded;
		const isPath = /(?:^|\.)(?:Pure(?:Posix)?)?Path$/.test(path);
		return pathValue(`${path}()`, isPath ? joinPaths(args) : args[0]);
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
		if (KEYWORDS.test(name) && !(this.#language === "r" && this.#tokens.is("."))) return UNKNOWN_VALUE;
		const known = this.#variables.get(name);
		const module = this.#defaults.get(name);
		if (module !== undefined && MEMBERS[this.#language].test(this.#tokens.peek()?.value ?? ""))
			return pathValue(module);
		return known ?? pathValue(name);
	}
}

/** Arguments with these names say who asks. A secret in them is where it belongs. */
const CREDENTIAL_PLACES =
	/^(?:headers?|auth|authorization|x-api-key|api_?key|token|password|credentials?|env|environ)$/i;

const THE_ENVIRONMENT = "the environment";

/** Functions that read a variable by its name, or without one all of them. */
const ENVIRONMENT_READERS =
	/^(?:os\.getenv|getenv|os\.environ\.get|environ\.get|ENV\.fetch|Sys\.getenv|System\.getenv|System\.get_env|Deno\.env\.get|Deno\.env\.toObject)$/;

const secretVariable = (name: string): string | undefined =>
	isSecretVariable(name) ? `the variable ${name}` : undefined;

/** A value that the secrets of its parts are in. */
function withSecret(value: CodeValue, parts: readonly CodeValue[]): CodeValue {
	const secret = parts.reduce<string | undefined>((found, part) => found ?? findSecret(part), undefined);
	return secret === undefined || value.secret !== undefined ? value : { ...value, secret };
}

/** The secret in a value: its own, or the whole environment. */
export function findSecret({ secret, path }: CodeValue): string | undefined {
	return secret ?? (path !== null && ENVIRONMENTS.test(path) ? THE_ENVIRONMENT : undefined);
}

const isUnary = ({ kind, value }: CodeToken) => kind === "mark" && /^(?:[-!~\\*&+]|\*\*|\.\.\.)$/.test(value);

/** The size of a value, in characters or items. */
const sizeOf = (value: CodeValue | null | undefined) => (value?.text?.length ?? 0) + (value?.list?.length ?? 0);

interface MeantCall {
	readonly callee: CodeValue;
	readonly args: readonly CodeValue[];
}

/** Functions that load a module. */
const LOADERS = /^(?:require|__import__|import_module|importlib\.import_module|process\.binding)$/;

const HOMES = /(?:^|\.)(?:process\.env\.HOME|os\.homedir\(?\)?|Path\.home|Dir\.home|environ\.HOME)$/;
const ENVIRONMENTS = /^(?:os\.environb?|environ|ENV|%ENV|\$_ENV|\$_SERVER|process\.env)$/;

function canonicalPath(path: string): string {
	const plain = path.replaceAll("::", ".").replace(GLOBAL_PREFIX, "").replace(GLOBAL_PREFIX, "");
	return /[!?]$/.test(plain) && plain !== "*.!" ? plain.slice(0, -1) : plain;
}

/** `Path(a) / b`. */
function joinPath(left: CodeValue, right: CodeValue): CodeValue {
	const first = left.subject ?? left;
	return left.path !== null || left.text === "~" ? pathValue("Path()", joinPaths([first, right])) : UNKNOWN_VALUE;
}

function joinPaths(parts: readonly CodeValue[]): CodeValue {
	const texts = parts.map((part) => part.text ?? part.subject?.text ?? null);
	return texts.length === 0 || texts.some((text) => text === null) ? UNKNOWN_VALUE : bounded(texts.join("/"));
}
