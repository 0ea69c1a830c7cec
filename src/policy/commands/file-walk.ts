// The part of a walk that follows files: redirects into them, files and tasks that a command runs. What files hold is
// recorded by file-flow.ts.
import { foldingWork } from "../look-alikes.ts";
import { normalizingWork } from "../paths.ts";
import { shortenForReason } from "../placeholders.ts";
import type { WorkBudget } from "../work-budget.ts";
import type { CodeLanguage } from "./effects.ts";
import { namesComputedElement } from "./evaluated.ts";
import type { FileFlow } from "./file-flow.ts";
import {
	type FileRun,
	findFileRuns,
	findForeignTaskFolders,
	findNamedTaskFiles,
	findRunPlace,
	findTaskFiles,
	findTaskLines,
	guessLanguage,
} from "./file-runs.ts";
import type { FileState } from "./file-state.ts";
import type { FindingCollector } from "./findings.ts";
import { type CommandFrame, innerFrame, type Walk } from "./frames.ts";
import { isDisk, isInputFile, locatePath } from "./locations.ts";
import type { CommandWords } from "./patterns.ts";
import { isPublishingFile, isShownOnly } from "./programs/publishing.ts";
import { type Environment, expandText } from "./shell/expand.ts";
import type { Redirect } from "./shell/script.ts";
import type { TextWalk } from "./text-walk.ts";
import type { ValueWalk } from "./value-walk.ts";

/** Follows what commands do with files, beyond reading and writing them by their words. */
export class FileWalk {
	readonly #walk: Walk;
	readonly #texts: TextWalk;
	readonly #values: ValueWalk;
	readonly #findings: FindingCollector;
	readonly #files: FileState;
	readonly #flow: FileFlow;
	readonly #work: WorkBudget;

	constructor(
		walk: Walk,
		texts: TextWalk,
		values: ValueWalk,
		findings: FindingCollector,
		files: FileState,
		flow: FileFlow,
		work: WorkBudget,
	) {
		this.#walk = walk;
		this.#texts = texts;
		this.#values = values;
		this.#findings = findings;
		this.#files = files;
		this.#flow = flow;
		this.#work = work;
	}

	/** Follows the redirects of a command with these words. */
	followRedirects(fields: readonly string[], environment: Environment, frame: CommandFrame): void {
		for (const redirect of frame.command.redirects) {
			if (this.#work.spent) return;
			this.#followRedirect(redirect, fields, environment, frame);
		}
	}

	#followRedirect(
		{ operator, target }: Redirect,
		fields: readonly string[],
		environment: Environment,
		frame: CommandFrame,
	): void {
		if (operator === "<<") return;
		const path = expandText(target, environment);
		this.#findings.atRedirect(operator, path, () => this.#followTarget(operator, path, fields, frame));
	}

	#followTarget(operator: Redirect["operator"], path: string, fields: readonly string[], frame: CommandFrame): void {
		if (operator === "<<<") {
			if (namesComputedElement(path)) this.#values.followExpansions(path, frame.scope);
			return;
		}
		const isDescriptor = /^[<>]&$/.test(operator) && /^(?:[0-9]+-?|-)$/.test(path);
		if (/^\/dev\/(?:tcp|udp)\//.test(path))
			this.#findings.add("forbidden_command", `opens a connection: ${shortenForReason(path)}`);
		else if (operator === "<") this.#walk.followEffect({ kind: "read", path }, frame, false);
		else if (!isDescriptor) {
			this.#flow.recordRedirect(path, fields, frame, operator.endsWith(">>"));
			const isSilent = fields.length < 2 && /^(?:|:|true)$/.test(fields[0] ?? "");
			this.#followWriteRedirect(path, operator === ">" && isSilent, frame);
		}
	}

	/** Follows a redirect into a file. The redirect of a command that prints nothing empties the file. */
	#followWriteRedirect(path: string, empties: boolean, frame: CommandFrame): void {
		if (!this.#work.charge(2 * foldingWork(path) + 2 * normalizingWork(path))) return;
		if (isDisk(path)) this.#findings.add("forbidden_command", `overwrites the disk ${shortenForReason(path)}`);
		if (empties && locatePath(path) !== "temporary")
			this.#findings.add("delete_action", `empties ${shortenForReason(path)}`);
		this.#walk.followEffect({ kind: "write", path, reach: "itself" }, frame, false);
	}

	/** Follows the files that a command runs, and those that a task runner takes its tasks from. */
	followFileRuns(words: CommandWords, fields: readonly string[], frame: CommandFrame): void {
		for (const run of findFileRuns(words, fields[0] ?? "")) {
			this.#followFileRun(run, frame);
			this.#followPublishingFile(run, words, frame);
		}
		for (const folder of findForeignTaskFolders(words, frame.scope.folders.at(-1) ?? ""))
			this.#findings.addUnknownRun(`runs tasks of ${shortenForReason(folder)}, which is outside the workspace`);
		for (const path of findNamedTaskFiles(words)) this.#followNamedTasks(path, frame);
		for (const path of findTaskFiles(words)) {
			const contents = this.#files.find(path, frame.scope.folders);
			if (contents?.origin === "download") this.#addDownloadRun(path);
			const isInput = path === "-" || isInputFile(path);
			if (isInput && frame.input === null) this.#findings.addUnknownRun("runs tasks that are not in the command");
			const text = isInput ? frame.input : (contents?.text ?? null);
			if (text === null) continue;
			// One level deeper, because a task may run the task runner.
			for (const line of findTaskLines(words.name, text)) this.#texts.followScript(line, [], innerFrame(frame), true);
		}
	}

	/** Asks about a file of tasks that lies outside the workspace and that the check does not know. */
	#followNamedTasks(path: string, { scope: { folders } }: CommandFrame): void {
		const place = findRunPlace({ path, language: "shell", parameters: [] }, folders.at(-1) ?? "");
		if (place === "elsewhere" && !this.#files.find(path, folders))
			this.#findings.addUnknownRun(`runs tasks of ${shortenForReason(path)}, which is not the workspace's`);
	}

	/** Asks about a file that is named as one that publishes. `bash -n` only reads it, and many scripts take `-n` for a dry run. */
	#followPublishingFile({ path, optional }: FileRun, { words }: CommandWords, frame: CommandFrame): void {
		if (optional || !isPublishingFile(path) || words.includes("-n") || isShownOnly(words)) return;
		const content = this.#files.find(path, frame.scope.folders)?.text ?? null;
		if (content === null) this.#findings.add("deploy_action", `runs the script ${shortenForReason(path)}`);
	}

	/** Follows a file that code loads. One that the check did not write is passed over. */
	followNamedFile(path: string, language: "shell" | CodeLanguage, frame: CommandFrame): void {
		this.#followFileRun({ path, language, parameters: [path], optional: true }, frame);
	}

	/** Follows a file by its content, one level deeper, because a file may run itself. */
	#followFileRun(run: FileRun, frame: CommandFrame): void {
		const { path, language, parameters } = run;
		if (language !== null && (frame.piped || frame.input !== null) && (path === "-" || isInputFile(path))) {
			this.#walk.followEffect({ kind: "interpret", language }, frame, false);
			return;
		}
		const contents = this.#files.find(path, frame.scope.folders);
		const inner = innerFrame(frame);
		if (language !== null && /^https?:\/\//i.test(path)) this.#addDownloadRun(path);
		else if (!contents) this.#followUnseenFile(run, frame.scope.folders.at(-1) ?? "");
		else if (contents.program !== null)
			this.#walk.followCommand([contents.program, ...parameters.slice(1)], inner, false);
		else if (contents.text !== null) {
			const spoken = language ?? guessLanguage(path, contents.text);
			if (spoken === "shell") this.#texts.followScript(contents.text, parameters, inner, true);
			else this.#texts.followCode(spoken, contents.text, inner);
		} else if (contents.origin === "download") this.#addDownloadRun(path);
		else this.#findings.addUnknownRun(`runs ${shortenForReason(path)}, whose content the check cannot see`);
	}

	#addDownloadRun(path: string): void {
		this.#findings.add("forbidden_command", `runs the download ${shortenForReason(path)}`);
	}

	/** Follows a file that the check did not touch: one of the workspace is only named, one from elsewhere asks. */
	#followUnseenFile(run: FileRun, folder: string): void {
		const { path } = run;
		const place = findRunPlace(run, folder);
		if (place === "workspace") this.#findings.addUnseenFile(path);
		else if (place === "elsewhere")
			this.#findings.addUnknownRun(`runs ${shortenForReason(path)}, which is not one of the workspace's own files`);
	}
}
