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

/** Resident memory of a process (VmRSS), bytes. */
export function residentBytes(pid: number): number {
	const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(pid, "status") ?? "")?.[1];
	if (kib === undefined) throw new Error(`benchmark failed: process ${pid} says nothing of its memory`);
	return Number(kib) * 1024;
}

/** CPU time of a process so far, user and system, in all its threads, ms. */
export function cpuMs(pid: number): number {
	const fields = statFields(pid);
	return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
