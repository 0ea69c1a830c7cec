// Memory and CPU time of the runtime's process, from Linux's /proc; nothing elsewhere.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** Ticks of /proc/PID/stat; the kernel's interface fixes 100 a second. */
const TICK_MS = 10;

function readProc(pid: number, file: string): string | null {
	try {
		return readFileSync(`/proc/${pid}/${file}`, "utf8");
	} catch {
		return null;
	}
}

/** The fields of /proc/PID/stat from the third on: a command's name, the second, may hold spaces. */
function statFields(pid: number): string[] {
	const stat = readProc(pid, "stat");
	return stat === null ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Pids of the runtimes that this process has started and that still run; none where there is no /proc. */
export function runtimePids(): number[] {
	if (!existsSync("/proc/self/stat")) return [];
	const runtime = (createRequire(import.meta.url)("workerd") as { default: string }).default;
	return readdirSync("/proc")
		.map(Number)
		.filter((pid) => Number.isInteger(pid) && pid > 0)
		.filter((pid) => Number(statFields(pid)[1]) === process.pid && readProc(pid, "cmdline")?.includes(runtime));
}

/** Starts something that starts a runtime; `pid` is that runtime's, or null where it cannot be known. */
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
	/** Of it, what the process itself allocated: not the pages of files that it mapped. */
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

/** Pids of the processes that a process has started and that still run. */
function childPids(pid: number): number[] {
	// Each of its threads may have started some.
	const threads = readdirSync(`/proc/${pid}/task`);
	return threads.flatMap(
		(thread) => readProc(pid, `task/${thread}/children`)?.split(" ").filter(Boolean).map(Number) ?? [],
	);
}

/** CPU time of a process and its children so far, user and system, in all their threads, ms. */
export function processCpuMs(pid: number): number {
	// Fields 14 to 17 of proc_pid_stat(5): its own, and that of children that have ended.
	const own =
		statFields(pid)
			.slice(11, 15)
			.reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
	return childPids(pid).reduce((sum, child) => sum + processCpuMs(child), own);
}
