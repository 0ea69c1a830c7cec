// Shows Markdown of models: elements of a closed list, all else as text.
import { type MarkdownNode, toMarkdownTree } from "../markdown-tree.ts";

function toDom(node: MarkdownNode): Node {
	if (typeof node === "string") return document.createTextNode(node);
	const element = document.createElement(node.tag);
	if (node.href !== undefined) {
		element.setAttribute("href", node.href);
		element.setAttribute("rel", "noopener noreferrer nofollow");
		element.setAttribute("target", "_blank");
	}
	if (node.start !== undefined) element.setAttribute("start", String(node.start));
	element.append(...node.children.map(toDom));
	return element;
}

/** Replaces what an element shows by a text. */
export function showMarkdown(element: HTMLElement, markdown: string): void {
	element.replaceChildren(...toMarkdownTree(markdown).map(toDom));
	// What scrolls must be reachable by keyboard.
	for (const block of element.querySelectorAll("pre, table")) block.setAttribute("tabindex", "0");
}
