// Elements of a page by id, and new ones. Text is always text.

export function place<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
	const element = document.getElementById(id);
	if (!element) throw new Error(`the page has no ${id}`);
	return element as Kind;
}

/** A new element. @param content texts and elements in it. */
export function make<Name extends keyof HTMLElementTagNameMap>(
	name: Name,
	className = "",
	...content: (Node | string)[]
): HTMLElementTagNameMap[Name] {
	const made = document.createElement(name);
	if (className !== "") made.className = className;
	made.append(...content);
	return made;
}
