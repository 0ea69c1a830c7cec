// The table of readiness checks: what is checked, its weight, and what to change. Scoring is in readiness.ts.
import { isBlankText } from "./quote.ts";
import {
	CI_PATHS,
	DELETING_COMMANDS,
	DESTROYING_COMMANDS,
	HISTORY_COMMANDS,
	INFRASTRUCTURE_PATHS,
	LOCK_PATHS,
	PUBLISHING_COMMANDS,
	SECRET_PATHS,
} from "./readiness-probes.ts";
import { findRepeated, type ReadinessSubject } from "./readiness-subject.ts";

/** One row of the table. Passing it earns its weight. After a failure, `rec` says what to change. */
interface ReadinessCheck {
	id: string;
	label: string;
	weight: number;
	passed(subject: ReadinessSubject): boolean;
	rec(subject: ReadinessSubject): string;
}

/** Renders entries by position. Their text could address whoever reads the advice. */
function renderPositions(field: string, positions: readonly number[]): string {
	const listed = positions.slice(0, 5).map((position) => `${field}[${position}]`);
	return positions.length > listed.length
		? `${listed.join(", ")} and ${positions.length - listed.length} more`
		: listed.join(", ");
}

/** What to change in a list whose entries have no effect. @param idle what is wrong with entries that match nothing. */
function adviseOnEntries(
	field: string,
	entries: Pick<ReadinessSubject["paths"], "named" | "idle" | "repeated">,
	{ empty, idle }: { empty: string; idle: string },
): string {
	const advice = [
		entries.named === 0 && empty,
		entries.idle.length > 0 && `Correct or remove ${renderPositions(field, entries.idle)}: ${idle}`,
		entries.repeated.length > 0 && `Remove ${renderPositions(field, entries.repeated)}: it stands further up already.`,
	];
	return advice.filter((text) => text !== false).join(" ");
}

/** A technology is a name. Longer entries are descriptions. */
const MAX_STACK_NAME_CHARS = 60;

function findUnclearStackEntries({ manifest }: ReadinessSubject): number[] {
	const repeated = findRepeated(manifest.stack.map((entry) => entry.toLowerCase()));
	return manifest.stack.flatMap((entry, position) =>
		isBlankText(entry) || entry.length > MAX_STACK_NAME_CHARS || repeated.includes(position) ? [position] : [],
	);
}

const PROJECT_CHECKS: readonly ReadinessCheck[] = [
	{
		id: "project_named",
		label: "The project has a name",
		weight: 3,
		passed: ({ manifest }) => manifest.project_name !== null && !isBlankText(manifest.project_name),
		rec: () => 'Set project_name to the name people use for the project, for example "Order service".',
	},
	{
		id: "stack_listed",
		label: "The stack is listed",
		weight: 4,
		passed: ({ manifest }) => manifest.stack.some((entry) => !isBlankText(entry)),
		rec: () =>
			'List the languages, frameworks and stores in stack, for example ["TypeScript 5", "Hono", "PostgreSQL 16"].',
	},
	{
		id: "stack_clear",
		label: "The stack is a list of distinct names",
		weight: 2,
		passed: (subject) => subject.manifest.stack.length > 0 && findUnclearStackEntries(subject).length === 0,
		rec: (subject) =>
			subject.manifest.stack.length === 0
				? 'Write one technology per entry of stack, for example "Go 1.24".'
				: `Make each entry of stack one short name, once: ${renderPositions("stack", findUnclearStackEntries(subject))} is blank, repeated or longer than ${MAX_STACK_NAME_CHARS} characters.`,
	},
];

const PROTECTED_PATH_CHECKS: readonly ReadinessCheck[] = [
	{
		id: "protected_paths_listed",
		label: "Protected paths are listed",
		weight: 6,
		passed: ({ paths }) => paths.named > 0,
		rec: () =>
			'List in protected_paths what an agent must not write without approval, for example ["infra/", ".github/workflows/", "migrations/"].',
	},
	{
		id: "secrets_protected",
		label: "Protected paths cover where secrets are kept",
		weight: 5,
		passed: ({ paths }) => paths.catches(SECRET_PATHS),
		rec: () =>
			'Add where this repository keeps credentials to protected_paths, for example "secrets/" or ".env*"; the built-in rules know only common file names.',
	},
	{
		id: "ci_protected",
		label: "Protected paths cover the CI definitions",
		weight: 4,
		passed: ({ paths }) => paths.catches(CI_PATHS),
		rec: () =>
			'Add the CI definitions to protected_paths, for example ".github/workflows/": what is changed there runs with the repository\'s own credentials.',
	},
	{
		id: "infrastructure_protected",
		label: "Protected paths cover infrastructure, deployment or migrations",
		weight: 4,
		passed: ({ paths }) => paths.catches(INFRASTRUCTURE_PATHS),
		rec: () =>
			'Add what changes machines or stored records to protected_paths, for example "infra/", "migrations/" or "Dockerfile".',
	},
	{
		id: "lockfiles_protected",
		label: "Protected paths cover the dependency lockfile",
		weight: 2,
		passed: ({ paths }) => paths.catches(LOCK_PATHS),
		rec: () =>
			'Add the lockfile to protected_paths, for example "package-lock.json" or "*.lock", so that a new dependency needs a yes.',
	},
	{
		id: "protected_paths_bounded",
		label: "No protected path covers the whole repository",
		weight: 3,
		passed: ({ paths }) => paths.named > 0 && paths.broad.length === 0,
		rec: ({ paths }) =>
			paths.broad.length > 0
				? `Narrow ${renderPositions("protected_paths", paths.broad)}: it protects every file, so every edit needs approval and approval stops meaning anything. Name folders, for example "infra/".`
				: 'Name folders or files in protected_paths, for example "infra/", rather than a pattern such as "**".',
	},
	{
		id: "protected_paths_effective",
		label: "Every protected path can match a file, and stands once",
		weight: 2,
		passed: ({ paths }) => paths.named > 0 && paths.idle.length === 0 && paths.repeated.length === 0,
		rec: ({ paths }) =>
			adviseOnEntries("protected_paths", paths, {
				empty: 'Write protected_paths as gitignore-style globs from the root of the repository, for example "infra/".',
				idle: 'it matches no file. Write globs from the root of the repository with "/", without "..", for example "infra/".',
			}),
	},
];

const FORBIDDEN_COMMAND_CHECKS: readonly ReadinessCheck[] = [
	{
		id: "forbidden_commands_listed",
		label: "Forbidden commands are listed",
		weight: 6,
		passed: ({ commands }) => commands.named > 0,
		rec: () =>
			'List in forbidden_commands what must never run, for example ["rm -rf", "git push --force", "terraform destroy"].',
	},
	{
		id: "deletion_forbidden",
		label: "Forbidden commands cover deleting files wholesale",
		weight: 4,
		passed: ({ commands }) => commands.catches(DELETING_COMMANDS),
		rec: () => 'Add wholesale deletion to forbidden_commands, for example "rm -rf" and "git clean -f".',
	},
	{
		id: "history_rewrite_forbidden",
		label: "Forbidden commands cover rewriting history",
		weight: 4,
		passed: ({ commands }) => commands.catches(HISTORY_COMMANDS),
		rec: () =>
			'Add the rewriting of history to forbidden_commands, for example "git push --force" and "git reset --hard".',
	},
	{
		id: "destruction_forbidden",
		label: "Forbidden commands cover destroying infrastructure or stored records",
		weight: 3,
		passed: ({ commands }) => commands.catches(DESTROYING_COMMANDS),
		rec: () =>
			'Add what destroys machines or records to forbidden_commands, for example "terraform destroy", "kubectl delete" or "dropdb".',
	},
	{
		id: "publishing_forbidden",
		label: "Forbidden commands cover publishing or deploying",
		weight: 2,
		passed: ({ commands }) => commands.catches(PUBLISHING_COMMANDS),
		rec: () =>
			'Add what only your release process may run to forbidden_commands, for example "npm publish" or "wrangler deploy".',
	},
	{
		id: "forbidden_commands_bounded",
		label: "No forbidden command stops an agent from reading",
		weight: 3,
		passed: ({ commands }) => commands.named > 0 && commands.broad.length === 0,
		rec: ({ commands }) =>
			commands.broad.length > 0
				? `Narrow ${renderPositions("forbidden_commands", commands.broad)}: it forbids looking around (such as ls or git status). Name the harmful form, for example "git push --force" rather than "git".`
				: 'Name harmful commands with their flags in forbidden_commands, for example "git push --force" rather than "git".',
	},
	{
		id: "forbidden_commands_effective",
		label: "Every forbidden command can match a command, and stands once",
		weight: 2,
		passed: ({ commands }) => commands.named > 0 && commands.idle.length === 0 && commands.repeated.length === 0,
		rec: ({ commands }) =>
			adviseOnEntries("forbidden_commands", commands, {
				empty: 'Write forbidden_commands as they would be typed, for example "terraform destroy".',
				idle: 'it matches no command. Write a command as it would be typed, for example "terraform destroy".',
			}),
	},
];

const GATE_CHECKS: readonly ReadinessCheck[] = [
	{
		id: "risk_gate_required",
		label: "Agents must pass the risk gate",
		weight: 7,
		passed: ({ manifest }) => manifest.require_risk_gate,
		rec: () => "Set require_risk_gate to true, so that agents call POST /v1/policy/check before they act.",
	},
	{
		id: "handoffs_required",
		label: "Agents must record handoffs",
		weight: 6,
		passed: ({ manifest }) => manifest.require_handoffs,
		rec: () => "Set require_handoffs to true, so that agents record POST /v1/handoff before they hand work over.",
	},
];

// A chain that does not verify proves nothing, so it fails all four checks.
const LEDGER_CHECKS: readonly ReadinessCheck[] = [
	{
		id: "ledger_intact",
		label: "The handoff chain verifies",
		weight: 12,
		passed: ({ ledger }) => ledger.ok,
		rec: () =>
			"Find out what happened to the handoff chain: read verification.reasons and first_broken_index of GET /v1/handoff/chain/{workspace_id}, rely on no entry from there on, and go on in a new workspace_id.",
	},
	{
		id: "ledger_started",
		label: "The chain has a handoff",
		weight: 5,
		passed: ({ ledger }) => ledger.ok && ledger.handoffs > 0,
		rec: ({ ledger }) =>
			ledger.handoffs > 0
				? "The handoffs recorded so far count once the chain verifies; see ledger_intact."
				: 'Record the first handoff: POST /v1/handoff with workspace_id and an objective, for example "Set up the workspace".',
	},
	{
		id: "ledger_signed",
		label: "Every handoff is signed",
		weight: 6,
		passed: ({ ledger }) => ledger.ok && ledger.handoffs > 0 && ledger.signedShare === 1,
		rec: ({ ledger }) => {
			if (!ledger.ok) return "Signatures count once the chain verifies; see ledger_intact.";
			if (!ledger.signingEnabled) return "Ask the operator to set SIGNING_KEY: the service has no key to sign with.";
			if (ledger.handoffs === 0) return "Record a handoff with POST /v1/handoff; the service will sign it.";
			return "Go on in a new workspace_id if all handoffs must be signed: entries from before the signing key stay unsigned.";
		},
	},
	{
		id: "handoffs_kept",
		label: "Handoffs are required and recorded",
		weight: 5,
		passed: ({ manifest, ledger }) => manifest.require_handoffs && ledger.ok && ledger.handoffs > 0,
		rec: ({ manifest, ledger }) => {
			if (!manifest.require_handoffs)
				return "Set require_handoffs to true, then let each session end with POST /v1/handoff.";
			return ledger.handoffs > 0
				? "The handoffs recorded so far count once the chain verifies; see ledger_intact."
				: "The manifest requires handoffs and none is recorded: let each session end with POST /v1/handoff.";
		},
	},
];

/** All checks, in the order in which a result lists them. The weights add up to 100, so a weight is a point. */
export const READINESS_CHECKS: readonly ReadinessCheck[] = [
	...PROJECT_CHECKS,
	...PROTECTED_PATH_CHECKS,
	...FORBIDDEN_COMMAND_CHECKS,
	...GATE_CHECKS,
	...LEDGER_CHECKS,
];
