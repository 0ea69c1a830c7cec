// The page at `/`, in one screen: what the service is, what comes with an answer, where to go on; for programs the same as JSON.
import { isJsonObject, type JsonObject } from "../../json.ts";
import { PICTURE_PATHS } from "../../site/site-file.ts";
import { escapeHtml } from "./markdown.ts";
import { type PageAssets, renderBar, renderHead } from "./page.ts";

const SUMMARY =
	"One address for OpenAI's and Anthropic's clients and one key for models of many providers. Every prompt is routed, never spends more than its limit, and is answered with its cost and a signed receipt.";

interface HomeLink {
	path: string;
	label: string;
	description: string;
}

const LINKS: readonly HomeLink[] = [
	{ path: "/docs/api", label: "API", description: "every endpoint with an example" },
	{ path: "/verify", label: "Verify", description: "check a receipt or a ledger in your browser" },
	{ path: "/health", label: "Health", description: "what is up" },
	{ path: "/llms.txt", label: "llms.txt", description: "where agents that read begin" },
	{ path: "/openapi.json", label: "openapi.json", description: "the interface for programs" },
];

/** Where programs find what the service has. */
const PROGRAM_LINKS = {
	openapi: "/openapi.json",
	documents: "/llms.txt",
	tools: "/v1/mcp/manifest",
	health: "/health",
	docs: "/docs",
	console: "/console",
	verify: "/verify",
};
const BASE_PATHS = { openai: "/v1", anthropic: "/", mcp: "/v1/mcp" };

/** Characters of a text that the page shows of an answer. */
const SHOWN_CHARS = 44;
/** A member that fits in so many characters stands on one line. */
const LINE_CHARS = 72;

/** A member of the recorded answer. @throws Error for one that it does not have: then the examples are to be recorded anew. */
function member(source: unknown, ...path: (string | number)[]): unknown {
	let found = source;
	for (const name of path) {
		const list: unknown = Array.isArray(found) ? found[Number(name)] : isJsonObject(found) ? found[name] : undefined;
		if (list === undefined) throw new Error(`the recorded answer has no ${path.join(".")}: run npm run generate`);
		found = list;
	}
	return found;
}

function cut(value: unknown): unknown {
	return typeof value === "string" && value.length > SHOWN_CHARS ? `${value.slice(0, SHOWN_CHARS)}…` : value;
}

function renderLine(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(renderLine).join(", ")}]`;
	if (!isJsonObject(value)) return JSON.stringify(value);
	const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}: ${renderLine(inner)}`);
	return `{ ${members.join(", ")} }`;
}

/** JSON with what is short on one line. */
function renderCompact(value: unknown, indent = ""): string {
	const line = renderLine(value);
	if (!isJsonObject(value) || indent.length + line.length <= LINE_CHARS) return line;
	const inner = `${indent}  `;
	const members = Object.entries(value).map(
		([name, member]) => `${inner}${JSON.stringify(name)}: ${renderCompact(member, inner)}`,
	);
	return `{\n${members.join(",\n")} }`;
}

/** The answer as it is shown: what people look for first, long texts cut. */
function renderShownAnswer(answer: unknown): string {
	const svc = (...path: string[]) => cut(member(answer, "svc", ...path));
	const shown: JsonObject = {
		model: member(answer, "model") as string,
		choices: [{ message: { content: cut(member(answer, "choices", 0, "message", "content")) as string } }],
		svc: {
			routing: { provider: svc("routing", "provider"), reason: svc("routing", "reason") } as JsonObject,
			cost: { total_usd: svc("cost", "total_usd") } as JsonObject,
			proof: { proof_hash: svc("proof", "proof_hash"), signature: svc("proof", "signature") } as JsonObject,
		},
	};
	return escapeHtml(renderCompact(shown));
}

function renderCurl(body: unknown): string {
	return escapeHtml(`curl $SVC_BASE_URL/chat/completions \\
  -H "Authorization: Bearer $SVC_API_KEY" \\
  -d '${JSON.stringify(body)}'`);
}

/** What the pictures of the console show, and how large they are. */
const PICTURE = { name: "overview", width: 1440, height: 900 };

/** @param exchange the recorded example of a chat completion. @throws Error without one. */
export function renderHome(assets: PageAssets, exchange: unknown): string {
	const items = LINKS.map(({ path, label, description }) => `<li><a href="${path}">${label}</a> ${description}</li>`);
	const picture = `${PICTURE_PATHS}${PICTURE.name}`;
	return `<!doctype html>
<html lang="en">
${renderHead("Models, routed and receipted", assets)}
<body>
${renderBar(assets)}
<main id="main" class="home" tabindex="-1">
<section class="pitch" aria-label="What it is">
<h1>Every model behind one address, with a price and a proof.</h1>
<p class="lead">${escapeHtml(SUMMARY)}</p>
<p class="go"><a class="button" href="/docs">Begin</a> <a class="button quiet" href="/console">Open the console</a></p>
<figure class="exchange">
<figcaption>A request, and the sandbox's answer to it, with some members left out</figcaption>
<pre tabindex="0"><code><span class="said">${renderCurl(member(exchange, "body"))}</span>${renderShownAnswer(member(exchange, "answer"))}</code></pre>
</figure>
</section>
<figure class="shown">
<a href="/console"><picture>
<source srcset="${picture}-dark.webp" media="(prefers-color-scheme: dark)">
<img src="${picture}.webp" width="${PICTURE.width}" height="${PICTURE.height}" alt="The console's overview: what a team's month of requests has cost, with charts of spend, latency and errors">
</picture></a>
<figcaption>The console: cost, routes, failures and receipts of every request; what agents did, and what they were kept from.</figcaption>
</figure>
<ul class="ways">
${items.join("\n")}
</ul>
</main>
</body>
</html>
`;
}

export function renderProgramIndex(): string {
	return `${JSON.stringify({ name: "svc", description: SUMMARY, base_paths: BASE_PATHS, links: PROGRAM_LINKS })}\n`;
}
