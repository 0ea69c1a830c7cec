// `npm start` as a process that can be killed: a home of its own, starts in it, and what of them is running.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseEnv } from "node:util";
import { inject } from "vitest";
import { COMPILE_CACHE } from "../support/compile-cache.ts";

const ROOT = join(import.meta.dirname, "../..");

export interface Launch {
	process: ChildProcess;
	output: string;
	/** Pid of the runtime behind our port, once it is ready; a killed start leaves it running. */
	runtime: number | null;
	/** Exit code, or null for one that was killed. */
	exited: Promise<number | null>;
}

/** Throws, with what it wrote, when a start has ended that was to keep running. */
export function expectRunning({ process: child, output }: Launch): void {
	if (child.exitCode === null && child.signalCode === null) return;
	throw new Error(`the start ended by itself (code ${child.exitCode}, signal ${child.signalCode}):\n${output}`);
}

/** Waits until `check` holds; throws after two minutes, before the test's own time is over, which would not say what was awaited. */
export async function until(what: string, everyMs: number, check: () => boolean | Promise<boolean>): Promise<void> {
	const endsAtMs = Date.now() + 120_000;
	while (!(await check())) {
		if (Date.now() > endsAtMs) throw new Error(`in vain waited until ${what}`);
		await sleep(everyMs);
	}
}

export async function canListen(port: number): Promise<boolean> {
	const server = createServer().listen(port, "127.0.0.1");
	try {
		await once(server, "listening");
		return true;
	} catch {
		return false;
	} finally {
		server.close();
	}
}

/** A free port with a free one above it, for the sandbox; below those that the system gives to outgoing connections. */
export async function freePortPair(): Promise<number> {
	for (;;) {
		const candidate = 20_000 + 2 * Math.floor(Math.random() * 5_000);
		if ((await canListen(candidate)) && (await canListen(candidate + 1))) return candidate;
	}
}

/** A folder with the service in it, its state, its port, and every start that was made there. */
export class ServiceHome {
	readonly dir: string;
	readonly port: number;
	#variables: Record<string, string>;
	#launched: Launch[] = [];

	private constructor(dir: string, port: number, variables: Record<string, string>) {
		this.dir = dir;
		this.port = port;
		this.#variables = variables;
	}

	/** @param variables of every start, besides those without which there is no process. */
	static async make(variables: Record<string, string> = {}): Promise<ServiceHome> {
		const dir = mkdtempSync(join(tmpdir(), "svc-home-"));
		mkdirSync(join(dir, "tmp"));
		for (const name of ["node_modules", "src", "migrations", "wrangler.toml", "package.json"])
			symlinkSync(join(ROOT, name), join(dir, name));
		return new ServiceHome(dir, await freePortPair(), variables);
	}

	/** A home with an empty database and the bundle: a test that is not about a fresh machine need not wait for either. */
	static async makeMigrated(variables: Record<string, string> = {}): Promise<ServiceHome> {
		const home = await ServiceHome.make(variables);
		cpSync(inject("emptyStateDir"), join(home.dir, ".wrangler/state"), { recursive: true });
		cpSync(inject("bundleDir"), join(home.dir, ".wrangler/svc-bundle"), { recursive: true });
		return home;
	}

	/** Origin of the service, without a trailing slash. */
	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	/** What the start wrote for clients. */
	clientEnv(): { SVC_BASE_URL?: string; SVC_API_KEY?: string } {
		return parseEnv(readFileSync(join(this.dir, ".env.local"), "utf8"));
	}

	/** The key that the first start made. */
	key(): string {
		return this.clientEnv().SVC_API_KEY ?? "";
	}

	/** Runs what `npm start` runs, or another script, with no variable of this machine but these. */
	launch(variables: Record<string, string> = {}, script = "src/cli/start.ts"): Launch {
		const env = {
			PATH: process.env["PATH"],
			HOME: process.env["HOME"],
			// A killed start cannot remove its temporary files; these go with the folder.
			TMPDIR: join(this.dir, "tmp"),
			PORT: String(this.port),
			...COMPILE_CACHE,
			...this.#variables,
			...variables,
		};
		const stdio: ["ignore", "pipe", "pipe"] = ["ignore", "pipe", "pipe"];
		const child = spawn(process.execPath, [script], { cwd: this.dir, env, stdio });
		const exited = once(child, "exit").then(([code]) => code);
		const start: Launch = { process: child, output: "", runtime: null, exited };
		for (const stream of [child.stdout, child.stderr]) {
			stream.on("data", (chunk) => {
				start.output += chunk;
			});
		}
		this.#launched.push(start);
		return start;
	}

	/** Starts and waits for the ready line. */
	async startReady(variables: Record<string, string> = {}): Promise<Launch> {
		const start = this.launch(variables);
		await until("the service is ready", 20, () => {
			expectRunning(start);
			return /^ready on /m.test(start.output);
		});
		start.runtime = this.runtimePid();
		return start;
	}

	/** Whether a process that our state noted is still a runtime: another may have its pid by now. */
	#isOurRuntime(pid: number): boolean {
		const { stdout } = spawnSync("ps", ["-p", String(pid), "-o", "command="], { encoding: "utf8" });
		return stdout.includes("workerd serve ");
	}

	/** The runtime of our state, as the start noted it; null when there is none. */
	runtimePid(): number | null {
		const file = join(this.dir, ".wrangler/state/runtime.pid");
		const pid = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
		return pid > 1 && this.#isOurRuntime(pid) ? pid : null;
	}

	/** Every runtime of ours that is running, whoever started it. */
	runningRuntimes(): number[] {
		const pids = new Set([this.runtimePid(), ...this.#launched.map(({ runtime }) => runtime)]);
		return [...pids].filter((pid) => pid !== null).filter((pid) => this.#isOurRuntime(pid));
	}

	/** Ends everything at once, as a power cut does: the runtime first, so that it cannot notice that its upstream went. */
	async cutPower(start: Launch): Promise<void> {
		expectRunning(start);
		if (start.runtime !== null) process.kill(start.runtime, "SIGKILL");
		start.process.kill("SIGKILL");
		await start.exited;
	}

	/** Kills a start alone. @returns the runtime that outlived it, with its port and state; null when there is none. */
	async killStart(start: Launch): Promise<number | null> {
		expectRunning(start);
		start.process.kill("SIGKILL");
		await start.exited;
		return this.runtimePid();
	}

	/** Ends what is still running and removes the folder. */
	async remove(): Promise<void> {
		for (const { process: child, exited } of this.#launched) {
			if (child.exitCode !== null || child.signalCode !== null) continue;
			child.kill("SIGTERM");
			await Promise.race([exited, sleep(5_000, undefined, { ref: false })]);
			child.kill("SIGKILL");
			await exited;
		}
		for (const pid of this.runningRuntimes()) process.kill(pid, "SIGKILL");
		rmSync(this.dir, { recursive: true, force: true });
	}
}
