// The client in a Worker, against the service: every kind of thing it does, with the checks of proofs on its own side.
import { beforeEach, describe, expect, it } from "vitest";
import { createClient, type SvcClient, SvcError } from "../../src/client/index.ts";
import { useService } from "../support/per-test.ts";
import { anAddress, call, chat, ORIGIN } from "../support/service.ts";

const { key } = useService("corporate");
let client: SvcClient;
let address: string;

beforeEach(() => {
	address = anAddress();
	client = createClient({
		baseUrl: `${ORIGIN}/v1`,
		apiKey: key.key,
		maxRetries: 0,
		headers: { "cf-connecting-ip": address },
		fetch: (input, init) => call(String(input).slice(ORIGIN.length), init),
	});
});

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
	const all: Item[] = [];
	for await (const item of items) all.push(item);
	return all;
}

const HELLO = { messages: [{ role: "user" as const, content: "What is 2+2?" }] };

describe("the client", () => {
	it("asks which model would answer, and for answers of several calls and code with their progress", async () => {
		const route = await client.route({ prompt: "hi" });
		expect(route.candidates[0]?.model).toBe(route.model);
		expect((await client.orchestrate(HELLO)).svc.proof.verifiable).toBe(true);
		const events = await collect(client.codeStream({ task: "a python fizzbuzz" }));
		const last = events.at(-1);
		expect(events.length).toBeGreaterThan(2);
		expect(last?.type === "result" && last.result.files.length).toBeGreaterThan(0);
	});

	it("runs a goal, reads it in every form, and verifies it itself", async () => {
		const events = await collect(client.runs.stream({ goal: "Compare two caches", max_cost_usd: 0.05, max_steps: 3 }));
		const last = events.at(-1);
		if (last?.type !== "result") throw new Error("the run has no result");
		const { run_id, steps } = last.result;
		expect((await client.runs.get(run_id)).status).toBe(last.result.status);
		expect((await collect(client.runs.list())).map((run) => run.run_id)).toEqual([run_id]);
		expect((await client.runs.step(run_id, 0)).text).not.toBe("");
		expect((await client.runs.cancel(run_id)).steps).toEqual(steps);
		expect((await client.runs.trajectory(run_id)).verification.valid).toBe(true);
		const { isValid, findings } = await client.proofs.verifyRun(run_id);
		expect([isValid, findings.filter(({ verdict }) => verdict === "FAIL")]).toEqual([true, []]);
		const { output } = last.result;
		const texts = { input: "Compare two caches", output };
		const compared = await client.proofs.verifyRun(run_id, texts);
		expect([
			compared.isValid,
			compared.findings.filter(({ text }) => /^(?:input|output): has the hash/.test(text)).length,
		]).toEqual([true, 2]);
		expect(await client.proofs.verifyRun(run_id, { ...texts, output: "a guess" })).toMatchObject({ isValid: false });
	});

	it("decides about actions, follows the log, and verifies a chain and a receipt itself", async () => {
		const decided = await client.policy.check({ workspace_id: "shop", action: "clean up", commands: ["rm -rf /"] });
		expect(decided.decision).toBe("deny");
		for await (const event of client.audit.follow({ workspace_id: "shop" })) {
			expect(event.id).toBe(decided.event_id);
			break;
		}
		for (const objective of ["one", "two"]) await client.handoffs.create({ workspace_id: "shop", objective });
		expect(await client.handoffs.verify("shop")).toMatchObject({ isValid: true });
		const answer = (await (await chat(key.key, "hi")).json()) as { id: string; svc: { proof: { salt: string } } };
		const { id } = answer;
		expect(await client.proofs.verify(id)).toMatchObject({ isValid: true });
		const { salt } = answer.svc.proof;
		const texts = { input: JSON.stringify([{ role: "user", content: "hi" }]), output: JSON.stringify(answer) };
		expect(await client.proofs.verify(id, { salt, ...texts })).toMatchObject({ isValid: true });
		expect(await client.proofs.verify(id, texts)).toMatchObject({ isValid: false });
		expect(await client.proofs.verify(id, { salt, ...texts, input: "ho" })).toMatchObject({ isValid: false });
		const stranger = "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=";
		expect(await client.proofs.verify(id, { publicKeys: stranger })).toMatchObject({ isValid: false });
	});

	it("makes, changes, rotates and deletes keys", async () => {
		const made = await client.keys.create({ name: "ci", rpm: 5 });
		expect(made.key).toMatch(/^svc_sk_/);
		expect((await client.keys.change(made.key_id, { rpm: 6 })).rpm).toBe(6);
		const rotated = await client.keys.rotate(made.key_id);
		expect(await client.keys.delete(rotated.key_id)).toMatchObject({ deleted: true });
		expect((await collect(client.keys.list())).map(({ key_id }) => key_id)).toEqual([key.key_id]);
	});

	it("throws what the service refuses, with its code, status and request id", async () => {
		const refused = await client.runs.start({ goal: "  " }).catch((error: unknown) => error);
		expect(refused).toBeInstanceOf(SvcError);
		expect(refused).toMatchObject({ code: "no_goal", status: 400, requestId: expect.stringMatching(/^svc-/) });
	});
});
