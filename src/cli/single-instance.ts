// One process owns the local state: finds out who has it, and clears away a runtime that outlived a killed start.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Somebody else's running service has the state. */
export class StateInUseError extends Error {
	override name = "StateInUseError";
}

function readPid(path: string): number | null {
	const pid = existsSync(path) ? Number(readFileSync(path, "utf8")) : Number.NaN;
	return Number.isInteger(pid) && pid > 1 ? pid : null;
}

/** The command line of a process, or null when there is none; a recycled pid shows as somebody else's. */
function commandOf(pid: number): string | null {
	const result = spawnSync("ps", ["-p", String(pid), "-o", "command="], { encoding: "utf8" });
	if (result.error) return existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : null;
	return result.stdout.trim() === "" ? null : result.stdout;
}

/** The runtime's executable, which tells its process from another that has come by its pid. */
function runtimePath(): string {
	return (createRequire(import.meta.url)("workerd") as { default: string }).default;
}

function isRuntime(pid: number): boolean {
	return commandOf(pid)?.includes(runtimePath()) ?? false;
}

async function endRuntime(pid: number): Promise<void> {
	process.kill(pid, "SIGKILL");
	for (let tries = 0; tries < 50 && isRuntime(pid); tries++) await sleep(100);
}

/**
 * Makes the runtime leave its pid: Miniflare starts it through a script that writes the pid and becomes the runtime.
 * A killed `npm start` cannot end its runtime, which would keep the port and the state.
 */
function recordRuntimePid(stateDir: string, pidFile: string): void {
	if (process.platform === "win32") return;
	const script = join(stateDir, "run-workerd");
	writeFileSync(script, `#!/bin/sh\necho $$ > '${pidFile}'\nexec '${runtimePath()}' "$@"\n`);
	chmodSync(script, 0o755);
	process.env["MINIFLARE_WORKERD_PATH"] = join(process.cwd(), script);
}

/**
 * Takes the state for this process.
 * @returns what to call when the service has stopped.
 * @throws StateInUseError when another running service has it.
 */
export async function takeState(stateDir: string): Promise<() => void> {
	mkdirSync(stateDir, { recursive: true });
	const ownerFile = join(stateDir, "owner.pid");
	const runtimeFile = join(stateDir, "runtime.pid");
	const owner = readPid(ownerFile);
	if (owner !== null && owner !== process.pid && /src\/cli\/(?:start|dev)\.ts/.test(commandOf(owner) ?? "")) {
		throw new StateInUseError(`the service is already running on this state (process ${owner}); stop it first`);
	}
	const runtime = readPid(runtimeFile);
	if (runtime !== null && isRuntime(runtime)) await endRuntime(runtime);
	recordRuntimePid(stateDir, runtimeFile);
	writeFileSync(ownerFile, String(process.pid));
	return () => {
		rmSync(ownerFile, { force: true });
		rmSync(runtimeFile, { force: true });
	};
}
