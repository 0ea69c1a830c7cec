// Pages that are built beforehand (cli/modules.ts) and served as they are: text modules beside the bundle, loaded on first use.
import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { type BuiltPage, describePage } from "./page.ts";

/** Pages loaded so far, by name. */
const pages = new Map<string, BuiltPage>();

async function loadPage(name: string, load: () => Promise<{ default: string }>): Promise<BuiltPage> {
	const known = pages.get(name);
	if (known) return known;
	const page = describePage((await load()).default);
	pages.set(name, page);
	return page;
}

const showVerifyPageEndpoint = endpoint({
	id: "show_verify_page",
	method: "GET",
	path: "/verify",
	access: "public",
	conditional: "strong",
	cacheControl: "public, max-age=300",
	mediaType: "text/html",
	toolGroup: null,
	summary: "A page that checks receipts, trajectories, chains and checkpoints in the browser. It sends nothing.",
	result: z.string(),
	async handle() {
		const { text, headers } = await loadPage("verify", () => import("./built/verify.html?raw"));
		return { ...ok(text), headers };
	},
});

export const pageEndpoints: readonly Endpoint[] = [showVerifyPageEndpoint];
