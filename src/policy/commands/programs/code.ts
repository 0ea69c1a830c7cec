// Interpreters: which of their words are code, and in which language. What code does is found by the readers of the languages.
import { type CodeLanguage, codeEffect, type ProgramRule, runEffect, writeEffect } from "../effects.ts";
import { isInputFile } from "../locations.ts";
import codeFile from "./code.json" with { type: "json" };

/** An interpreter: the language of its code, and the options whose value is code. */
interface Interpreter {
	readonly language: CodeLanguage;
	/** The letter may end a bundle: `-ne`, `-pe`. */
	readonly option: RegExp;
}

const INTERPRETERS: ReadonlyMap<string, Interpreter> = new Map(
	Object.entries<Interpreter>({
		python: { language: "python", option: /^-[a-zA-Z]*c$/ },
		node: { language: "javascript", option: /^(?:-[a-z]*[ep]|--eval|--print)$/ },
		perl: { language: "perl", option: /^-[a-zA-Z0-9]*[eE]$/ },
		ruby: { language: "ruby", option: /^-[a-zA-Z]*e$/ },
		php: { language: "php", option: /^(?:-[a-z]*[rBRE]|--run)$/ },
		lua: { language: "unread:Lua", option: /^-e$/ },
		deno: { language: "javascript", option: /^eval$/ },
		bun: { language: "javascript", option: /^(?:-e|--eval|-p)$/ },
		osascript: { language: "unread:AppleScript", option: /^-e$/ },
		rscript: { language: "unread:R", option: /^-e$/ },
		julia: { language: "unread:Julia", option: /^(?:-e|--eval|-E)$/ },
		elixir: { language: "unread:Elixir", option: /^(?:-e|--eval)$/ },
		scala: { language: "unread:Scala", option: /^-e$/ },
		groovy: { language: "unread:Groovy", option: /^-e$/ },
		tclsh: { language: "unread:Tcl", option: /^$/ },
		raku: { language: "unread:Raku", option: /^-e$/ },
		swift: { language: "unread:Swift", option: /^-e$/ },
		guile: { language: "unread:Scheme", option: /^-c$/ },
		racket: { language: "unread:Racket", option: /^-e$/ },
		ghc: { language: "unread:Haskell", option: /^-e$/ },
		jshell: { language: "unread:Java", option: /^$/ },
		clojure: { language: "unread:Clojure", option: /^-e$/ },
		r: { language: "unread:R", option: /^-e$/ },
		kotlin: { language: "unread:Kotlin", option: /^-e$/ },
		octave: { language: "unread:Octave", option: /^--eval$/ },
		matlab: { language: "unread:MATLAB", option: /^-(?:batch|r)$/ },
		gnuplot: { language: "unread:gnuplot", option: /^-e$/ },
		maxima: { language: "unread:Maxima", option: /^(?:--batch-string|-r|--run-string)$/ },
		erl: { language: "unread:Erlang", option: /^-eval$/ },
		ocaml: { language: "unread:OCaml", option: /^-e$/ },
		crystal: { language: "unread:Crystal", option: /^eval$/ },
		nim: { language: "unread:Nim", option: /^--eval(?::|$)/ },
		v: { language: "unread:V", option: /^-e$/ },
		dart: { language: "unread:Dart", option: /^-e$/ },
		sbcl: { language: "unread:Common Lisp", option: /^--eval$/ },
		clisp: { language: "unread:Common Lisp", option: /^-x$/ },
		ecl: { language: "unread:Common Lisp", option: /^--?eval$/ },
		bb: { language: "unread:Clojure", option: /^(?:-e|--eval)$/ },
		expect: { language: "unread:Expect", option: /^-c$/ },
	}),
);

const ALIASES: ReadonlyMap<string, string> = new Map(Object.entries(codeFile.aliases));

/** The interpreter that a name means: `python3.12` is python. Null for other names. */
export function findInterpreter(name: string): string | null {
	const plain = name.slice(0, 64).replace(/[0-9.]+$/, "");
	const interpreter = ALIASES.get(name) ?? ALIASES.get(plain) ?? plain;
	return INTERPRETERS.has(interpreter) ? interpreter : null;
}

/** The code given by the option at `at`, in the next word or attached. Null when the word is no such option. */
function codeAt(words: readonly string[], at: number, option: RegExp): string | null {
	const word = words[at] ?? "";
	if (option.test(word)) return words[at + 1] ?? "";
	const long = /^(--[a-z-]+)=(.*)$/s.exec(word);
	if (long) return option.test(long[1] ?? "") ? (long[2] ?? "") : null;
	return /^-[ceErR]./s.test(word) && option.test(word.slice(0, 2)) ? word.slice(2) : null;
}

/** The code that an interpreter is given in its words, or reads. */
export const interpreterRule: ProgramRule = (command) => {
	const name = findInterpreter(command.name) ?? "";
	const { language, option } = INTERPRETERS.get(name) ?? { language: "code", option: /^$/ };
	const texts = command.words.flatMap((_, at) => codeAt(command.words, at, option) ?? []);
	const editsInPlace = /^(?:perl|ruby)$/.test(name) && command.words.some((word) => /^-[a-zA-Z]{0,3}i/.test(word));
	const edits = editsInPlace ? command.options.operands.map((path) => writeEffect(path)) : [];
	if (texts.length > 0) return [...edits, ...texts.map((text) => codeEffect(language, text))];
	const file = command.options.operands[0];
	// `php artisan …`, `python manage.py …`: clients that are a script.
	if (/(?:^|\/)(?:artisan|manage\.py|console)$/.test(file ?? ""))
		return [runEffect(command.words.slice(command.words.indexOf(file ?? "")))];
	const stdin = file === "-" || isInputFile(file ?? "");
	return (file === undefined && command.piped) || stdin ? [{ kind: "interpret", language }] : [];
};
