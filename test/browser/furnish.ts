// A user who has something of everything, so that every page of the console can be looked at.
import { CONSOLE_PAGES } from "../../src/console/pages.ts";
import { chat, type TestService } from "../clients/support.ts";

/** Answers of the console that are no page: a part of one, and what is to be saved. */
const NO_PAGES = ["run_live", "run_stream", "workspace_chain_proof", "workspace_checkpoint"];

const WORKSPACE = "team/checkout@main";

/** The ids in paths of pages by parameter; `id` is a workspace's. */
type ConsoleIds = Readonly<Record<string, string>>;

export interface FurnishedUser {
	key: string;
	/** Every page of the console, the ones with ids as well; of some, in more than one state. */
	paths: string[];
	/** The public page of a config that the user shared. */
	sharePath: string;
}

async function send<T>(url: string, key: string, path: string, body: unknown, method = "POST"): Promise<T> {
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
	if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
	return (await response.json()) as T;
}

function fillPath(path: string, ids: ConsoleIds): string {
	return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
		const id = ids[name];
		if (id === undefined) throw new Error(`${path} needs a ${name}, which this user does not have`);
		return encodeURIComponent(id);
	});
}

/** Each page that is read, with a user's ids in its path. */
function pagePaths(ids: ConsoleIds): string[] {
	return CONSOLE_PAGES.filter(({ id, method }) => method === "GET" && !NO_PAGES.includes(id)).map(({ path }) =>
		fillPath(path, ids),
	);
}

/** Makes a new user of the service, with a request, a run, a second key, a workspace with its chain and manifests, and a share. */
export async function furnishUser({ url, newKey }: TestService): Promise<FurnishedUser> {
	const { key } = await newKey("corporate");
	const post = <T>(path: string, body: unknown) => send<T>(url, key, path, body);
	const asked = (await (await chat(url, key, "Say hello")).json()) as { id: string };
	const made = await post<{ key_id: string }>("/v1/keys", { name: "ci", tags: ["nightly"], budget_usd: 1 });
	const run = await post<{ run_id: string }>("/v1/agent/run", { goal: "List two ways to cache results", max_steps: 3 });
	for (const objective of ["Add retries to the payment client", "Review it"])
		await post("/v1/handoff", { workspace_id: WORKSPACE, objective, files_touched: ["src/pay.ts"] });
	await post("/v1/policy/check", { workspace_id: WORKSPACE, action: "Clean up", commands: ["rm -rf /"] });
	const manifestPath = `/v1/workspace/${encodeURIComponent(WORKSPACE)}/manifest`;
	for (const protected_paths of [["infra/", "migrations/"], ["infra/"]])
		await send(url, key, manifestPath, { protected_paths }, "PUT");
	const share = await post<{ share_id: string }>("/v1/brain/share", { brain_md: "model: auto" });

	const ids = { request_id: asked.id, key_id: made.key_id, run_id: run.run_id, index: "0", id: WORKSPACE };
	const workspace = `/console/workspaces/${encodeURIComponent(WORKSPACE)}`;
	return {
		key,
		paths: [...pagePaths(ids), `${workspace}/manifest?from=1&to=2`],
		sharePath: `/b/${share.share_id}`,
	};
}
