// The folders that the commands of a check may run in.

/** Folders in the order in which they were entered. The last is the one that commands most likely run in. */
export type FolderTrail = string[];

/** A folder as written, seen from another, with `..` resolved as far as it leads inside. The workspace is empty. */
function joinFolders(from: string, written: string): string {
	const isAbsolute = /^(?:[a-z]:|[/\\~])/i.test(written);
	const segments: string[] = [];
	for (const segment of (isAbsolute || from === "" ? written : `${from.replace(/\/$/, "")}/${written}`).split("/")) {
		const last = segments.at(-1);
		if (segment === "..") {
			if (last === undefined || last === ".." || last === "" || last === "~") segments.push(segment);
			else segments.pop();
		} else if (segment !== "." && (segment !== "" || segments.length === 0)) segments.push(segment);
	}
	// The root alone: without its slash it would be the workspace.
	return segments.length === 1 && segments[0] === "" && isAbsolute ? "/" : segments.join("/");
}

/**
 * Adds the folder that `cd` leads to: from the last one and, because that may have been left with its subshell, from
 * the workspace. `-` is the folder before. Gives whether commands may now run in a folder that they did not before.
 */
export function enterFolder(trail: FolderTrail, written: string): boolean {
	const current = trail.at(-1) ?? "";
	const target = written === "-" ? (trail.at(-2) ?? "") : joinFolders(current, written);
	const fromWorkspace = written === "-" || /^\.\.(?:\/|$)/.test(written) ? target : joinFolders("", written);
	const before = trail.length;
	for (const folder of [fromWorkspace, target]) {
		const at = trail.indexOf(folder);
		if (at >= 0) trail.splice(at, 1);
		trail.push(folder);
	}
	return trail.length > before || target !== current;
}
