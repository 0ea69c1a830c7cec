// Writes the static assets into `.assets/`, which the platform serves beside the Worker: the page that verifies in the browser,
// as one file with its style and its script.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const DIR = ".assets";
const PAGE = "src/verifier/page";

/** The first browsers that verify Ed25519 (WebCrypto), the newest feature that the page uses. */
const TARGETS = ["chrome137", "firefox130", "safari17"];

async function bundleText(file: string): Promise<string> {
	const { outputFiles } = await build({
		entryPoints: [join(PAGE, file)],
		bundle: true,
		minify: true,
		write: false,
		format: "iife",
		target: TARGETS,
		charset: "utf8",
		legalComments: "none",
	});
	return outputFiles[0]?.text.trim() ?? "";
}

function hashSource(content: string): string {
	return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
}

/** The page loads nothing and sends nothing. Its script and its style are inline and allowed by their hashes. */
function contentSecurityPolicy(script: string, style: string): string {
	return [
		"default-src 'none'",
		`script-src ${hashSource(script)}`,
		`style-src ${hashSource(style)}`,
		"connect-src 'none'",
		"base-uri 'none'",
		"form-action 'none'",
	].join("; ");
}

/** Headers that a page cannot set itself: https://developers.cloudflare.com/workers/static-assets/headers/ */
function renderHeadersFile(policy: string): string {
	const headers = [
		`Content-Security-Policy: ${policy}; frame-ancestors 'none'`,
		"X-Content-Type-Options: nosniff",
		"Referrer-Policy: no-referrer",
	];
	return `/verify\n${headers.map((line) => `  ${line}\n`).join("")}`;
}

/** @throws when the page lacks one of the places, or a part would close its own element. */
function inlineParts(page: string, parts: readonly [place: string, content: string][]): string {
	return parts.reduce((text, [place, content]) => {
		if (text.split(place).length !== 2) throw new Error(`the page has not one ${place}`);
		if (content.split(/<\/(?:script|style)/i).length !== 2) throw new Error(`what replaces ${place} ends too early`);
		// A function, because `$` is special in a replacement text.
		return text.replace(place, () => content);
	}, page);
}

/** Builds all assets. Every script that serves or deploys the Worker calls it first. */
export async function buildAssets(): Promise<void> {
	const [script, style] = await Promise.all([bundleText("main.ts"), bundleText("style.css")]);
	const policy = contentSecurityPolicy(script, style);
	const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
	const page = inlineParts(readFileSync(join(PAGE, "page.html"), "utf8"), [
		['<link rel="stylesheet" href="style.css">', `${meta}\n<style>${style}</style>`],
		['<script src="main.js"></script>', `<script>${script}</script>`],
	]);
	mkdirSync(DIR, { recursive: true });
	writeFileSync(join(DIR, "verify.html"), page);
	writeFileSync(join(DIR, "_headers"), renderHeadersFile(policy));
}
