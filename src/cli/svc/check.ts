// `svc check`: asks the policy before something is done. The exit code is the decision.
import type { SvcClient } from "../../client/client.ts";
import type { EndpointBody } from "../../client/transport.ts";
import { asChoice } from "./chat.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { UsageError } from "./failures.ts";
import { WORK_KINDS } from "./ledger.ts";
import type { Style } from "./output.ts";

const ACTION_KINDS = [...WORK_KINDS, "delete"] as const;

export type PolicyAnswer = Awaited<ReturnType<SvcClient["policy"]["check"]>>;
export type PolicyBody = EndpointBody<"check_policy">;

export const DECISION_EXIT = { allow: EXIT.ok, confirm: EXIT.confirm, approve: EXIT.approve, deny: EXIT.deny } as const;
const DECISION_STYLE = { allow: "green", confirm: "yellow", approve: "yellow", deny: "red" } as const satisfies Record<
	PolicyAnswer["decision"],
	Style
>;

export const checkCommand: Command = {
	name: "check",
	about: "ask the policy about commands and files",
	operands: "COMMAND…",
	failureCode: EXIT.notAsked,
	details: [
		"Each operand is a whole command line: svc check -w shop 'npm test' 'rm -rf build'. `-` reads a script from standard input.",
		"Ends with 0 allow, 10 confirm, 11 approve, 12 deny, 2 for anything else: no answer is no permission.",
	],
	flags: {
		workspace: { value: "ID", short: "w", about: "the workspace whose manifest is the policy (SVC_WORKSPACE)" },
		file: { value: "PATH", short: "f", isList: true, about: "a path that is affected; may be repeated" },
		action: { value: "TEXT", about: "what is about to be done, in words" },
		kind: { value: "KIND", choices: ACTION_KINDS, about: ACTION_KINDS.join(", ") },
		cost: { value: "USD", about: "what it is expected to cost" },
	},
	async run(given, session) {
		const workspace = given.text("workspace") ?? session.terminal.variables["SVC_WORKSPACE"];
		if (!workspace) throw new UsageError("--workspace is missing, and SVC_WORKSPACE is not set");
		const commands: string[] = [];
		for (const operand of given.operands) commands.push(operand === "-" ? await session.terminal.readInput() : operand);
		const files = given.list("file");
		if (commands.length === 0 && files.length === 0 && given.text("action") === undefined)
			throw new UsageError("there is nothing to check: a command, --file or --action is expected");
		const body: PolicyBody = {
			workspace_id: workspace,
			action: given.text("action") ?? (commands.length > 0 ? "Run commands" : "Change files"),
			action_kind: asChoice(given.text("kind"), ACTION_KINDS) ?? null,
			commands,
			files_affected: files,
			estimated_cost_usd: given.number("cost") ?? null,
		};
		const answer = await session.client().policy.check(body, { signal: session.signal });
		session.answer(answer, ({ decision, risk_score, reason, event_id }) => [
			`${session.paint(DECISION_STYLE[decision], decision)}  risk ${risk_score}  ${event_id}`,
			reason,
		]);
		return DECISION_EXIT[answer.decision];
	},
};
