// Finds texts that a shell expands a second time: an index in a name that a command is given. The walk follows the
// substitutions in them.

/**
 * Whether a text names an element whose index has a substitution in it: `a[$(id)]`. `[[ -v … ]]`, `printf -v`, `read`,
 * `unset`, `let`, `declare` and all arithmetic run it, also where it was quoted, and where it is a variable's value.
 */
export function namesComputedElement(text: string): boolean {
	for (let at = text.indexOf("["); at >= 0; at = text.indexOf("[", at + 1))
		if (/\w/.test(text[at - 1] ?? "")) return ["$(", "`", "$'"].some((opening) => text.includes(opening, at));
	return false;
}
