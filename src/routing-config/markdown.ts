// Finds the YAML in a routing config's text: the whole text, the front matter of a Markdown file, or its one fenced block. Pure.

/** The YAML after blank lines in place of the text before it, so that its lines keep their numbers. */
type FoundYaml = { ok: true; yaml: string; warning: string | null } | { ok: false; line: number; message: string };

/** A fence as in CommonMark 4.5: up to three spaces, three or more backticks or tildes, an info string. */
const FENCE_LINE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)/;

interface LineRange {
	/** The lines `[from, to)`, counted from 0. */
	from: number;
	to: number;
}

/** The contents of fenced YAML blocks. An unclosed one runs to the end of the text (CommonMark 4.5). */
function yamlBlocks(lines: readonly string[], from: number): LineRange[] {
	const blocks: LineRange[] = [];
	let open: { fence: string; isYaml: boolean; from: number } | null = null;
	for (let at = from; at <= lines.length; at++) {
		const line = lines[at];
		const [, fence = "", language = ""] = (line === undefined ? null : FENCE_LINE.exec(line)) ?? [];
		if (open === null) {
			if (fence !== "") open = { fence, isYaml: /^ya?ml$/i.test(language), from: at + 1 };
			continue;
		}
		const closes = fence.startsWith(open.fence) && (line ?? "").trim() === fence;
		if (!closes && line !== undefined) continue;
		if (open.isYaml) blocks.push({ from: open.from, to: at });
		open = null;
	}
	return blocks;
}

function extractLines(lines: readonly string[], { from, to }: LineRange, warning: string | null = null): FoundYaml {
	return { ok: true, yaml: "\n".repeat(from) + lines.slice(from, to).join("\n"), warning };
}

/** Finds the YAML of a text, in linear time. */
export function findYaml(text: string): FoundYaml {
	const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
	if (/^---[ \t]*$/.test(lines[0] ?? "")) {
		const end = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)[ \t]*$/.test(line));
		// Without a second mark, the text is a YAML document that begins with one.
		if (end < 0) return extractLines(lines, { from: 1, to: lines.length });
		const also = yamlBlocks(lines, end + 1).length > 0;
		return extractLines(
			lines,
			{ from: 1, to: end },
			also ? "the front matter is the config; the fenced yaml below it is not read" : null,
		);
	}
	const [block, second] = yamlBlocks(lines, 0);
	if (second) return { ok: false, line: second.from, message: "a second fenced yaml block; one of them is the config" };
	return block ? extractLines(lines, block) : extractLines(lines, { from: 0, to: lines.length });
}
