// What the names in code stand for, and what its calls, sums and members give. Follows no tokens: code-folding.ts does.
import type { ScriptLanguage } from "../effects.ts";
import { findMeantCall, isHome, isLoader, lastName } from "./code-names.ts";
import {
	CREDENTIAL_PLACES,
	ENVIRONMENT_READERS,
	findSecret,
	isEnvironment,
	secretVariable,
	THE_ENVIRONMENT,
	withEitherSecret,
	withSecret,
} from "./code-secrets.ts";
import { addValues, type CodeValue, foldCall, pathValue, textValue, UNKNOWN_VALUE } from "./code-values.ts";

/** The path of a call that prints to the standard output. */
export const PRINTED = "(print)";

/** A call, or a module that is loaded: then the path is `import`. */
export interface CodeCall {
	readonly path: string;
	readonly args: readonly CodeValue[];
	readonly named: ReadonlyMap<string, CodeValue>;
	readonly subject?: CodeValue;
}

/** Characters of values that are read and built in all. Beyond it values count as unknown. */
const VALUE_CHARS = 2_000_000;

/** The size of a value, in characters or items. */
const sizeOf = (value: CodeValue | null | undefined) => (value?.text?.length ?? 0) + (value?.list?.length ?? 0);

export const NO_NAMES: ReadonlyMap<string, CodeValue> = new Map();

/** The names of one script, and the values that are computed in it. Each call is handed to what judges it. */
export class CodeScope {
	readonly #language: ScriptLanguage;
	readonly #variables = new Map<string, CodeValue>();
	/** Modules by the only name of an import: `import cp from 'child_process'`, `import { exec } from 'child_process'`. */
	readonly #defaults = new Map<string, string>();
	readonly #judge: (call: CodeCall) => void;
	#builtChars = 0;

	constructor(language: ScriptLanguage, judge: (call: CodeCall) => void) {
		this.#language = language;
		this.#judge = judge;
	}

	set(name: string, value: CodeValue): void {
		this.#variables.set(name, value);
	}

	forget(name: string): void {
		this.#variables.delete(name);
	}

	setDefault(name: string, module: string): void {
		this.#defaults.set(name, module);
	}

	/** Binds a name that an import or a declaration gives to a member of a module. */
	bind(given: string, module: CodeValue, name: string): void {
		if (name !== "*") this.#variables.set(given, pathValue(`${module.path}.${name}`));
		else if (given !== "*") this.#variables.set(given, module);
	}

	lookUp(name: string): CodeValue {
		return this.#variables.get(name) ?? pathValue(name);
	}

	/** The module that a name stands for where a member of it follows. */
	findDefault(name: string): string | undefined {
		return this.#defaults.get(name);
	}

	/** Takes a call as the code makes it. */
	judge(call: CodeCall): void {
		this.#judge(call);
	}

	/** Loads a module, and names it by its path. */
	load(module: CodeValue | undefined): CodeValue {
		const { text } = module ?? UNKNOWN_VALUE;
		this.#judge({ path: "import", args: [module ?? UNKNOWN_VALUE], named: NO_NAMES });
		return text === null ? UNKNOWN_VALUE : pathValue(text.replace(/^node:/, "").replaceAll("/", "."));
	}

	/** Charges for values that others are computed of. False beyond what may be built. */
	#charge(value: CodeValue | null | undefined): boolean {
		this.#builtChars += sizeOf(value);
		return this.#builtChars <= VALUE_CHARS;
	}

	/** Computes a value of another, while their size is within what may be built. */
	build(part: CodeValue, compute: () => CodeValue): CodeValue {
		const value = this.#charge(part) ? compute() : UNKNOWN_VALUE;
		this.#charge(value);
		return value;
	}

	sum(left: CodeValue, right: CodeValue, operator: string): CodeValue {
		const fits = this.#charge(left) && this.#charge(right);
		const value = fits ? addValues(left, right, operator) : UNKNOWN_VALUE;
		this.#charge(value);
		return withEitherSecret(value, left, right);
	}

	/** A member of a value by its name. Ruby calls it without brackets, too. */
	member(value: CodeValue, name: string, isCalled = true): CodeValue {
		if (this.#language === "ruby" && !isCalled) {
			const folded = this.build(value, () => foldCall(name, [], value));
			if (folded !== UNKNOWN_VALUE) return folded;
		}
		const path = `${value.path ?? "*"}.${name.startsWith("$") ? name.slice(1) : name}`;
		if (isHome(path)) return textValue("~");
		const member = value.fields?.get(name);
		if (member) return member;
		if (name === "__dict__") return value;
		const found = pathValue(path, value.subject ?? value);
		if (value.path === null || !isEnvironment(value.path)) return withEitherSecret(found, value, UNKNOWN_VALUE);
		// In Ruby and Python, members in small letters are methods of the whole.
		const isMethod = /^(?:ruby|python)$/.test(this.#language) && /^[a-z]/.test(name);
		const secret = isMethod ? THE_ENVIRONMENT : secretVariable(name);
		return secret === undefined ? found : { ...found, secret };
	}

	/** Makes a call. Its value is what it gives, as far as that is known. */
	call(callee: CodeValue, args: readonly CodeValue[], named: ReadonlyMap<string, CodeValue>): CodeValue {
		// PHP and Perl call the function that a variable names.
		const namesFunction = this.#language === "php" || this.#language === "perl";
		const path = callee.path ?? (namesFunction ? (callee.text ?? "") : "");
		const meant = findMeantCall(path, args);
		if (meant) return this.call(meant.callee, meant.args, named);
		const [first, second] = args;
		if (isLoader(path)) return this.load(first);
		if (path === "getattr" && first && second?.text != null) return this.member(first, second.text);
		if (path === "vars" && first?.path != null) return first;
		if (path.endsWith(".__getattribute__") && first?.text != null)
			return pathValue(path.replace(/__getattribute__$/, first.text));
		this.#bindPipe(path, first, second);
		this.#judge(callee.subject ? { path, args, named, subject: callee.subject } : { path, args, named });
		return this.#withCarried(path, this.#result(path, callee, args), callee, args, named);
	}

	/** `open(F, "|line")` of Perl: what is printed to the handle goes to the program. */
	#bindPipe(path: string, handle: CodeValue | undefined, target: CodeValue | undefined): void {
		if (path === "open" && this.#language === "perl" && handle?.path != null && /^\s*\|/.test(target?.text ?? ""))
			this.set(handle.path, pathValue("open()"));
	}

	/** The result of a call with the secret that its arguments hold, or that it reads from the environment. */
	#withCarried(
		path: string,
		result: CodeValue,
		callee: CodeValue,
		args: readonly CodeValue[],
		named: ReadonlyMap<string, CodeValue>,
	): CodeValue {
		if (ENVIRONMENT_READERS.has(path)) {
			const name = args[0]?.text ?? null;
			const secret = args.length === 0 ? THE_ENVIRONMENT : name === null ? undefined : secretVariable(name);
			return secret === undefined ? result : { ...result, secret };
		}
		if (result.secret !== undefined) return result;
		if (/^(?:os\.environ|environ|ENV|process\.env)\./.test(path)) return { ...result, secret: THE_ENVIRONMENT };
		const carried = withSecret(result, args);
		if (carried.secret !== undefined) return carried;
		for (const [name, value] of named) {
			const secret = CREDENTIAL_PLACES.test(name) ? undefined : findSecret(value);
			if (secret !== undefined) return { ...result, secret };
		}
		return callee.subject ? withEitherSecret(result, callee.subject, UNKNOWN_VALUE) : result;
	}

	/** What a call gives. */
	#result(path: string, callee: CodeValue, args: readonly CodeValue[]): CodeValue {
		if (isHome(path)) return textValue("~");
		// The name of a function that gives the home folder stands for the folder.
		if (path === "" && callee.text === "~") return callee;
		const name = lastName(path);
		let fits = this.#charge(callee.subject);
		for (const arg of args) fits = this.#charge(arg) && fits;
		if (fits) {
			const folded = foldCall(name, args, callee.subject);
			this.#charge(folded);
			if (folded !== UNKNOWN_VALUE) return folded;
		}
		return pathValue(`${path}()`, args[0]);
	}
}
