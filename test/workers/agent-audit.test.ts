// What the audit log has of a run: all of it by the run's id, reasons as people gave them, and no more of denied edits than tells of them.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { RunResponse } from "../../src/agents/response.ts";
import { isDeniedEditRecorded } from "../../src/agents/tools/decision-record.ts";
import { cachedSettings } from "../../src/settings.ts";
import { postRun } from "../support/agents.ts";
import { useService } from "../support/per-test.ts";
import { call, callWithKey, eventually, newKey, type TestKey, withKey } from "../support/service.ts";
import { OPENAI_FORMAT, toolModel } from "../support/tool-model.ts";

const { upstream, key } = useService("pro");

const SEND = {
	...{ type: "function", name: "send_mail", description: "Sends a mail.", effects: "external", commands: ["/text"] },
	parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};

async function start(): Promise<RunResponse> {
	await call("/v1/workspace/team/manifest", { ...withKey(key.key, { tools: { ask: ["send_mail"] } }), method: "PUT" });
	const { answer } = toolModel(({ results }) =>
		results.length === 0 ? { calls: [{ name: "send_mail", args: { text: "ls" } }] } : { text: "Done." },
	);
	upstream.replace(answer);
	const body = { goal: "Send the mail", workspace_id: "team", brain_config: OPENAI_FORMAT, tools: [SEND] };
	const response = await postRun(key, body);
	expect(response.status, await response.clone().text()).toBe(200);
	return (await response.json()) as RunResponse;
}

const approverKey = () => newKey("pro", key.user_id);
const decide = ({ run_id, pending = [] }: RunResponse, by: TestKey, decision: object) =>
	callWithKey(by.key, `/v1/agent/${run_id}/resolve`, { resolutions: [{ id: pending[0]?.id, ...decision }] });

async function listEvents(query: string): Promise<{ event_type: string; payload: Record<string, unknown> }[]> {
	const response = await callWithKey(key.key, `/v1/audit/events?${query}`);
	expect(response.status).toBe(200);
	return ((await response.json()) as { data: never[] }).data;
}

describe("the audit log of a run", () => {
	it("lists its plan, the checks of its calls and the decisions on them, and nothing of another run", async () => {
		const [run, other] = [await start(), await start()];
		await decide(run, await approverKey(), { decision: "reject", reason: "no" });
		const events = await listEvents(`run_id=${run.run_id}&workspace_id=team`);
		expect(events.map(({ event_type: type }) => type).toSorted()).toEqual(
			expect.arrayContaining(["agent_plan", "policy_check", "tool_rejected"]),
		);
		for (const { payload } of events) expect(payload["run_id"]).toBe(run.run_id);
		const others = await listEvents(`run_id=${other.run_id}`);
		expect(others.some(({ event_type: type }) => type === "tool_rejected")).toBe(false);
		expect(await listEvents("run_id=agt_none")).toEqual([]);
	});

	it("has a person's reason as it was given, but for what looks like a secret", async () => {
		const run = await start();
		const setHashing = (isOn: boolean) =>
			runInDurableObject(env.AGENT_RUN.getByName(`run:${run.run_id}`), (instance) => {
				cachedSettings((instance as unknown as { env: Env }).env).hashesAuditSecrets = isOn;
			});
		await setHashing(true);
		const secret = `sk_live_${"4eC39HqLyjWDarjtT1zdp7dc"}`;
		await decide(run, await approverKey(), { decision: "reject", reason: `It holds ${secret}` });
		await setHashing(false);
		const [rejected] = await listEvents(`run_id=${run.run_id}&event_type=tool_rejected`);
		expect(rejected?.payload["reason"]).toMatch(/^It holds \[.* hmac-sha256:[0-9a-f]{32}\]$/);
	});

	it("has the first denied edits one by one, and then their count at each power of two", async () => {
		const run = await start();
		const approver = await approverKey();
		for (let n = 1; n <= 3; n++) {
			const refused = await decide(run, approver, { decision: "edit", arguments: { text: "rm -rf /" } });
			expect(refused.status, await refused.clone().text()).toBe(422);
		}
		await eventually(async () => {
			const denied = await listEvents(`run_id=${run.run_id}&decision=deny`);
			return denied.map(({ payload }) => payload["denied_edits"]).join() === "3,2,1";
		});
		const recorded = Array.from({ length: 1_000_000 }, (_, n) => n + 1).filter(isDeniedEditRecorded);
		expect(recorded.slice(18, 23)).toEqual([19, 20, 32, 64, 128]);
		expect(recorded).toHaveLength(35);
	});
});
