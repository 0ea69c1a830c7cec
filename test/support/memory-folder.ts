// A temporary folder in memory for a test run: each write of D1 and of an object waits for the disk, which is two thirds of the time
// of a request there.
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** Where Linux has a file system in memory. Other systems keep the temporary folder that they have. */
const MEMORY_PATH = "/dev/shm";
/** Four runtimes at a time and as many services keep some 100 MB. Containers often have 64 MB, which are too few. */
const LEAST_FREE_BYTES = 2 ** 30;
const PREFIX = "svc-tests-";

function freeBytes(path: string): number {
	const { bavail, bsize } = statfsSync(path);
	return bavail * bsize;
}

/** Whether a process is there. One that is another user's is. */
function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return Object(error).code === "EPERM";
	}
}

/** Removes what runs left that were killed. */
function removeLeftovers(): void {
	for (const name of readdirSync(MEMORY_PATH)) {
		const pid = Number(name.match(/^svc-tests-(\d+)-/)?.[1] ?? process.pid);
		if (!isRunning(pid)) rmSync(join(MEMORY_PATH, name), { recursive: true, force: true });
	}
}

/** Makes a folder in memory the temporary one of this process and of those that it starts; removes it when the process ends. */
export function useMemoryFolder(): void {
	if (!existsSync(MEMORY_PATH) || process.env["TMPDIR"]?.startsWith(join(MEMORY_PATH, PREFIX))) return;
	removeLeftovers();
	if (freeBytes(MEMORY_PATH) < LEAST_FREE_BYTES) return;
	const folder = mkdtempSync(join(MEMORY_PATH, `${PREFIX}${process.pid}-`));
	process.env["TMPDIR"] = folder;
	process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
}
