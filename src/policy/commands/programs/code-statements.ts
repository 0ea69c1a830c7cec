// Statements that begin with a word of their own: imports, declarations, loops, printing. They bind names, or hand a call to
// what judges it. All others are expressions, which code-folding.ts follows.
import type { ScriptLanguage } from "../effects.ts";
import type { TokenCursor } from "./code-cursor.ts";
import { type CodeScope, NO_NAMES, PRINTED } from "./code-scope.ts";
import { KEYWORDS, PRINTING, WORD_OPERATORS } from "./code-syntax.ts";
import { type CodeValue, textValue } from "./code-values.ts";

/** Folds such statements from their first word. */
export class StatementFolder {
	readonly #tokens: TokenCursor;
	readonly #language: ScriptLanguage;
	readonly #scope: CodeScope;
	readonly #expression: () => CodeValue;

	/** @param expression Follows the expression that comes next. */
	constructor(tokens: TokenCursor, language: ScriptLanguage, scope: CodeScope, expression: () => CodeValue) {
		this.#tokens = tokens;
		this.#language = language;
		this.#scope = scope;
		this.#expression = expression;
	}

	/** Folds the statement that begins with this word. False where an expression begins with it. */
	fold(word: string): boolean {
		if (word === "import" || word === "from") this.#import();
		else if (word === "const" || word === "let" || word === "var") this.#declaration();
		else if (word === "for" || word === "foreach") this.#loop();
		else if (PRINTING[this.#language].has(word) && this.#printsNext()) this.#print();
		else return false;
		return true;
	}

	/** Whether what follows the word for printing is printed, so that it is no variable of that name. */
	#printsNext(): boolean {
		const next = this.#tokens.peek(1);
		return next !== undefined && (next.kind !== "mark" || /^[(%[{$@\\]$/.test(next.value));
	}

	/** `print a, b`, and `print $handle a` of Perl. */
	#print(): void {
		this.#tokens.next();
		const handle = this.#printHandle();
		const args: CodeValue[] = [];
		do {
			this.#tokens.skipNewlines();
			args.push(this.#expression());
		} while (this.#tokens.take(","));
		this.#scope.judge({ path: handle === null ? PRINTED : `${handle}.print`, args, named: NO_NAMES });
	}

	/** The handle that Perl prints to: a name right before a value. */
	#printHandle(): string | null {
		if (this.#language !== "perl") return null;
		const [handle, next] = [this.#tokens.peek(), this.#tokens.peek(1)];
		const isHandle = handle?.kind === "name" && /^(?:\$\w+|[A-Z]+)$/.test(handle.value);
		const isValue =
			next?.kind === "string" || next?.kind === "name" || (next?.kind === "mark" && /^[%(@]$/.test(next.value));
		if (!isHandle || !isValue || !next.spaced || WORD_OPERATORS.has(next.value) || KEYWORDS.has(next.value))
			return null;
		this.#tokens.next();
		// What a script did not open is a file of the caller's, or the output.
		const { path } = this.#scope.lookUp(handle.value);
		return path === handle.value ? null : path;
	}

	/** A loop's variable has no constant value. */
	#loop(): void {
		this.#tokens.next();
		for (let token = this.#tokens.peek(); token && /^(?:name|mark)$/.test(token.kind); token = this.#tokens.peek()) {
			if (token.kind === "mark" && !/^[(,]$/.test(token.value)) break;
			if (token.value === "in" || token.value === "of") break;
			this.#scope.forget(token.value);
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
		const module = this.#tokens.is(")") ? undefined : this.#expression();
		this.#tokens.take(")");
		this.#scope.load(module);
	}

	#importFrom(): void {
		const [from] = this.#tokens.readNames();
		if (this.#tokens.peek()?.value !== "import") return;
		this.#tokens.next();
		const module = this.#scope.load(textValue(from?.name ?? ""));
		this.#tokens.take("(");
		for (const { name, given } of this.#tokens.readNames()) this.#scope.bind(given, module, name);
	}

	#importNames(): void {
		const names = this.#tokens.readNames();
		while (this.#tokens.take("}") || this.#tokens.takeName("from"));
		const source = this.#tokens.peek();
		if (source?.kind === "string") {
			this.#tokens.next();
			const module = this.#scope.load(textValue(source.value));
			for (const { name, given } of names) this.#scope.bind(given, module, name);
			const [only] = names;
			if (names.length === 1 && only?.name === only?.given && module.path !== null)
				this.#scope.setDefault(only?.given ?? "", module.path);
		} else {
			for (const { name, given } of names) {
				const module = this.#scope.load(textValue(name));
				if (given !== name) this.#scope.set(given, module);
			}
		}
	}

	/** `const { execSync: e } = require('child_process')`. */
	#declaration(): void {
		this.#tokens.next();
		if (!this.#tokens.take("{")) return;
		const names = this.#tokens.readNames();
		this.#tokens.take("}");
		if (!this.#tokens.take("=")) return;
		const value = this.#expression();
		if (value.path !== null) for (const { name, given } of names) this.#scope.bind(given, value, name);
	}
}
