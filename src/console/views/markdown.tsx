// Markdown of models in a page.
import { type Child, jsx } from "hono/jsx";
import { type MarkdownNode, toMarkdownTree } from "../markdown-tree.ts";

function show(node: MarkdownNode): Child {
	if (typeof node === "string") return node;
	const { tag, href, start, children } = node;
	const attributes: Record<string, string> = {
		...(href === undefined ? {} : { href, rel: "noopener noreferrer nofollow" }),
		...(start === undefined ? {} : { start: String(start) }),
	};
	return jsx(tag, attributes, ...(children.map(show) as []));
}

export function Markdown({ text }: { text: string }) {
	return <div class="markdown">{toMarkdownTree(text).map(show)}</div>;
}
