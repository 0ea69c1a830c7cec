// Secrets that a command sends: the environment, variables named like secrets, files that got them. Files that are secrets by
// their names are judged wherever they are read.
import type { WorkBudget } from "../work-budget.ts";
import type { FileState } from "./file-state.ts";
import { type CommandWords, commandName } from "./patterns.ts";
import { wordsAndTargets } from "./pipes.ts";
import { findVariableNames, type Scope } from "./scope.ts";
import secretsFile from "./sent-secrets.json" with { type: "json" };
import { findScripts } from "./shell/expand.ts";
import type { PlacedCommand, SimpleCommand, Word } from "./shell/script.ts";

/** Programs that send what they read or are given, and those that send credentials to log in as a matter of course. */
const SENDERS: ReadonlySet<string> = new Set([...secretsFile.senders, ...secretsFile.request_senders]);
const REQUEST_SENDERS: ReadonlySet<string> = new Set(secretsFile.request_senders);
const ENVIRONMENT_PRINTERS: ReadonlySet<string> = new Set(secretsFile.environment_printers);

const SECRET_NAME =
	/(?:^|_)(?:SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PRIVATE_KEY|ACCESS_KEY|API_KEY)(?:_|$)/i;

/** The commands whose output a command gets by its pipe or in its words. */
function* findFeeders({ script, command }: PlacedCommand, work: WorkBudget): Iterable<SimpleCommand> {
	const seen = new Set<SimpleCommand>();
	const open: PlacedCommand[] = [{ script, command }];
	for (let next = open.pop(); next; next = open.pop()) {
		const { reads } = next.command;
		const read = reads ? next.script.commands.slice(reads.from, reads.to) : [];
		const nested = wordsAndTargets(next.command).flatMap(findScripts);
		const found = [
			...read.map((feeder) => ({ script: next.script, command: feeder })),
			...nested.flatMap((inner) => inner.commands.map((feeder) => ({ script: inner, command: feeder }))),
		];
		if (!work.charge(50 + 20 * found.length + 15 * next.command.size)) return;
		for (const feeder of found) {
			if (seen.has(feeder.command)) continue;
			seen.add(feeder.command);
			open.push(feeder);
			yield feeder.command;
		}
	}
}

function literalName(command: SimpleCommand): string {
	const part = command.words[0]?.[0];
	return part?.kind === "text" ? commandName(part.text) : "";
}

/** The name of a variable among the words whose name says that it holds a secret. */
function findSecretVariable(words: readonly Word[]): string | null {
	for (const word of words) for (const name of findVariableNames(word)) if (SECRET_NAME.test(name)) return name;
	return null;
}

/** What of the environment a command prints. Null for other commands. */
function findPrintedSecret(command: SimpleCommand): string | null {
	const name = literalName(command);
	const variable = findSecretVariable(wordsAndTargets(command));
	if (variable !== null) return `$${variable}`;
	if (!ENVIRONMENT_PRINTERS.has(name)) return null;
	return name === "env" && command.words.length > 1 ? null : "the environment";
}

/**
 * The words of a request that are sent as they are. Headers, users and addresses carry a client's own key to the service
 * that it is for, so a variable in them is no finding.
 */
function findSentWords({ words }: SimpleCommand): readonly Word[] {
	return words.filter((_, at) => {
		const before = words[at - 1]?.[0];
		const own = words[at]?.[0];
		const option = before?.kind === "text" ? before.text : "";
		const attached = own?.kind === "text" ? own.text : "";
		return (
			/^(?:-d|-F|--data(?:-\w+)?|--form|--json|--post-data)$/.test(option) ||
			/^--(?:data|form|post-data|json)/.test(attached)
		);
	});
}

/** What secret a command sends. Null where it sends none. */
export function findSentSecret(
	{ name, words }: CommandWords,
	placed: PlacedCommand,
	{ folders }: Scope,
	files: FileState,
	work: WorkBudget,
): string | null {
	if (!SENDERS.has(name)) return null;
	for (const word of words) {
		const path = word.replace(/^(?:[^@=]*=)?[@<]/, "");
		if (files.find(path, folders)?.origin === "secret") return `${path}, which holds secrets`;
	}
	for (const feeder of findFeeders(placed, work)) {
		const secret = findPrintedSecret(feeder);
		if (secret !== null) return secret;
	}
	const own = REQUEST_SENDERS.has(name) ? findSentWords(placed.command) : wordsAndTargets(placed.command);
	const variable = literalName(placed.command) === name ? findSecretVariable(own) : null;
	return variable === null ? null : `$${variable}`;
}

/** Whether a command, or one that feeds it, prints the environment. */
export function printsSecrets(placed: PlacedCommand, work: WorkBudget): boolean {
	if (findPrintedSecret(placed.command) === "the environment") return true;
	for (const feeder of findFeeders(placed, work)) if (findPrintedSecret(feeder) === "the environment") return true;
	return false;
}
