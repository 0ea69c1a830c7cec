// What commands read and print, as far as it can be told without running them, and which commands that comes from.
import { foldingWork } from "../look-alikes.ts";
import type { WorkBudget } from "../work-budget.ts";
import { commandName, parseCommandWords } from "./patterns.ts";
import { findCommandEffects } from "./programs/programs.ts";
import { latestEnvironment, type Scope } from "./scope.ts";
import { expandText, expandWords, findScripts } from "./shell/expand.ts";
import { predictOutput } from "./shell/output.ts";
import { type CommandRange, type ShellScript, type SimpleCommand, WALK_PIECE_WORK, type Word } from "./shell/script.ts";

/** Commands of a group whose output is told. */
const MAX_GROUP_COMMANDS = 64;

/** Units of work for telling an output besides what it copies, and for each piece that was read for a command. */
const OUTPUT_WORK = 100;

/** The inputs and outputs of the commands that are analysed together; each output is worked out once. */
export class Pipes {
	readonly #outputs = new WeakMap<SimpleCommand, { readonly text: string | null }>();
	readonly #work: WorkBudget;

	constructor(work: WorkBudget) {
		this.#work = work;
	}

	/** What a command reads: its last here-document or string, else what is piped to it, else what its script reads. */
	findInput(
		script: ShellScript,
		command: SimpleCommand,
		scope: Scope,
	): { readonly input: string | null; readonly piped: boolean } {
		const redirect = command.redirects.findLast(({ operator }) => operator.startsWith("<") && operator !== "<&");
		const output = (nested: ShellScript) => this.predictScriptOutput(nested, scope);
		if (redirect && redirect.operator !== "<" && redirect.operator !== "<>") {
			const text = expandText(redirect.target, latestEnvironment(scope, this.#work, output));
			return { input: this.#work.spent ? null : text, piped: true };
		}
		if (redirect) {
			const process = findScripts(redirect.target).find((nested) => nested.process);
			return { input: process ? this.predictScriptOutput(process, scope) : null, piped: true };
		}
		if (command.reads) return { input: this.#printedBy(script, command.reads, scope), piped: true };
		return { input: scope.input, piped: scope.piped };
	}

	/** What the commands of a range print together; undefined when one of them cannot be told. */
	#printedBy(script: ShellScript, range: CommandRange, scope: Scope): string | null {
		// A group of many commands prints more than a script that would be run from it.
		if (range.to - range.from > MAX_GROUP_COMMANDS) return null;
		const commands = script.commands.slice(range.from, range.to);
		const isRead = (at: number) => commands.some(({ reads }) => reads && reads.from <= at && at < reads.to);
		let text = "";
		for (const [at, command] of commands.entries()) {
			if (!this.#work.charge(OUTPUT_WORK + 2 * commands.length)) return null;
			if (isRead(range.from + at)) continue;
			const own = this.#printedByOne(script, command, scope);
			if (own === null || !this.#work.charge(own.length)) return null;
			text += own;
		}
		return text;
	}

	#printedByOne(script: ShellScript, command: SimpleCommand, scope: Scope): string | null {
		const cached = this.#outputs.get(command);
		if (cached) return cached.text;
		// Until it is known, a command that reads itself has no known output.
		this.#outputs.set(command, { text: null });
		if (!this.#work.charge(WALK_PIECE_WORK * command.size)) return null;
		const fields = expandWords(
			command.words,
			latestEnvironment(scope, this.#work, (nested) => this.predictScriptOutput(nested, scope)),
		);
		const { input, piped } = this.findInput(script, command, scope);
		const silent =
			command.redirects.some(({ operator }) => /^(?:&?>>?|>\|)$/.test(operator)) ||
			(fields.length === 0 && command.redirects.length === 0);
		const text = silent ? "" : predictWrappedOutput(fields, input, piped, this.#work);
		this.#outputs.set(command, { text });
		return text;
	}

	/** What a script prints; undefined when that cannot be told. */
	predictScriptOutput(script: ShellScript, scope: Scope): string | null {
		return this.#printedBy(script, { from: 0, to: script.commands.length }, scope);
	}
}

/** What a command prints, also inside wrappers: `sudo echo`, `timeout 5 printf`. */
export function predictWrappedOutput(
	fields: readonly string[],
	input: string | null,
	piped: boolean,
	work: WorkBudget,
	layer = 0,
): string | null {
	const words = work.charge(OUTPUT_WORK) ? parseCommandWords(fields, work) : null;
	if (!words) return null;
	const text = predictOutput(words.name, fields.slice(1), input, work);
	if (text !== null || fields.length === 0 || layer > 6) return text;
	for (const effect of findCommandEffects({ ...words, input, piped, work })) {
		if (work.spent) return null;
		const inner =
			effect.kind === "run" && effect.listed !== true
				? predictWrappedOutput(effect.fields, input, piped, work, layer + 1)
				: null;
		if (inner !== null) return inner;
	}
	return null;
}

function wordsAndTargets(command: SimpleCommand): readonly Word[] {
	return [...command.words, ...command.redirects.map(({ target }) => target)];
}

/** The scripts whose output a command is given as files: `<(…)` and `>(…)`. */
export function processSubstitutions(command: SimpleCommand): readonly ShellScript[] {
	return wordsAndTargets(command)
		.flatMap(findScripts)
		.filter((script) => script.process);
}

/** Commands that are looked for their names among those that a command reads from. */
const MAX_SOURCES = 32;

/** Names of the commands of a script whose output one of them reads or is built from. */
export function sourceCommandNames(script: ShellScript, command: SimpleCommand, work: WorkBudget): readonly string[] {
	const names: string[] = [];
	const add = (commands: readonly SimpleCommand[]) => {
		for (const { words } of commands) {
			for (const word of words.slice(0, 6)) {
				const text = word[0]?.kind === "text" ? word[0].text : "";
				if (work.charge(OUTPUT_WORK + foldingWork(text) + 6 * text.length)) names.push(commandName(text));
			}
		}
	};
	let reads = command.reads;
	for (let steps = 0; reads && steps < MAX_SOURCES; steps++) {
		add(script.commands.slice(reads.from, Math.min(reads.to, reads.from + MAX_SOURCES)));
		reads = script.commands[reads.from]?.reads ?? null;
	}
	if (!work.charge(WALK_PIECE_WORK * command.size)) return names;
	for (const nested of wordsAndTargets(command).flatMap(findScripts)) add(nested.commands.slice(0, MAX_SOURCES));
	return names;
}
