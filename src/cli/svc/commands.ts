// The table of commands.
import { keyCommands, loginCommand, logoutCommand, usageCommand } from "./account.ts";
import { addModelsCommand } from "./add-models.ts";
import { auditCommand } from "./audit.ts";
import { chatCommand, routeCommand } from "./chat.ts";
import { checkCommand } from "./check.ts";
import type { Command } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { UsageError } from "./failures.ts";
import { renderCompletion, SHELLS } from "./help.ts";
import { hookCommands } from "./hook.ts";
import { chainCommand, handoffCommand } from "./ledger.ts";
import { runCommand } from "./run.ts";
import { configCommands, healthCommand, modelsCommand, skillsCommand, workspacesCommand } from "./service.ts";
import { verifyCommand } from "./verify.ts";
import { codeCommand, orchestrateCommand } from "./work.ts";

const completionCommand: Command = {
	name: "completion",
	about: "print what completes commands in bash, zsh or fish",
	operands: SHELLS.join("|"),
	details: ["bash: source <(svc completion bash)    fish: svc completion fish | source"],
	async run(given, session) {
		const shell = SHELLS.find((each) => each === given.single("the shell"));
		if (!shell) throw new UsageError(`completion is for ${SHELLS.join(", ")}`);
		session.write(renderCompletion(shell, COMMANDS));
		return EXIT.ok;
	},
};

export const COMMANDS: readonly Command[] = [
	loginCommand,
	logoutCommand,
	chatCommand,
	routeCommand,
	orchestrateCommand,
	codeCommand,
	runCommand,
	checkCommand,
	...hookCommands,
	handoffCommand,
	chainCommand,
	auditCommand,
	verifyCommand,
	usageCommand,
	...keyCommands,
	...configCommands,
	workspacesCommand,
	modelsCommand,
	addModelsCommand,
	skillsCommand,
	healthCommand,
	completionCommand,
];
