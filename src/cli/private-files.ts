// Files of a local installation that hold secrets or what users wrote: nobody reads them but their owner.
import { chmodSync, existsSync, lstatSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Of a mode, what the owner may. */
const OWNER_BITS = 0o700;
const ALL_BITS = 0o777;

function tighten(path: string, mode: number): void {
	if ((mode & ALL_BITS & ~OWNER_BITS) === 0) return;
	try {
		chmodSync(path, mode & OWNER_BITS);
	} catch (error) {
		// Somebody else's, on a volume for example: it is theirs to close.
		if (!(error instanceof Error && "code" in error && error.code === "EPERM")) throw error;
	}
}

/** Links inside a folder may lead anywhere: they stay as they are. */
function tightenBelow(dir: string): void {
	for (const name of readdirSync(dir)) {
		const path = join(dir, name);
		const stat = lstatSync(path);
		if (stat.isSymbolicLink()) continue;
		tighten(path, stat.mode);
		if (stat.isDirectory()) tightenBelow(path);
	}
}

/** Takes away what others may do with files and folders that are there, and with all below them. */
export function closeToOthers(paths: readonly string[]): void {
	for (const path of paths.filter((named) => existsSync(named))) {
		const stat = statSync(path);
		tighten(path, stat.mode);
		if (stat.isDirectory()) tightenBelow(path);
	}
}

/** Writes a file that only its owner reads, whoever could read it before. */
export function writePrivateFile(path: string, text: string): void {
	closeToOthers([path]);
	writeFileSync(path, text, { mode: 0o600 });
}
