// Finds an installed Chromium. Nothing is downloaded.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Names under which systems install it, Debian's first. */
const NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}

/** The path of the browser: what CHROMIUM names, else the first on the PATH; null without one. */
export function findChromium(variables: NodeJS.ProcessEnv = process.env): string | null {
	const { CHROMIUM: named, PATH: path = "" } = variables;
	if (named) return isExecutable(named) ? named : null;
	const dirs = path.split(delimiter).filter((dir) => dir !== "");
	return NAMES.flatMap((name) => dirs.map((dir) => join(dir, name))).find(isExecutable) ?? null;
}
