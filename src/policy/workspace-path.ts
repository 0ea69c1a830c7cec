// Paths of an agent's machine as the rules of a workspace name them. Both kinds of machine, without their file systems. Pure.

/** A path of Windows: it begins with a drive, or with a share. */
const WINDOWS_ROOT = /^(?:[a-z]:[\\/]|\\\\)/i;

/** Whether a path begins at a root, a drive or a home. */
export function isAbsolutePath(path: string): boolean {
	return path.startsWith("/") || /^~(?:\/|$)/.test(path) || WINDOWS_ROOT.test(path);
}

/** A path without `.`, `..` and doubled slashes, with slashes only. `..` above a root stays there. */
function simplifyPath(path: string): string {
	const segments: string[] = [];
	for (const segment of path.split("/")) {
		if (segment === "..") segments.pop();
		else if (segment !== "" && segment !== ".") segments.push(segment);
	}
	return `${path.startsWith("/") ? "/" : ""}${segments.join("/")}`;
}

/** A path as a whole, with slashes. @param folder absolute; where the path starts unless it is absolute itself. */
export function toWholePath(path: string, folder: string): string {
	const isWindows = WINDOWS_ROOT.test(folder) || WINDOWS_ROOT.test(path);
	const whole = isAbsolutePath(path) ? path : `${folder}/${path}`;
	return simplifyPath(isWindows ? whole.replaceAll("\\", "/") : whole);
}

/**
 * A path as a workspace's rules name it: relative to its root where it is below, else the whole path. The root itself is `.`.
 * @param path as an agent means it: from `folder`, which is absolute, unless it is absolute itself.
 * @param root absolute. Case is ignored below one of Windows.
 */
export function toWorkspacePath(path: string, folder: string, root: string): string {
	const whole = toWholePath(path, folder);
	const base = toWholePath(root, root);
	const fold = (text: string) => (WINDOWS_ROOT.test(root) ? text.toLowerCase() : text);
	if (fold(whole) === fold(base)) return ".";
	const prefix = base.endsWith("/") ? base : `${base}/`;
	return fold(whole).startsWith(fold(prefix)) ? whole.slice(prefix.length) : whole;
}

/** The path of a `file:` address; any other text as it is. */
export function toFilePath(text: string): string {
	if (!/^file:\/\//i.test(text)) return text;
	const path = text.replace(/^file:\/\/[^/]*/i, "");
	try {
		return decodeURIComponent(path);
	} catch {
		return path;
	}
}
