// Builds the modules beside the bundle, which the Worker loads on first use: JavaScript into `src/FOLDER/built/*.js` (imported by
// that path from a file in `src` itself, see wrangler.toml), pages as text.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { buildSite, packFiles } from "./site/build.ts";

const BUILT_DIR = "src/pages/built";
const VERIFY_PAGE = "src/verifier/page";

/** The oldest browsers that verify Ed25519 in WebCrypto. The page needs nothing newer. */
export const BROWSER_TARGETS = ["chrome137", "firefox130", "safari17"];

async function bundleFile(path: string): Promise<string> {
	const { outputFiles } = await build({
		entryPoints: [path],
		bundle: true,
		absWorkingDir: process.cwd(),
		minify: true,
		write: false,
		format: "iife",
		target: BROWSER_TARGETS,
		charset: "utf8",
		legalComments: "none",
		external: [FONT_PLACE],
	});
	return outputFiles[0]?.text.trim() ?? "";
}

function cspHash(content: string): string {
	return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
}

/** A policy that allows the page's own script and style, by hash, and no connection. */
function renderCsp(script: string, style: string): string {
	return [
		"default-src 'none'",
		`script-src ${cspHash(script)}`,
		`style-src ${cspHash(style)}`,
		"connect-src 'none'",
		"base-uri 'none'",
		"form-action 'none'",
	].join("; ");
}

/** @throws Error when the page lacks a placeholder, or a replacement would end its element early. */
function inlineParts(page: string, parts: readonly [placeholder: string, content: string][]): string {
	return parts.reduce((text, [placeholder, content]) => {
		if (text.split(placeholder).length !== 2) throw new Error(`the page needs exactly one ${placeholder}`);
		if (content.split(/<\/(?:script|style)/i).length !== 2)
			throw new Error(`the replacement of ${placeholder} ends too early`);
		// A function, because `$` has a meaning in replacement strings.
		return text.replace(placeholder, () => content);
	}, page);
}

/** Bundles a module for the Worker. @param define values of names that its source leaves open. */
async function buildModule(entry: string, outfile: string, define: Record<string, string> = {}): Promise<void> {
	await build({
		entryPoints: [entry],
		outfile,
		bundle: true,
		absWorkingDir: process.cwd(),
		minify: true,
		format: "esm",
		target: "es2024",
		charset: "utf8",
		legalComments: "none",
		define,
	});
}

const CONSOLE = "src/console";
const CONSOLE_FONT = "node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";
/** How the console's style names the font before its asset has a name. */
const FONT_PLACE = "/console/assets/font";

/** The media types of assets, by extension. */
const ASSET_TYPES = {
	css: "text/css; charset=utf-8",
	js: "text/javascript; charset=utf-8",
	svg: "image/svg+xml",
	woff2: "font/woff2",
} as const;

/** A file that browsers may keep for ever: its name changes with its content. */
function toAsset(content: string | Buffer, extension: keyof typeof ASSET_TYPES) {
	const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
	const name = `console.${hash}.${extension}`;
	const type = ASSET_TYPES[extension];
	return typeof content === "string"
		? { name, type, encoding: "text", content }
		: { name, type, encoding: "base64", content: content.toString("base64") };
}

/** Builds the console with its style, scripts, mark and font: a module that the Worker loads on first use. */
async function buildConsole(): Promise<void> {
	const [script, charts, receipt, conversation, style] = await Promise.all([
		bundleFile(join(CONSOLE, "browser/main.ts")),
		bundleFile(join(CONSOLE, "browser/charts.ts")),
		bundleFile(join(CONSOLE, "browser/receipt.ts")),
		bundleFile(join(CONSOLE, "browser/conversation.ts")),
		bundleFile(join(CONSOLE, "style.css")),
	]);
	const font = toAsset(readFileSync(CONSOLE_FONT), "woff2");
	const assets = {
		script: toAsset(script, "js"),
		conversation: toAsset(conversation, "js"),
		charts: toAsset(charts, "js"),
		receipt: toAsset(receipt, "js"),
		style: toAsset(style.replace(FONT_PLACE, `/console/assets/${font.name}`), "css"),
		mark: toAsset(readFileSync(join(CONSOLE, "mark.svg"), "utf8").trim(), "svg"),
		font,
	};
	await buildModule(join(CONSOLE, "main.tsx"), join(CONSOLE, "built/console.js"), {
		CONSOLE_ASSETS: JSON.stringify(assets),
	});
}

const SITE = "src/site";
/** The published files of Swagger UI: one script, one style, nothing else of it is served. */
const VIEWER = "node_modules/swagger-ui-dist";
/** Wherever the service is started from, the documents are the project's. */
const PROJECT = join(import.meta.dirname, "../..");

/** Builds the documents with their style, script and search index: a module that the Worker loads on first use. */
async function buildDocuments(): Promise<void> {
	const [script, style, viewerStart, viewerStyle] = await Promise.all([
		bundleFile(join(SITE, "browser/main.ts")),
		bundleFile(join(SITE, "style.css")),
		bundleFile(join(SITE, "browser/api.ts")),
		bundleFile(join(SITE, "api.css")),
	]);
	const viewer = {
		script: `${readFileSync(join(VIEWER, "swagger-ui-bundle.js"), "utf8")}\n${viewerStart}`,
		style: `${readFileSync(join(VIEWER, "swagger-ui.css"), "utf8")}\n${viewerStyle}`,
	};
	const { files, viewerFiles, pictures, missingPage, programIndex } = buildSite({
		root: PROJECT,
		script,
		style,
		viewer,
	});
	await buildModule(join(SITE, "viewer.ts"), join(SITE, "built/viewer.js"), {
		VIEWER_FILES: JSON.stringify(viewerFiles),
	});
	await buildModule(join(SITE, "pictures.ts"), join(SITE, "built/pictures.js"), {
		SITE_PICTURES: JSON.stringify(pictures),
	});
	const packed = packFiles(files);
	await buildModule(join(SITE, "main.ts"), join(SITE, "built/site.js"), {
		SITE_BASE: JSON.stringify(packed.base),
		SITE_FILES: JSON.stringify(packed.files),
		SITE_MISSING_PAGE: JSON.stringify(missingPage),
		SITE_PROGRAM_INDEX: JSON.stringify(programIndex),
	});
}

/** Builds the page that verifies proofs: a text with its style and script. */
async function buildVerifyPage(): Promise<void> {
	const [script, style] = await Promise.all([
		bundleFile(join(VERIFY_PAGE, "main.ts")),
		bundleFile(join(VERIFY_PAGE, "style.css")),
	]);
	const meta = `<meta http-equiv="Content-Security-Policy" content="${renderCsp(script, style)}">`;
	const page = inlineParts(readFileSync(join(VERIFY_PAGE, "page.html"), "utf8"), [
		['<link rel="stylesheet" href="style.css">', `${meta}\n<style>${style}</style>`],
		['<script src="main.js"></script>', `<script>${script}</script>`],
	]);
	mkdirSync(BUILT_DIR, { recursive: true });
	writeFileSync(join(BUILT_DIR, "verify.html"), page);
}

const POLICY_ENGINE = "src/policy/engine.ts";

/** The hash of all that a module is built from. */
async function hashSources(entry: string): Promise<string> {
	const { metafile } = await build({
		entryPoints: [entry],
		bundle: true,
		absWorkingDir: process.cwd(),
		write: false,
		metafile: true,
		format: "esm",
	});
	const hash = createHash("sha256");
	for (const path of Object.keys(metafile.inputs).sort()) hash.update(`${path}\0`).update(readFileSync(path));
	return `sha256:${hash.digest("hex")}`;
}

/** Builds the policy engine, with the version of its rules. */
async function buildPolicyEngine(): Promise<void> {
	await buildModule(POLICY_ENGINE, "src/policy/built/engine.js", {
		POLICY_SOURCES_HASH: JSON.stringify(await hashSources(POLICY_ENGINE)),
	});
}

/** Builds all of them. Run it before anything bundles the Worker. */
export async function buildModules(): Promise<void> {
	await Promise.all([
		buildVerifyPage(),
		buildConsole(),
		buildDocuments(),
		buildModule(join(SITE, "examples.ts"), join(SITE, "built/examples.js")),
		buildModule("src/compliance/detector.ts", "src/compliance/built/detector.js"),
		buildPolicyEngine(),
		buildModule("src/telemetry/module.ts", "src/telemetry/built/telemetry.js"),
	]);
}
