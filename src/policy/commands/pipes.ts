// What commands read and print, as far as it can be told without running them, and which commands that comes from.
import { commandName, commandWordsOf } from "./patterns.ts";
import { effectsOf } from "./programs/programs.ts";
import { type Allowance, latest, type Scope } from "./scope.ts";
import { expandText, expandWords, scriptsIn } from "./shell/expand.ts";
import { printed } from "./shell/output.ts";
import type { Range, Script, SimpleCommand, Word } from "./shell/script.ts";

/** The inputs and outputs of the commands that are analysed together; each output is worked out once. */
export class Pipes {
	private readonly outputs = new WeakMap<SimpleCommand, { readonly text: string | undefined }>();
	private readonly allowance: Allowance;

	constructor(allowance: Allowance) {
		this.allowance = allowance;
	}

	/** What a command reads: its last here-document or string, else what is piped to it, else what its script reads. */
	inputOf(
		script: Script,
		command: SimpleCommand,
		scope: Scope,
	): { readonly input: string | undefined; readonly piped: boolean } {
		const redirect = command.redirects.findLast(({ operator }) => operator.startsWith("<") && operator !== "<&");
		const output = (nested: Script) => this.outputOf(nested, scope);
		if (redirect && redirect.operator !== "<" && redirect.operator !== "<>") {
			const text = expandText(redirect.target, latest(scope, this.allowance, output));
			return { input: this.allowance.spendCharacters(text.length) ? text : undefined, piped: true };
		}
		if (redirect) {
			const process = scriptsIn(redirect.target).find((nested) => nested.process);
			return { input: process ? this.outputOf(process, scope) : undefined, piped: true };
		}
		if (command.reads) return { input: this.printedBy(script, command.reads, scope), piped: true };
		return { input: scope.input, piped: scope.piped };
	}

	/** What the commands of a range print together; undefined when one of them cannot be told. */
	private printedBy(script: Script, range: Range, scope: Scope): string | undefined {
		const commands = script.commands.slice(range.from, range.to);
		// A group of many commands prints more than a script that would be run from it.
		if (commands.length > 64) return undefined;
		const read = new Set(commands.flatMap(({ reads }) => (reads ? script.commands.slice(reads.from, reads.to) : [])));
		let text = "";
		for (const command of commands) {
			if (read.has(command)) continue;
			const own = this.printedByOne(script, command, scope);
			if (own === undefined || !this.allowance.spendCharacters(own.length)) return undefined;
			text += own;
		}
		return text;
	}

	private printedByOne(script: Script, command: SimpleCommand, scope: Scope): string | undefined {
		const cached = this.outputs.get(command);
		if (cached) return cached.text;
		// Until it is known, a command that reads itself has no known output.
		this.outputs.set(command, { text: undefined });
		const fields = expandWords(
			command.words,
			latest(scope, this.allowance, (nested) => this.outputOf(nested, scope)),
		);
		const { input, piped } = this.inputOf(script, command, scope);
		const silent =
			command.redirects.some(({ operator }) => /^(?:&?>>?|>\|)$/.test(operator)) ||
			(fields.length === 0 && command.redirects.length === 0);
		const text = silent ? "" : printedThrough(fields, input, piped);
		this.outputs.set(command, { text });
		return text;
	}

	/** What a script prints; undefined when that cannot be told. */
	outputOf(script: Script, scope: Scope): string | undefined {
		return this.printedBy(script, { from: 0, to: script.commands.length }, scope);
	}
}

/** What a command prints, also inside wrappers: `sudo echo`, `timeout 5 printf`. */
export function printedThrough(
	fields: readonly string[],
	input: string | undefined,
	piped: boolean,
	layer = 0,
): string | undefined {
	const invocation = commandWordsOf(fields);
	const text = printed(invocation.name, fields.slice(1), input);
	if (text !== undefined || fields.length === 0 || layer > 6) return text;
	for (const effect of effectsOf({ ...invocation, input, piped })) {
		const inner =
			effect.kind === "run" && effect.listed !== true
				? printedThrough(effect.fields, input, piped, layer + 1)
				: undefined;
		if (inner !== undefined) return inner;
	}
	return undefined;
}

function wordsOf(command: SimpleCommand): readonly Word[] {
	return [...command.words, ...command.redirects.map(({ target }) => target)];
}

/** The scripts whose output a command is given as files: `<(…)` and `>(…)`. */
export function processesOf(command: SimpleCommand): readonly Script[] {
	return wordsOf(command)
		.flatMap(scriptsIn)
		.filter((script) => script.process);
}

/** Names of the commands of a script whose output one of them reads or is built from. */
export function sourcesOf(script: Script, command: SimpleCommand): readonly string[] {
	const names: string[] = [];
	const add = ({ words }: SimpleCommand) => {
		for (const word of words.slice(0, 6)) {
			const first = word[0];
			if (first?.kind === "text") names.push(commandName(first.text));
		}
	};
	let reads = command.reads;
	for (let steps = 0; reads && steps < 32; steps += 1) {
		const feeding: readonly SimpleCommand[] = script.commands.slice(reads.from, reads.to).slice(0, 32);
		for (const source of feeding) add(source);
		reads = feeding[0]?.reads;
	}
	for (const nested of wordsOf(command).flatMap(scriptsIn))
		for (const source of nested.commands.slice(0, 32)) add(source);
	return names;
}
