// Memory and CPU time of the runtime's process, from Linux's /proc. On other systems nothing is known.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Length of a tick in /proc/PID/stat. The kernel's interface fixes 100 a second. */
const TICK_MS = 10;

function readProc(pid: number, file: string): string | null {
	try {
		return readFileSync(`/proc/${pid}/${file}`, "utf8");
	} catch {
		return null;
	}
}

/** The fields of /proc/PID/stat from the third on. The second is a command's name and may hold spaces. */
function statFields(pid: number): string[] {
	const stat = readProc(pid, "stat");
	return stat === null ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Pids of the running runtimes that this process has started; none without /proc. */
export function runtimePids(): number[] {
	if (!existsSync("/proc/self/stat")) return [];
	const runtime = (createRequire(import.meta.url)("workerd") as { default: string }).default;
	return readdirSync("/proc")
		.map(Number)
		.filter((pid) => Number.isInteger(pid) && pid > 0)
		.filter((pid) => Number(statFields(pid)[1]) === process.pid && readProc(pid, "cmdline")?.includes(runtime));
}

/** Runs `start`, which starts a runtime. `pid` is that runtime's, or null if unknown. */
export async function withRuntimePid<T>(start: () => Promise<T>): Promise<{ started: T; pid: number | null }> {
	const before = new Set(runtimePids());
	const started = await start();
	const fresh = runtimePids().filter((pid) => !before.has(pid));
	return { started, pid: fresh.length === 1 ? (fresh[0] ?? null) : null };
}

/** Resident memory of a process, bytes. */
export interface ResidentMemory {
	/** All of it (VmRSS). */
	residentBytes: number;
	/** The part that the process allocated itself, without the pages of mapped files (RssAnon). */
	anonymousBytes: number;
}

export function residentMemory(pid: number): ResidentMemory {
	const status = readProc(pid, "status") ?? "";
	const bytesOf = (field: string) => {
		const kib = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
		if (kib === undefined) throw new Error(`benchmark failed: process ${pid} says nothing of its memory`);
		return Number(kib) * 1024;
	};
	return { residentBytes: bytesOf("VmRSS"), anonymousBytes: bytesOf("RssAnon") };
}

/** Pids of the running children of a process. */
function childPids(pid: number): number[] {
	// Any thread may have started some.
	const threads = readdirSync(`/proc/${pid}/task`);
	return threads.flatMap(
		(thread) => readProc(pid, `task/${thread}/children`)?.split(" ").filter(Boolean).map(Number) ?? [],
	);
}

/** CPU time of a process and its children so far, user and system, in all their threads, ms. */
export function processCpuMs(pid: number): number {
	// Fields 14 to 17 of proc_pid_stat(5): its own time, and that of ended children.
	const own =
		statFields(pid)
			.slice(11, 15)
			.reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
	return childPids(pid).reduce((sum, child) => sum + processCpuMs(child), own);
}
