// `npm run dev`: `wrangler dev` on the secrets and the state that `npm start` uses; makes what is missing. Forwards its arguments
// to wrangler, which takes settings from `.dev.vars` and wrangler.toml and none from the environment.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseSettings, SettingsError } from "../settings.ts";
import { ensureDevVars, hasProviderKey, STATE_DIR, sandboxVariables } from "./local-env.ts";
import { prepareState, WRANGLER } from "./local-service.ts";
import { UnreadableStateError } from "./local-state.ts";
import { buildModules } from "./modules.ts";
import { CatalogSettingError, readStartCatalog } from "./operator-catalog.ts";
import { startSandbox } from "./sandbox-server.ts";
import { claimState, StateInUseError } from "./single-instance.ts";

/** `--var` for each variable. Not for secrets: other users of this machine can read arguments. */
function toVarArguments(variables: Record<string, string>): string[] {
	return Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
}

async function runDev(): Promise<void> {
	const devVars = ensureDevVars();
	const { catalog } = readStartCatalog(devVars);
	parseSettings(devVars, catalog);
	const releaseState = await claimState(STATE_DIR);
	await buildModules();
	await prepareState(STATE_DIR);
	const sandbox = hasProviderKey(devVars, catalog) ? null : await startSandbox(0);
	if (sandbox) console.log(`no provider key in .dev.vars: answers come from the sandbox upstream at ${sandbox.url}`);
	console.log("for a key: npm run keys -- create --user me --plan corporate");

	const port = process.env["PORT"] ? ["--port", process.env["PORT"]] : [];
	const platform = ["--var", "PLATFORM:local"];
	const sandboxArguments = sandbox ? toVarArguments(sandboxVariables(sandbox.url, catalog)) : [];
	const args = ["dev", "--persist-to", STATE_DIR, ...port, ...platform, ...sandboxArguments, ...process.argv.slice(2)];
	const wrangler = spawn(process.execPath, [WRANGLER, ...args], { stdio: "inherit" });
	let stopping = false;
	for (const signal of ["SIGINT", "SIGTERM"] as const)
		process.on(signal, () => {
			stopping = true;
			// A terminal interrupts both processes. SIGTERM ends this one alone, so it is forwarded.
			if (signal === "SIGTERM") wrangler.kill(signal);
		});
	const [code] = await once(wrangler, "exit");
	await sandbox?.stop();
	releaseState();
	process.exitCode = stopping ? 0 : (code ?? 1);
}

runDev().catch((error: unknown) => {
	if (error instanceof SettingsError) console.error(`a setting is wrong: ${error.message}`);
	else if ([StateInUseError, UnreadableStateError, CatalogSettingError].some((explained) => error instanceof explained))
		console.error(Object(error).message);
	else console.error(error);
	process.exit(1);
});
