// Renders the page of a shared routing config: what it does in words, its text, how to use it. All texts of users are escaped, and
// the page has no script. Pure.
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import type { RoutingConfig, RoutingRule } from "../routing/routing-config.ts";
import { escapeMarkup } from "./markup.ts";
import { type Share, shortConfigDigest } from "./share.ts";

const STYLE = `
:root{color-scheme:light dark;--page:#fff;--text:#1f2328;--soft:#59636e;--line:#d1d9e0;--box:#f6f8fa;--good:#15803d;--bad:#b42318;--link:#0757c2}
@media(prefers-color-scheme:dark){:root{--page:#0d1117;--text:#e6edf3;--soft:#9198a1;--line:#3d444d;--box:#161b22;--good:#4ac26b;--bad:#ff8078;--link:#6cb0ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
main{max-width:46rem;margin:0 auto;padding:2rem 1rem 4rem}
h1{font-size:1.6rem;line-height:1.25;margin:.25rem 0 .5rem}
h2{font-size:1.1rem;margin:2rem 0 .5rem}
p,dl,ol,ul{margin:.5rem 0}
a{color:var(--link)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.soft{color:var(--soft);font-size:.9rem}
.good{color:var(--good);font-weight:600}
.bad{color:var(--bad);font-weight:600}
dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.35rem 1rem}
dt{color:var(--soft)}
dd{margin:0}
li{margin:.35rem 0}
code,pre{font:.875rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{background:var(--box);border-radius:4px;padding:.1em .3em}
pre{background:var(--box);border:1px solid var(--line);border-radius:6px;padding:.75rem 1rem;overflow-x:auto;overflow-wrap:normal;tab-size:4}
pre code{background:none;padding:0}
@media(max-width:30rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.6rem}}
`;

let contentSecurityPolicy: string | undefined;

/** Headers of the page: no scripts, no resources but its own style, no frames around it, no entry in search engines. */
export function pageHeaders(): Record<string, string> {
	contentSecurityPolicy ??= [
		"default-src 'none'",
		`style-src 'sha256-${btoa(String.fromCharCode(...sha256(utf8ToBytes(STYLE))))}'`,
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	].join("; ");
	return {
		"content-security-policy": contentSecurityPolicy,
		"x-robots-tag": "noindex",
		"x-content-type-options": "nosniff",
		"referrer-policy": "no-referrer",
	};
}

const renderCode = (text: string) => `<code>${escapeMarkup(text)}</code>`;
const renderCodes = (texts: readonly string[], between = ", ") => texts.map(renderCode).join(between);
const formatUsd = (usd: number) => `$${usd}`;

function describeCondition({ when }: RoutingRule): string {
	const parts: string[] = [];
	if (when.intent) parts.push(`the prompt is about ${renderCodes(when.intent, " or ")}`);
	if (when.contains !== undefined) parts.push(`the last message contains ${renderCode(when.contains)}`);
	if (when.matches !== undefined) parts.push(`the last message matches ${renderCode(when.matches)}`);
	if (when.min_tokens !== undefined) parts.push(`the prompt has at least ${when.min_tokens} tokens`);
	if (when.max_tokens !== undefined) parts.push(`the prompt has at most ${when.max_tokens} tokens`);
	if (when.has_tools !== undefined) parts.push(`there are ${when.has_tools ? "" : "no "}tools`);
	if (when.has_images !== undefined) parts.push(`there are ${when.has_images ? "" : "no "}images`);
	return parts.length === 0 ? "Always" : `When ${parts.join(" and ")}`;
}

function describeChoice({ use }: RoutingRule): string {
	const parts: string[] = [];
	if (use.model !== undefined) parts.push(use.model === "auto" ? "routes freely" : `runs ${renderCode(use.model)}`);
	if (use.tier !== undefined) parts.push(`routes within the ${renderCode(use.tier)} tier`);
	if (use.routing_mode !== undefined) parts.push(`routes for ${renderCode(use.routing_mode)}`);
	if (use.max_cost !== undefined) parts.push(`spends at most ${formatUsd(use.max_cost)}`);
	return parts.length === 0 ? "nothing is changed" : parts.join(", ");
}

function renderRule(rule: RoutingRule): string {
	const name = rule.name === undefined ? "" : `<strong>${escapeMarkup(rule.name)}.</strong> `;
	return `<li>${name}${describeCondition(rule)}: ${describeChoice(rule)}.</li>`;
}

function renderSummary(config: RoutingConfig): string {
	const rows: [string, string][] = [
		["Model", config.model === "auto" ? "picked for each prompt" : renderCode(config.model)],
		["Mode", config.routing_mode === null ? "picked for each prompt" : renderCode(config.routing_mode)],
		["Most a request may cost", config.max_cost === null ? "no limit of its own" : formatUsd(config.max_cost)],
		["Never called", config.blocked.length === 0 ? "nobody" : renderCodes(config.blocked)],
		["Stand-ins, in order", config.fallback.length === 0 ? "the nearest model" : renderCodes(config.fallback)],
	];
	if (config.default_max_tokens !== undefined)
		rows.push(["Output limit where a request names none", `${config.default_max_tokens} tokens`]);
	for (const [name, value] of Object.entries(config.compliance ?? {}))
		rows.push([name.replaceAll("_", " "), value === true ? "yes" : renderCodes([value].flat().map(String))]);
	return `<dl>${rows.map(([name, value]) => `<dt>${escapeMarkup(name)}</dt><dd>${value}</dd>`).join("")}</dl>`;
}

function renderSection(title: string, content: string): string {
	return `<section><h2>${title}</h2>${content}</section>`;
}

function renderCodeBlock(text: string): string {
	// Focusable, so that wide text can be scrolled by keyboard.
	return `<pre tabindex="0"><code>${escapeMarkup(text)}</code></pre>`;
}

/** Addresses on the page. */
interface ShareUrls {
	/** The share as JSON. */
	json: string;
	/** Its badge. */
	badge: string;
	/** The page itself. */
	page: string;
}

/** The page as HTML. */
export function renderSharePage(share: Share, urls: ShareUrls): string {
	const { title, config, brainMd, errors, createdAt } = share;
	const heading = title ?? "Shared routing config";
	const day = createdAt.slice(0, 10);
	const verdict =
		errors.length === 0
			? '<span class="good">Valid</span>'
			: `<span class="bad">Invalid</span>: it cannot be applied as it is`;
	const parts = [
		`<p class="soft">Shared routing config · <time datetime="${escapeMarkup(createdAt)}">${day}</time> · digest ${renderCode(shortConfigDigest(share))}</p>`,
		`<h1 dir="auto">${escapeMarkup(heading)}</h1><p>${verdict}.</p>`,
	];
	if (errors.length > 0)
		parts.push(
			renderSection("What is wrong", `<ul>${errors.map((error) => `<li>${escapeMarkup(error)}</li>`).join("")}</ul>`),
		);
	parts.push(
		renderSection(
			errors.length === 0 ? "What it does" : "What it would do without the faulty parts",
			renderSummary(config),
		),
	);
	if (config.rules)
		parts.push(
			renderSection("Rules, the first that matches decides", `<ol>${config.rules.map(renderRule).join("")}</ol>`),
		);
	if (brainMd !== null) parts.push(renderSection("As it was written", renderCodeBlock(brainMd)));
	parts.push(renderSection("Normal form", renderCodeBlock(JSON.stringify(config, null, 2))));
	const json = `<a href="${escapeMarkup(urls.json)}">${escapeMarkup(urls.json)}</a>`;
	const send = "Send the normal form as <code>brain_config</code> with a request. ";
	parts.push(
		renderSection(
			errors.length === 0 ? "Use it" : "Addresses",
			`<p>${errors.length === 0 ? send : ""}As JSON: ${json}</p>` +
				`<p>A badge for a README:</p>${renderCodeBlock(`[![BRAIN.md](${urls.badge})](${urls.page})`)}`,
		),
	);
	return [
		'<!doctype html><html lang="en"><head><meta charset="utf-8">',
		'<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">',
		`<title>${escapeMarkup(heading)}</title><style>${STYLE}</style></head>`,
		`<body><main>${parts.join("")}</main></body></html>`,
	].join("");
}
