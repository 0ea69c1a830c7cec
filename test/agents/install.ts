// Installs an exact version of a coding agent outside the project, once: by npm, without the package's scripts.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** A published package. */
export interface AgentPackage {
	name: string;
	version: string;
}

const INSTALL_FLAGS = [
	"--ignore-scripts",
	"--no-audit",
	"--no-fund",
	"--loglevel=error",
	"--fetch-retries=1",
	"--fetch-retry-mintimeout=1000",
];

/** Where packages are kept between runs. */
export function cacheDir(): string {
	return join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "svc-test-agents");
}

/** npm as it runs this script, on the same Node; the one on the PATH when nothing says which. */
function npmCommand(): [string, ...string[]] {
	const script = process.env["npm_execpath"];
	return script ? [process.execPath, script] : ["npm"];
}

/** Takes from npm's output what says why it failed. */
function npmReason(output: string): string {
	const lines = [...output.matchAll(/^npm (?:error|ERR!) (.*\S)/gm)].map(([, line = ""]) => line);
	return lines.find((line) => !/^(?:code|syscall|errno|type) /.test(line)) ?? "npm failed";
}

/**
 * The folder of an installed package. A download takes half a minute, and a package a few hundred megabytes.
 * @throws with npm's reason if it cannot be fetched.
 */
export function installPackage({ name, version }: AgentPackage): string {
	const kept = join(cacheDir(), `${name.replaceAll(/[@/]/g, "-").replace(/^-/, "")}-${version}`);
	const installed = join(kept, "node_modules", name);
	if (existsSync(installed)) return installed;
	mkdirSync(cacheDir(), { recursive: true });
	const fresh = mkdtempSync(join(cacheDir(), "fresh-"));
	try {
		writeFileSync(join(fresh, "package.json"), '{ "private": true }\n');
		const [command, ...script] = npmCommand();
		const { status, stderr } = spawnSync(
			command,
			[...script, "install", "--prefix", fresh, ...INSTALL_FLAGS, `${name}@${version}`],
			{ cwd: fresh, encoding: "utf8", timeout: 300_000 },
		);
		if (status !== 0) throw new Error(npmReason(stderr ?? ""));
		rmSync(kept, { recursive: true, force: true });
		renameSync(fresh, kept);
		return installed;
	} finally {
		rmSync(fresh, { recursive: true, force: true });
	}
}
