// The corpus of policy decisions (test/corpus/policy), and what the policy answers to a row. A row is one line: what is run, what
// the policy must say to it, and why.
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import * as z from "zod";
import { decide, type PolicyDecision } from "../../src/policy/decide.ts";

const FOLDER = resolve(import.meta.dirname, "../corpus/policy");

const texts = z.array(z.string()).min(1);

const rowSchema = z.strictObject({
	command: z.string().optional(),
	/** Several commands of one check, instead of one. */
	commands: texts.optional(),
	/** `ask` leaves open who is asked; `not-allow`, whether anybody is. */
	decision: z.enum(["allow", "ask", "confirm", "approve", "deny", "not-allow"]),
	/** What should be said, where the decision is a known miss. */
	label: z.enum(["allow", "ask", "deny"]).optional(),
	class: z.string().min(1),
	/** Why the decision is right. */
	reason: z.string().min(1),
	/** The module that the row was written for. */
	for: z.string().min(1).optional(),
	manifest: z
		.strictObject({
			protected_paths: texts.optional(),
			forbidden_commands: texts.optional(),
			allowed_commands: texts.optional(),
		})
		.optional(),
	/** All factors that fire. */
	factors: z.array(z.string()).optional(),
	/** Factors that fire, among others. */
	raises: texts.optional(),
	/** Factors that do not fire. */
	spares: texts.optional(),
	/** What the reason of the decision contains, and what it does not. */
	says: texts.optional(),
	omits: texts.optional(),
	/** What the reason offers instead; and the command in that form, which must be less risky. */
	instead: z.string().optional(),
	form: z.string().optional(),
});

export interface PolicyRow extends Omit<z.output<typeof rowSchema>, "command" | "commands"> {
	readonly commands: readonly string[];
	/** `file:line`. */
	readonly place: string;
}

function readRow(text: string, place: string): PolicyRow {
	const { command, commands, ...row } = rowSchema.parse(JSON.parse(text));
	if ((command === undefined) === (commands === undefined))
		throw new Error(`${place}: a row has either command or commands`);
	return { ...row, commands: commands ?? [command ?? ""], place };
}

/** The rows of each file. */
export function readPolicyCorpus(): ReadonlyMap<string, readonly PolicyRow[]> {
	const files = readdirSync(FOLDER).filter((file) => file.endsWith(".jsonl"));
	return new Map(
		files.sort().map((file) => {
			const lines = readFileSync(`${FOLDER}/${file}`, "utf8").trimEnd().split("\n");
			return [file, lines.map((line, at) => readRow(line, `test/corpus/policy/${file}:${at + 1}`))];
		}),
	);
}

/**
 * Decides on commands, under the built-in rules and those of a manifest.
 * @param judge Decides, where that is not the policy as it is.
 */
export function decideRow(row: Pick<PolicyRow, "commands" | "manifest">, judge = decide): PolicyDecision {
	const input = { action: "Run", action_kind: "edit" as const, files_affected: [], commands: row.commands };
	return judge(input, {
		protectedPaths: row.manifest?.protected_paths ?? [],
		forbiddenCommands: row.manifest?.forbidden_commands ?? [],
		allowedCommands: row.manifest?.allowed_commands,
		budgetUsd: Number.POSITIVE_INFINITY,
	});
}

/** The decisions that a row accepts. */
const ACCEPTED = {
	allow: ["allow"],
	ask: ["confirm", "approve"],
	confirm: ["confirm"],
	approve: ["approve"],
	deny: ["deny"],
	"not-allow": ["confirm", "approve", "deny"],
} as const;

/** What a decision lacks of what its row says, each as `expected …, got …`. */
function findFaults(row: PolicyRow, decided: PolicyDecision): readonly string[] {
	const { decision, risk_score, reason } = decided;
	const fired = decided.factors.filter(({ triggered }) => triggered).map(({ id }) => id as string);
	const says = [...(row.says ?? []), ...(row.instead === undefined ? [] : [`instead: ${row.instead}`])];
	const accepted: readonly string[] = ACCEPTED[row.decision];
	const form = row.form === undefined ? null : decideRow({ commands: [row.form], manifest: row.manifest });
	const checks: readonly (readonly [holds: boolean, expected: string, got: string])[] = [
		[accepted.includes(decision), row.decision, decision],
		[!row.factors || row.factors.join() === fired.join(), `the factors ${row.factors}`, `${fired}`],
		[(row.raises ?? []).every((id) => fired.includes(id)), `${row.raises} among the factors`, `${fired}`],
		[!(row.spares ?? []).some((id) => fired.includes(id)), `none of ${row.spares}`, `${fired}`],
		...says.map((text) => [reason.includes(text), `a reason with "${text}"`, "none"] as const),
		...(row.omits ?? []).map((text) => [!reason.includes(text), `no reason with "${text}"`, "one"] as const),
		[
			form === null || form.risk_score < risk_score,
			`less risk than ${risk_score} of: ${row.form}`,
			`${form?.risk_score}`,
		],
	];
	return checks.flatMap(([holds, expected, got]) => (holds ? [] : [`expected ${expected}, got ${got}`]));
}

/** The place of a row, its command and what is wrong with the decision on it. Null where nothing is. */
export function checkRow(row: PolicyRow): string | null {
	const decided = decideRow(row);
	const faults = findFaults(row, decided);
	if (faults.length === 0) return null;
	const manifest = row.manifest ? [`  manifest: ${JSON.stringify(row.manifest)}`] : [];
	return [
		`${row.place}: ${row.commands.map((command) => JSON.stringify(command)).join(", ")}`,
		...manifest,
		...faults.map((fault) => `  ${fault}`),
		`  the row says: ${row.reason}`,
		`  the decision says: ${decided.reason}`,
	].join("\n");
}
