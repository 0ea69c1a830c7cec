// Patterns of names, in which `*` stands for any characters. Pure.

/** Whether a text matches a pattern in which `*` stands for any characters. Linear in both. */
export function matchesGlob(pattern: string, text: string): boolean {
	if (pattern === "*") return true;
	const parts = pattern.split("*");
	const [first = "", last = ""] = [parts[0], parts.at(-1)];
	if (parts.length === 1) return pattern === text;
	if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
	let from = first.length;
	const end = text.length - last.length;
	for (const part of parts.slice(1, -1)) {
		const at = text.indexOf(part, from);
		if (at < 0 || at + part.length > end) return false;
		from = at + part.length;
	}
	return true;
}
