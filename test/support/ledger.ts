// The handoff ledger as its users see it, and its object for tests that look behind the front door.
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { Handoff } from "../../src/ledger/handoff.ts";
import { callWithKey, type TestKey } from "./service.ts";

export const WORKSPACE = "team/checkout@main";

export const chainPath = (workspace = WORKSPACE) => `/v1/handoff/chain/${encodeURIComponent(workspace)}`;

/** Body of a chain. */
export interface Chain {
	count: number;
	data: Handoff[];
	has_more: boolean;
	verification: {
		ok: boolean;
		n: number;
		first_broken_index: number | null;
		reasons: string[];
		signing_enabled: boolean;
		complete: boolean | null;
	};
	pubkey_endpoint: string;
}

/** Creates a handoff. */
export async function handOn({ key }: TestKey, more: Record<string, unknown> = {}): Promise<Handoff> {
	const response = await callWithKey(key, "/v1/handoff", { workspace_id: WORKSPACE, objective: "Hand on", ...more });
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

/** Creates handoffs one after another. */
export async function handOnTimes(key: TestKey, times: number, more: Record<string, unknown> = {}): Promise<Handoff[]> {
	const created: Handoff[] = [];
	for (let i = 0; i < times; i++) created.push(await handOn(key, { objective: `step ${i}`, ...more }));
	return created;
}

export async function readChain({ key }: TestKey, query = "", workspace = WORKSPACE): Promise<Chain> {
	const response = await callWithKey(key, `${chainPath(workspace)}${query}`);
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

/** The object that writes a workspace's chain. */
export function ledgerOf({ user_id }: TestKey, workspace = WORKSPACE) {
	return env.WORKSPACE_LEDGER.getByName(`${user_id}/${workspace}`);
}

/** Status and code of an answer that is an error. */
export async function errorOf(pending: Response | Promise<Response>) {
	const response = await pending;
	const { error } = (await response.json()) as { error: string };
	return { status: response.status, error, retryAfter: response.headers.get("retry-after") };
}
