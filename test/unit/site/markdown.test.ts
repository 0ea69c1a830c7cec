// How a document is rendered: hostile text stays text, anchors are GitHub's, code keeps its links.
import { describe, expect, it } from "vitest";
import { relinkMarkdown, renderDocument } from "../../../src/cli/site/markdown.ts";

const asIs = (href: string) => href;
const html = (markdown: string) => renderDocument(markdown, asIs).html;

describe("a rendered document", () => {
	it.each([
		"<script>alert(1)</script>",
		'a <img src=x onerror="alert(1)"> b',
		"`<script>alert(1)</script>`",
		'```"><script>\n<script>alert(1)</script>\n```',
		'[x]("><script>alert(1)</script>)',
		'![a"><script>](x "y")',
	])("shows %s as text", (markdown) => {
		expect(html(markdown)).not.toMatch(/<script|<img[^>]* onerror/);
	});

	it("has anchors as GitHub makes them, numbered where a title repeats", () => {
		const { sections } = renderDocument("# A `b_c` d/e\n\n## Same\n\n## Same\n\n## Ünd — so\n", asIs);
		expect(sections.map(({ anchor }) => anchor)).toEqual(["a-b_c-de", "same", "same-1", "ünd--so"]);
	});

	it("gives search the text of each section, of tables, lists and code too", () => {
		const { sections } = renderDocument(
			"# T\n\nOne **two**.\n\n## S\n\n| a | b |\n|---|---|\n| `c` | [d](x) |\n\n- e\n  - f\n\n```sh\ng\n```\n",
			asIs,
		);
		expect(sections.map(({ title, text }) => [title, text])).toEqual([
			["T", "One two."],
			["S", "a b c d e f g"],
		]);
	});

	it("lets the keyboard reach what scrolls", () => {
		expect(html("```sh\nls\n```\n\n| a |\n|---|\n| b |\n").match(/tabindex="0"/g)).toHaveLength(2);
	});
});

describe("Markdown with links of the site", () => {
	it("keeps code as it was", () => {
		const markdown = "[a](x)\n\n```md\n[b](x)\n```\n\n`[c](x)` [d](x#e)\n";
		expect(relinkMarkdown(markdown, (href) => `/${href}`)).toBe(
			"[a](/x)\n\n```md\n[b](x)\n```\n\n`[c](x)` [d](/x#e)\n",
		);
	});
});
