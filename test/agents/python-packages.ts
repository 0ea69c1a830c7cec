// Installs a Python package into an environment of its own outside the project, once.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheDir } from "./install.ts";

const PIP_TIMEOUT_MS = 300_000;
const PIP_FLAGS = ["--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "15"];

/** Runs a step of an installation. @throws Error with the last line that it printed */
function run(command: string, args: readonly string[]): void {
	const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: PIP_TIMEOUT_MS });
	if (error) throw error;
	const lines = `${stdout}\n${stderr}`.split("\n").filter((line) => line.trim() !== "");
	if (status !== 0) throw new Error(lines.at(-1)?.trim() ?? `${command} failed`);
}

/**
 * The Python of an environment that has a package.
 * @param requirement as pip takes it: a name, with a version where one was seen to work.
 * @throws Error where there is no Python with `venv`, or pip cannot fetch the package.
 */
export function installPythonPackage(requirement: string): string {
	const kept = join(cacheDir(), `python-${requirement}`);
	const marker = join(kept, "complete");
	if (!existsSync(marker)) {
		// An environment knows its own path, so that it cannot be made elsewhere and moved.
		rmSync(kept, { recursive: true, force: true });
		mkdirSync(cacheDir(), { recursive: true });
		run("python3", ["-m", "venv", kept]);
		run(join(kept, "bin/python"), ["-m", "pip", "install", ...PIP_FLAGS, requirement]);
		writeFileSync(marker, "");
	}
	return join(kept, "bin/python");
}
