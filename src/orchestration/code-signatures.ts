// Finds the functions that the code of an answer declares, and how many parameters each takes. No code is run. Pure.

const FENCED = /^[ \t]*```[^\n]*\n([\s\S]*?)^[ \t]*```/gm;
/** Of a longer text, only the beginning is read. */
const MAX_CODE_CHARS = 40_000;

/** Declarations: `def f(…)`, `function f(…)`, `func`, `fn`, `const f = (…) =>`, and `type f(…) {`. */
const DECLARATIONS = [
	/\b(?:def|function|func|fn)\s+(\w{1,60})\s*(?:<[^>\n]{0,80}>)?\(([^()]{0,400})\)/g,
	/\b(?:const|let|var)\s+(\w{1,60})\s*=\s*(?:async\s*)?\(([^()]{0,400})\)\s*(?::[^=\n]{0,80})?=>/g,
	/^[ \t]*(?:[\w<>[\]*&:]{1,40}[ \t]+){1,5}(\w{1,60})\(([^()]{0,400})\)\s*\{/gm,
] as const;
const NO_NAMES = new Set(["if", "for", "while", "switch", "catch", "return"]);

/** A parameter that a caller may leave out, or that stands for several. */
const OPTIONAL = /[=?*]|\.\.\./;
const RECEIVER = /^(?:self|cls|&?(?:mut )?self|this)\b/;

/** The code between an answer's fences. */
function fencedCode(text: string): string {
	return [...text.slice(0, MAX_CODE_CHARS).matchAll(FENCED)].map(([, code]) => code).join("\n");
}

/** Functions by name with their number of parameters; null for a function whose number varies. */
export function findSignatures(text: string): Map<string, number | null> {
	const code = fencedCode(text);
	const found = DECLARATIONS.flatMap((declaration) => [...code.matchAll(declaration)]);
	return new Map(
		found
			.filter(([, name = ""]) => !NO_NAMES.has(name))
			.map(([, name = "", list = ""]) => {
				const parameters = list.split(",").filter((one) => one.trim() !== "" && !RECEIVER.test(one.trim()));
				return [name, OPTIONAL.test(list) ? null : parameters.length];
			}),
	);
}

/** Whether both texts declare a function of one name with different numbers of parameters, so that no caller fits both. */
export function haveConflictingSignatures(a: string, b: string): boolean {
	const right = findSignatures(b);
	return [...findSignatures(a)].some(([name, count]) => {
		const other = right.get(name);
		return count !== null && other !== undefined && other !== null && other !== count;
	});
}
