// Renders a document: HTML with anchors as GitHub makes them, its sections for search, its Markdown with links of the site.
import { Lexer, Parser, Renderer, type Token, type Tokens } from "marked";

export interface DocumentSection {
	/** 1 for the page's title. */
	level: number;
	title: string;
	anchor: string;
	/** Its text without marks, in one line; without its subsections'. */
	text: string;
}

export interface RenderedDocument {
	html: string;
	sections: DocumentSection[];
}

/** Where a link of a document leads on the site. @throws Error for a file that is not on it. */
export type LinkResolver = (href: string) => string;

export function escapeHtml(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** A heading's anchor, as GitHub makes it of the title. */
export function toAnchor(title: string): string {
	return title
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N} _-]/gu, "")
		.replaceAll(" ", "-");
}

/** The text of tokens without marks. */
function plainText(tokens: readonly Token[]): string {
	return tokens
		.map((token) => {
			if (token.type === "list") return plainText((token as Tokens.List).items);
			if (token.type === "table") {
				const { header, rows } = token as Tokens.Table;
				return [header, ...rows].map((row) => row.map((cell) => plainText(cell.tokens)).join(" ")).join(" ");
			}
			if (token.type === "space" || token.type === "hr") return " ";
			if (token.type === "br") return " ";
			if ("tokens" in token && token.tokens) {
				const isBlock = ["paragraph", "blockquote", "list_item", "heading", "text"].includes(token.type);
				return plainText(token.tokens) + (isBlock ? " " : "");
			}
			return "text" in token ? `${String(token.text)}${token.type === "code" ? " " : ""}` : "";
		})
		.join("");
}

/** Anchors in the order of a page's headings: a repeated one is numbered. */
class Anchors {
	#taken = new Map<string, number>();

	next(title: string): string {
		const anchor = toAnchor(title);
		const before = this.#taken.get(anchor) ?? 0;
		this.#taken.set(anchor, before + 1);
		return before === 0 ? anchor : `${anchor}-${before}`;
	}
}

class SiteRenderer extends Renderer {
	#anchors = new Anchors();
	#resolve: LinkResolver;

	constructor(resolve: LinkResolver) {
		super();
		this.#resolve = resolve;
	}

	override heading({ tokens, depth, text }: Tokens.Heading): string {
		const anchor = this.#anchors.next(text);
		const title = this.parser.parseInline(tokens);
		const mark = depth === 1 ? "" : ` <a class="anchor" href="#${anchor}" aria-hidden="true" tabindex="-1">#</a>`;
		return `<h${depth} id="${anchor}">${title}${mark}</h${depth}>\n`;
	}

	override link({ href, tokens }: Tokens.Link): string {
		return `<a href="${escapeHtml(this.#resolve(href))}">${this.parser.parseInline(tokens)}</a>`;
	}

	override image({ href, text }: Tokens.Image): string {
		return `<img src="${escapeHtml(this.#resolve(href))}" alt="${escapeHtml(text)}">`;
	}

	/** What scrolls is reached by the keyboard. */
	override code({ text, lang }: Tokens.Code): string {
		const language = lang ? ` data-language="${escapeHtml(lang)}"` : "";
		return `<pre tabindex="0"${language}><code>${escapeHtml(text)}</code></pre>\n`;
	}

	override table(token: Tokens.Table): string {
		return `<div class="wide" role="region" aria-label="Table" tabindex="0">${super.table(token)}</div>\n`;
	}

	/** Documents hold no HTML: what looks like it is text. */
	override html({ text }: Tokens.HTML | Tokens.Tag): string {
		return escapeHtml(text);
	}
}

function toSections(tokens: readonly Token[]): DocumentSection[] {
	const anchors = new Anchors();
	const sections: DocumentSection[] = [];
	for (const token of tokens) {
		if (token.type === "heading") {
			const { depth, text, tokens: inline } = token as Tokens.Heading;
			sections.push({ level: depth, title: plainText(inline), anchor: anchors.next(text), text: "" });
			continue;
		}
		const section = sections.at(-1);
		if (section) section.text = `${section.text} ${plainText([token])}`.replaceAll(/\s+/g, " ").trim();
	}
	return sections;
}

/** @throws Error for a link that leads nowhere. */
export function renderDocument(markdown: string, resolve: LinkResolver): RenderedDocument {
	const tokens = new Lexer().lex(markdown);
	return { html: new Parser({ renderer: new SiteRenderer(resolve) }).parse(tokens), sections: toSections(tokens) };
}

const FENCE_OR_CODE = /(^([ \t]*)```[\s\S]*?^\2```|``[^`]+``|`[^`\n]+`)/gm;

/** The same Markdown with links of the site; code is as it was. */
export function relinkMarkdown(markdown: string, resolve: LinkResolver): string {
	return markdown
		.split(FENCE_OR_CODE)
		.filter((_, position) => position % 3 !== 2)
		.map((part, position) =>
			position % 2 === 1 ? part : part.replaceAll(/\]\(([^)\s]+)\)/g, (_, href: string) => `](${resolve(href)})`),
		)
		.join("");
}
