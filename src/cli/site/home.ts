// The page at `/`, in one screen: what the service is, what comes with an answer, where to go on; for programs the same as JSON.
import { isJsonObject, type JsonObject } from "../../json.ts";
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
	{ path: "/docs", label: "Documents", description: "what it does, every field, how to run it" },
	{ path: "/docs/api", label: "API", description: "every endpoint with an example" },
	{ path: "/console", label: "Console", description: "usage, keys, runs, audit log; sign in with a key" },
	{ path: "/verify", label: "Verify", description: "check a receipt or a ledger in your browser" },
	{ path: "/health", label: "Health", description: "what is up" },
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

const SHOWN_MEMBERS = ["routing", "cost", "proof", "fallback"];
const SHOWN_INNER = {
	routing: ["mode", "provider", "tier", "reason"],
	proof: ["request_id", "proof_hash", "signature", "key_id", "verifiable"],
} as const;

function pick(source: unknown, names: readonly string[]): JsonObject {
	if (!isJsonObject(source)) throw new Error("the recorded answer has no svc block: run npm run generate");
	return Object.fromEntries(names.map((name) => [name, source[name]]));
}

/** The block as it is shown. @param answer of the example of a chat completion. */
function renderBlock(answer: unknown): string {
	const block = pick(isJsonObject(answer) ? answer["svc"] : null, SHOWN_MEMBERS);
	for (const [name, inner] of Object.entries(SHOWN_INNER)) block[name] = pick(block[name], inner);
	return escapeHtml(JSON.stringify(block, null, 2));
}

export function renderHome(assets: PageAssets, answer: unknown): string {
	const items = LINKS.map(
		({ path, label, description }) =>
			`<li><a href="${path}"><strong>${label}</strong> <span>${description}</span></a></li>`,
	);
	return `<!doctype html>
<html lang="en">
${renderHead("Models, routed and receipted", assets)}
<body>
${renderBar(assets)}
<main id="main" class="home" tabindex="-1">
<div>
<h1>svc</h1>
<p class="lead">${escapeHtml(SUMMARY)}</p>
<p>Agents are governed too: actions are checked against a policy, work is handed over in a signed ledger, and runs stay under a cap.</p>
<ul class="ways">
${items.join("\n")}
</ul>
<p>Agents that read begin at <a href="/llms.txt">llms.txt</a> or <a href="/openapi.json">openapi.json</a>.</p>
</div>
<figure>
<figcaption>What comes with every answer: its <code>svc</code> block, here recorded from the sandbox, with some fields left out.</figcaption>
<pre tabindex="0"><code>${renderBlock(answer)}</code></pre>
</figure>
</main>
</body>
</html>
`;
}

export function renderProgramIndex(): string {
	return `${JSON.stringify({ name: "svc", description: SUMMARY, base_paths: BASE_PATHS, links: PROGRAM_LINKS })}\n`;
}
