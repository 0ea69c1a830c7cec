// The part of a walk that follows texts which are run: as scripts of a shell, or as code of another language.
import { LISTED, shortenForReason, UNKNOWN } from "../placeholders.ts";
import type { WorkBudget } from "../work-budget.ts";
import { findCodeReader } from "./code-readers.ts";
import type { CodeLanguage } from "./effects.ts";
import type { FileFlow } from "./file-flow.ts";
import type { FindingCollector } from "./findings.ts";
import { type CommandFrame, innerFrame, MAX_WRAPPING_DEPTH, type Walk } from "./frames.ts";
import { processSubstitutions, sourceCommandNames } from "./pipes.ts";
import type { Scope } from "./scope.ts";
import { expandWords } from "./shell/expand.ts";
import { DECODERS } from "./shell/output.ts";
import { parseShell } from "./shell/parse.ts";
import { type ShellScript, WALK_PIECE_WORK } from "./shell/script.ts";
import type { ShellState } from "./shell-state.ts";
import { DOWNLOADERS } from "./transfers.ts";

/** Units of work for a piece of code of any length. */
const CODE_WORK = 500;

/** Follows texts, and what a command reads where it runs that. */
export class TextWalk {
	readonly #walk: Walk;
	readonly #findings: FindingCollector;
	readonly #state: ShellState;
	readonly #flow: FileFlow;
	readonly #work: WorkBudget;

	constructor(walk: Walk, findings: FindingCollector, state: ShellState, flow: FileFlow, work: WorkBudget) {
		this.#walk = walk;
		this.#findings = findings;
		this.#state = state;
		this.#flow = flow;
		this.#work = work;
	}

	/** Follows a text as a script. A guess may be no script at all, so it need not parse. */
	follow(text: string, scope: Scope, isGuess: boolean): void {
		const read = this.read(text, scope, isGuess);
		if (read !== null) this.#walk.followScript(read.script, read.scope);
	}

	/** Parses a text as a script, and gives the scope to follow it in; null once the work is spent. */
	read(text: string, scope: Scope, isGuess: boolean): { script: ShellScript; scope: Scope } | null {
		if (this.#work.spent) return null;
		const script = parseShell(text, scope.depth, this.#work, scope.piecesAround);
		if (script.malformed && !isGuess) this.#addUnparsable(script, text, scope);
		if (script.tooDeep) this.#work.exhaust();
		return { script, scope: { ...scope, piecesAround: scope.piecesAround + script.size } };
	}

	/** Adds a finding for a script with an error, unless its only command is allowed. */
	#addUnparsable({ commands }: ShellScript, text: string, scope: Scope): void {
		const only = commands.length === 1 && scope.depth === 0 ? commands[0] : undefined;
		const [environment] = only ? this.#state.environments(only, scope) : [];
		if (only && environment && this.#findings.allows(expandWords(only.words, environment), only.redirects)) return;
		this.#findings.add("unparsable_command", shortenForReason(text));
	}

	/** Follows a text that a command runs as a script. */
	followScript(text: string, parameters: readonly string[], frame: CommandFrame, isGuess: boolean): void {
		const only = text.trim();
		if (only === LISTED) this.#findings.add("forbidden_command", "runs whatever a list names");
		else if (only === UNKNOWN) this.#addUnseenCode(frame);
		const scope = { ...frame.scope, parameters, input: frame.input, piped: frame.piped, depth: frame.depth };
		this.#followNested(text, scope, isGuess);
	}

	#followNested(text: string, scope: Scope, isGuess: boolean): void {
		if (scope.depth > MAX_WRAPPING_DEPTH) this.#work.exhaust();
		else this.follow(text, scope, isGuess);
	}

	/** Follows a text that a command runs as code of a language. */
	followCode(language: CodeLanguage, text: string, frame: CommandFrame): void {
		// `psql -f -` names its input a second time.
		if (!frame.followed.add([language, text])) return;
		const { read, unitsPerCharacter } = findCodeReader(language);
		if (!this.#work.charge(CODE_WORK + unitsPerCharacter * text.length)) return;
		if (text.trim() === UNKNOWN) this.#addUnseenCode(frame);
		for (const effect of read(text, this.#work)) {
			if (this.#work.spent) return;
			this.#walk.followEffect(effect, innerFrame(frame), false);
		}
	}

	/** Follows what the command reads, and the files that its process substitutions are, as code that it runs. */
	followInput(language: "shell" | CodeLanguage, frame: CommandFrame): void {
		if (!this.#work.charge(WALK_PIECE_WORK * frame.command.size)) return;
		const processes = processSubstitutions(frame.command);
		const texts = processes.map((script) => this.#state.pipes.predictScriptOutput(script, frame.scope));
		if (processes.length === 0 || frame.input !== null) texts.push(frame.input);
		for (const text of texts) {
			if (text === null) this.#addUnseenCode(frame);
			else if (language === "shell") this.followScript(text, [], { ...frame, input: null, piped: false }, false);
			else this.followCode(language, text, frame);
		}
	}

	/** Adds a finding for code that is not in the command. How bad it is depends on where the code comes from. */
	#addUnseenCode(frame: CommandFrame): void {
		const sources = sourceCommandNames(frame, this.#work);
		const hidden = sources.find((name) => DOWNLOADERS.has(name) || DECODERS.has(name));
		if (hidden === undefined && this.#flow.findInputOrigin(frame) === "download")
			this.#findings.add("forbidden_command", "runs a download");
		else if (hidden === undefined) this.#findings.addUnknownRun("runs code that is not in the command");
		else this.#findings.add("forbidden_command", `runs what ${hidden} outputs`);
	}
}
