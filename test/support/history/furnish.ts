// A user who has something of everything, made through the interface as everybody makes it.
import type { CreatedKey } from "../../../src/cli/operator.ts";

const WORKSPACE = "team/checkout@main";
const SESSION = "review of #7/50 %";

/** The ids in paths of pages by parameter; `id` is a workspace's. */
export type ConsoleIds = Readonly<Record<string, string>>;

export interface FurnishedAccount {
	key: string;
	userId: string;
	ids: ConsoleIds;
	/** The public page of a config that the user shared. */
	sharePath: string;
}

/** Where the user is made. */
interface Place {
	url: string;
	newKey(plan: string): Promise<CreatedKey>;
}

async function send<T>(url: string, key: string, path: string, body: unknown, method = "POST"): Promise<T> {
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "x-session-id": SESSION };
	const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
	if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
	return (await response.json()) as T;
}

/** Makes a new user with a session of a request and a run, a second key, a workspace with its chain and manifests, and a share. */
export async function furnishAccount({ url, newKey }: Place): Promise<FurnishedAccount> {
	const { key, user_id: userId } = await newKey("corporate");
	const post = <T>(path: string, body: unknown) => send<T>(url, key, path, body);
	const messages = [{ role: "user", content: "Say hello" }];
	const asked = await post<{ id: string }>("/v1/chat/completions", { messages });
	const made = await post<{ key_id: string }>("/v1/keys", { name: "ci", tags: ["nightly"], budget_usd: 1 });
	const run = await post<{ run_id: string }>("/v1/agent/run", { goal: "List two ways to cache results", max_steps: 3 });
	for (const objective of ["Add retries to the payment client", "Review it"])
		await post("/v1/handoff", { workspace_id: WORKSPACE, objective, files_touched: ["src/pay.ts"] });
	await post("/v1/policy/check", { workspace_id: WORKSPACE, action: "Clean up", commands: ["rm -rf /"] });
	const manifestPath = `/v1/workspace/${encodeURIComponent(WORKSPACE)}/manifest`;
	for (const protected_paths of [["infra/", "migrations/"], ["infra/"]])
		await send(url, key, manifestPath, { protected_paths }, "PUT");
	const share = await post<{ share_id: string }>("/v1/brain/share", { brain_md: "model: auto" });

	const ids = {
		request_id: asked.id,
		key_id: made.key_id,
		run_id: run.run_id,
		index: "0",
		id: WORKSPACE,
		session_id: SESSION,
	};
	return { key, userId, ids, sharePath: `/b/${share.share_id}` };
}
