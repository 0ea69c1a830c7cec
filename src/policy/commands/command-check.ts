// The state of one check of commands: what its functions share, from the rules that it holds commands against to what earlier
// commands left behind.
import type { FactorId } from "../factors.ts";
import type { ProtectedPaths } from "../paths.ts";
import type { CommandPlace, FactorReason } from "../reasons.ts";
import type { WorkBudget } from "../work-budget.ts";
import { type AllowedCommand, AllowedCommands } from "./allowed.ts";
import { FileState } from "./file-state.ts";
import { HarmlessCommands } from "./harmless.ts";
import { HarmlessPaths } from "./harmless-paths.ts";
import { PathJudge } from "./judge.ts";
import { type ForbiddenCommand, ForbiddenCommandMatcher } from "./patterns.ts";
import { PipeFlow } from "./pipe-flow.ts";
import { emptyScope, type Scope } from "./scope.ts";
import type { CommandText, ShellScript, SimpleCommand } from "./shell/script.ts";

/** The rules that commands are held against. */
export interface CommandRules {
	readonly protectedPaths: ProtectedPaths;
	readonly forbidden: readonly ForbiddenCommand[];
	readonly allowed: readonly AllowedCommand[];
}

/** The simple command that is being followed, which findings concern. */
interface FollowedPlace extends CommandPlace {
	readonly isAllowed: boolean;
}

/** One check of commands. */
export interface CommandCheck {
	/** Once it is spent, the check ends, and the findings rule nothing out. */
	readonly work: WorkBudget;
	readonly paths: PathJudge;
	readonly forbidden: ForbiddenCommandMatcher;
	readonly pipeFlow: PipeFlow;
	readonly allowed: AllowedCommands;
	/** The commands from which nothing is found. */
	readonly harmless: HarmlessCommands;
	/** Why each factor fired, in the order found. Aside, what is found is not kept. */
	reasons: Map<FactorId, FactorReason[]>;
	isAside: boolean;
	place: FollowedPlace;
	/** Files of the workspace that commands run, whose content is not part of the check. */
	readonly unseenFiles: Set<string>;
	/** All lines of a check run in one shell. */
	readonly scope: Scope;
	readonly files: FileState;
	/** The secrets that variables were given, by the variables. */
	readonly secrets: Map<string, string>;
	/** The scripts of aliases by their texts. */
	readonly aliases: Map<string, ShellScript>;
	/** What commands print, by the command or by its expanded words. Each output is predicted once. */
	readonly outputs: WeakMap<SimpleCommand | readonly string[], { readonly text: string | null }>;
	/** The scopes of what commands substitute, by the scopes of those commands. */
	readonly takenScopes: WeakMap<Scope, Scope>;
	/** When commands that stand in a script more than once were followed last, by what had been learned before. */
	readonly settled: WeakMap<CommandText, { readonly scope: Scope; readonly learned: number }>;
}

/** A check that has followed no command yet. */
export function beginCheck(rules: CommandRules, work: WorkBudget): CommandCheck {
	const { protectedPaths } = rules;
	const harmlessPaths = new HarmlessPaths(protectedPaths, work);
	const pipeFlow = new PipeFlow(rules.forbidden, work);
	const forbidden = new ForbiddenCommandMatcher(rules.forbidden, pipeFlow, work);
	return {
		work,
		paths: new PathJudge(protectedPaths, harmlessPaths, work),
		forbidden,
		pipeFlow,
		allowed: new AllowedCommands(rules.allowed, work),
		harmless: new HarmlessCommands(protectedPaths, harmlessPaths, forbidden, work),
		reasons: new Map(),
		isAside: false,
		place: { command: 0, words: [], redirect: undefined, isAllowed: false, isListable: false },
		unseenFiles: new Set(),
		scope: emptyScope(),
		files: new FileState(work),
		secrets: new Map(),
		aliases: new Map(),
		outputs: new WeakMap(),
		takenScopes: new WeakMap(),
		settled: new WeakMap(),
	};
}
