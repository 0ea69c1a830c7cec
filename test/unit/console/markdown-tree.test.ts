// Markdown of models: what is shown of it, and that nothing of it runs or leads anywhere but to http(s).
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type MarkdownNode, toMarkdownTree } from "../../../src/console/markdown-tree.ts";

/** The tree as text, elements in round brackets. */
function render(nodes: readonly MarkdownNode[]): string {
	return nodes
		.map((node) => {
			if (typeof node === "string") return node;
			const { tag, href, start, children } = node;
			const said = [tag, href, start].filter((part) => part !== undefined).join(" ");
			return `(${said}:${render(children)})`;
		})
		.join("");
}

const rendered = (markdown: string) => render(toMarkdownTree(markdown));

describe("Markdown", () => {
	it.each([
		["plain", "(p:plain)"],
		["# A\n\n##### B", "(h3:A)(h6:B)"],
		["a **b** *c* ~~d~~ `e < f`", "(p:a (strong:b) (em:c) (del:d) (code:e < f))"],
		["- a\n- b", "(ul:(li:a)(li:b))"],
		["3. a\n4. b", "(ol 3:(li:a)(li:b))"],
		["- [x] done\n- [ ] open", "(ul:(li:☑ done)(li:☐ open))"],
		["> said", "(blockquote:(p:said))"],
		["```js\nlet a = '<b>';\n```", "(pre:(code:let a = '<b>';))"],
		["|a|b|\n|-|-|\n|1|2|", "(table:(thead:(tr:(th:a)(th:b)))(tbody:(tr:(td:1)(td:2))))"],
		["a\n\n---\n\nb", "(p:a)(hr:)(p:b)"],
		["one  \ntwo", "(p:one(br:)two)"],
		["5 &lt; 6 &amp; 7 < 8", "(p:5 < 6 & 7 < 8)"],
		["", ""],
	])("%j", (markdown, expected) => {
		expect(rendered(markdown)).toBe(expected);
	});
});

describe("what a model wrote", () => {
	it.each([
		["<script>alert(1)</script>", "(p:<script>alert(1)</script>)"],
		["a <img src=x onerror=alert(1)> b", "(p:a <img src=x onerror=alert(1)> b)"],
		["[a](javascript:alert(1))", "(p:a)"],
		["[a](data:text/html,x) [b](vbscript:x) [c](/console/keys) [d](#x)", "(p:a b c d)"],
		["[a](JaVaScRiPt:alert(1)) [b](&#106;avascript:alert(1))", "(p:a b)"],
		["[a](https://x.test/?b=1&c=2)", "(p:(a https://x.test/?b=1&c=2:a))"],
		["![picture](https://x.test/p.png)", "(p:(a https://x.test/p.png:picture))"],
		["![](javascript:x)", "(p:javascript:x)"],
	])("%j is text, or a link to http(s)", (markdown, expected) => {
		expect(rendered(markdown)).toBe(expected);
	});

	it("never leads but to http(s), whatever it is", () => {
		const schemes = fc.constantFrom(
			"javascript:",
			"JAVASCRIPT:",
			"data:",
			"file:",
			"//x.test",
			"https://x.test",
			" java\tscript:",
		);
		const pieces = fc.oneof(
			fc.string(),
			schemes,
			fc.constantFrom("[", "](", ")", "<", ">", "![", "`", "\n", "|", "&#x6a;"),
		);
		const hrefs = (nodes: readonly MarkdownNode[]): string[] =>
			nodes.flatMap((node) =>
				typeof node === "string" ? [] : [...(node.href ? [node.href] : []), ...hrefs(node.children)],
			);
		fc.assert(
			fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
				for (const href of hrefs(toMarkdownTree(parts.join("")))) expect(href).toMatch(/^https?:\/\//);
			}),
		);
	});

	it("is one text where it is nested too deeply, or too long", () => {
		const deep = ">".repeat(20_000);
		expect(rendered(deep)).toBe(`(p:${deep})`);
		const long = "*a* ".repeat(30_000);
		expect(rendered(long)).toBe(`(p:${long})`);
	});
});
