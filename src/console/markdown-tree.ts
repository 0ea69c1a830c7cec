// Markdown of models as a tree of few kinds of elements. HTML in it is text, links lead to http(s) only, pictures are links: nothing
// that a model writes runs or loads anything. Pure.
import { Lexer, type Token, type Tokens } from "marked";

const TAGS = [
	"p",
	"h3",
	"h4",
	"h5",
	"h6",
	"ul",
	"ol",
	"li",
	"blockquote",
	"pre",
	"code",
	"strong",
	"em",
	"del",
	"a",
	"br",
	"hr",
	"table",
	"thead",
	"tbody",
	"tr",
	"th",
	"td",
] as const;
type MarkdownTag = (typeof TAGS)[number];

export interface MarkdownElement {
	tag: MarkdownTag;
	children: readonly MarkdownNode[];
	/** Of a link: http(s) alone. */
	href?: string;
	/** Of a list that does not begin with 1. */
	start?: number;
}

/** A string is text, whatever is in it. */
export type MarkdownNode = string | MarkdownElement;

const ENTITIES: ReadonlyMap<string, string> = new Map([
	["&amp;", "&"],
	["&lt;", "<"],
	["&gt;", ">"],
	["&quot;", '"'],
	["&#39;", "'"],
	["&nbsp;", "\u00a0"],
]);

/** Text as it is to be read. */
function toText(text: string): string {
	return text.replaceAll(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => ENTITIES.get(entity) ?? entity);
}

/** An address as it may be followed; null for any other than http(s). */
function toHref(href: string): string | null {
	if (!URL.canParse(href)) return null;
	const url = new URL(href);
	return url.protocol === "https:" || url.protocol === "http:" ? url.href : null;
}

function toLink(href: string, children: readonly MarkdownNode[]): MarkdownNode[] {
	const safe = toHref(href);
	return safe === null ? [...children] : [{ tag: "a", href: safe, children }];
}

function toElement(tag: MarkdownTag, tokens: readonly Token[] = []): MarkdownElement {
	return { tag, children: tokens.flatMap(toNodes) };
}

/** The page has the first two levels of headings. */
const HEADINGS = ["h3", "h4", "h5", "h6"] as const;

function toList({ ordered, start, items }: Tokens.List): MarkdownElement {
	const list: MarkdownElement = {
		tag: ordered ? "ol" : "ul",
		children: items.map(({ tokens }) => toElement("li", tokens)),
	};
	return typeof start === "number" && start !== 1 ? { ...list, start } : list;
}

function toTable({ header, rows }: Tokens.Table): MarkdownElement {
	const toRow = (tag: "th" | "td", cells: readonly Tokens.TableCell[]): MarkdownElement => ({
		tag: "tr",
		children: cells.map((cell) => toElement(tag, cell.tokens)),
	});
	return {
		tag: "table",
		children: [
			{ tag: "thead", children: [toRow("th", header)] },
			{ tag: "tbody", children: rows.map((row) => toRow("td", row)) },
		],
	};
}

type Converter = (token: never) => MarkdownNode[];

/** How each kind of token is shown. Of all others, the text as it was written. */
const CONVERTERS: Readonly<Record<string, Converter>> = {
	space: () => [],
	def: () => [],
	hr: () => [{ tag: "hr", children: [] }],
	br: () => [{ tag: "br", children: [] }],
	heading: ({ depth, tokens }: Tokens.Heading) => [toElement(HEADINGS[Math.min(depth, 4) - 1] ?? "h6", tokens)],
	paragraph: ({ tokens }: Tokens.Paragraph) => [toElement("p", tokens)],
	blockquote: ({ tokens }: Tokens.Blockquote) => [toElement("blockquote", tokens)],
	list: (token: Tokens.List) => [toList(token)],
	table: (token: Tokens.Table) => [toTable(token)],
	code: ({ text }: Tokens.Code) => [{ tag: "pre", children: [{ tag: "code", children: [text] }] }],
	codespan: ({ text }: Tokens.Codespan) => [{ tag: "code", children: [text] }],
	strong: ({ tokens }: Tokens.Strong) => [toElement("strong", tokens)],
	em: ({ tokens }: Tokens.Em) => [toElement("em", tokens)],
	del: ({ tokens }: Tokens.Del) => [toElement("del", tokens)],
	link: ({ href, tokens }: Tokens.Link) => toLink(href, tokens.flatMap(toNodes)),
	image: ({ href, text }: Tokens.Image) => toLink(href, [toText(text) || href]),
	escape: ({ text }: Tokens.Escape) => [toText(text)],
	text: ({ text, tokens }: Tokens.Text) => (tokens ? tokens.flatMap(toNodes) : [toText(text)]),
	html: ({ raw, block }: Tokens.HTML) => (block ? [{ tag: "p", children: [raw] }] : [raw]),
	checkbox: ({ checked }: { checked: boolean }) => [checked ? "☑ " : "☐ "],
};

const converters = new Map(Object.entries(CONVERTERS));

function toNodes(token: Token): MarkdownNode[] {
	const convert = converters.get(token.type);
	return convert ? convert(token as never) : [token.raw];
}

/** Longer ones are shown as they are. */
const MAX_MARKDOWN_CHARS = 100_000;

/** Markdown as a tree. What is too long or nested too deeply to be read is one text. */
export function toMarkdownTree(markdown: string): MarkdownNode[] {
	if (markdown.length > MAX_MARKDOWN_CHARS) return [{ tag: "p", children: [markdown] }];
	try {
		return new Lexer({ gfm: true }).lex(markdown).flatMap(toNodes);
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		return [{ tag: "p", children: [markdown] }];
	}
}
