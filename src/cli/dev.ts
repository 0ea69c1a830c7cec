// `npm run dev`: `wrangler dev` on secrets, database and state that `npm start` uses, made where they are missing.
// Arguments go on to wrangler. Its settings are those of `.dev.vars` and wrangler.toml; it takes none from the environment.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseSettings, SettingsError } from "../settings.ts";
import { ensureDevVars, hasProviderKey, STATE_DIR, sandboxVariables } from "./local-env.ts";
import { applyLocalMigrations, WRANGLER } from "./local-service.ts";
import { buildPages } from "./pages.ts";
import { startSandbox } from "./sandbox-server.ts";
import { StateInUseError, takeState } from "./single-instance.ts";

/** `--var` for each variable. Only for what is no secret: other users of this machine can read it. */
function asArguments(variables: Record<string, string>): string[] {
	return Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
}

async function main(): Promise<void> {
	const given = ensureDevVars();
	parseSettings(given);
	const leaveState = await takeState(STATE_DIR);
	applyLocalMigrations(STATE_DIR);
	await buildPages();
	const sandbox = hasProviderKey(given) ? null : await startSandbox(0);
	if (sandbox) console.log(`no provider key in .dev.vars: answers come from the sandbox upstream at ${sandbox.url}`);
	console.log("for a key: npm run keys -- create --user me --plan corporate");

	const port = process.env["PORT"] ? ["--port", process.env["PORT"]] : [];
	const platform = ["--var", "PLATFORM:local"];
	const fromSandbox = sandbox ? asArguments(sandboxVariables(sandbox.url)) : [];
	const args = ["dev", "--persist-to", STATE_DIR, ...port, ...platform, ...fromSandbox, ...process.argv.slice(2)];
	const wrangler = spawn(process.execPath, [WRANGLER, ...args], { stdio: "inherit" });
	let stopping = false;
	for (const signal of ["SIGINT", "SIGTERM"] as const)
		process.on(signal, () => {
			stopping = true;
			// A terminal interrupts both; who ends only this process means the other as well.
			if (signal === "SIGTERM") wrangler.kill(signal);
		});
	const [code] = await once(wrangler, "exit");
	await sandbox?.stop();
	leaveState();
	process.exitCode = stopping ? 0 : (code ?? 1);
}

main().catch((error: unknown) => {
	if (error instanceof SettingsError) console.error(`a setting is wrong: ${error.message}`);
	else if (error instanceof StateInUseError) console.error(error.message);
	else console.error(error);
	process.exit(1);
});
