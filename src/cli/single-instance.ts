// One process owns the local state. Finds out which, and ends a runtime that outlived a killed start.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Another running service owns the state. */
export class StateInUseError extends Error {
	override name = "StateInUseError";
}

function readPid(path: string): number | null {
	const pid = existsSync(path) ? Number(readFileSync(path, "utf8")) : Number.NaN;
	return Number.isInteger(pid) && pid > 1 ? pid : null;
}

/** The command line of a process; null when there is none. It tells whether a pid was reused by another program. */
function commandLine(pid: number): string | null {
	const result = spawnSync("ps", ["-p", String(pid), "-o", "command="], { encoding: "utf8" });
	if (result.error) return existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : null;
	return result.stdout.trim() === "" ? null : result.stdout;
}

/** The runtime's executable. Its process is recognised by it, in case another has the pid by now. */
function runtimePath(): string {
	return (createRequire(import.meta.url)("workerd") as { default: string }).default;
}

function isRuntime(pid: number): boolean {
	return commandLine(pid)?.includes(runtimePath()) ?? false;
}

async function endRuntime(pid: number): Promise<void> {
	process.kill(pid, "SIGKILL");
	for (let tries = 0; tries < 50 && isRuntime(pid); tries++) await sleep(100);
}

/**
 * Makes the runtime write its pid: Miniflare starts a script that writes the pid and then becomes the runtime. A killed
 * `npm start` cannot end its runtime, which would keep the port and the state.
 */
function recordRuntimePid(stateDir: string, pidFile: string): void {
	if (process.platform === "win32") return;
	const script = join(stateDir, "run-workerd");
	writeFileSync(script, `#!/bin/sh\necho $$ > '${pidFile}'\nexec '${runtimePath()}' "$@"\n`);
	chmodSync(script, 0o700);
	process.env["MINIFLARE_WORKERD_PATH"] = join(process.cwd(), script);
}

/**
 * Claims the state for this process.
 * @returns what releases it, to be called when the service has stopped.
 * @throws StateInUseError when another running service owns it.
 */
export async function claimState(stateDir: string): Promise<() => void> {
	mkdirSync(stateDir, { recursive: true, mode: 0o700 });
	const ownerFile = join(stateDir, "owner.pid");
	const runtimeFile = join(stateDir, "runtime.pid");
	const owner = readPid(ownerFile);
	if (owner !== null && owner !== process.pid && /src\/cli\/(?:start|dev)\.ts/.test(commandLine(owner) ?? "")) {
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
