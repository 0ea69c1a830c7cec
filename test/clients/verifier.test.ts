// The verifier and the running service: it takes what the service answers as it is, and the service serves its page.
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Finding, renderFinding } from "../../src/verifier/findings.ts";
import { readPublicKeys } from "../../src/verifier/keys.ts";
import { guessKind, PROOF_KINDS, type ProofKindName } from "../../src/verifier/kinds.ts";
import { chat, startTestService, type TestService } from "./support.ts";

let service: TestService | undefined;
beforeAll(async () => {
	service = await startTestService();
});
afterAll(() => service?.stop());

const get = (path: string) => fetch(`${service?.url}${path}`, { redirect: "manual" });

it("the page that verifies is served with a policy that lets it reach nobody", async () => {
	const response = await get("/verify");
	expect(response.status).toBe(200);
	expect(response.headers.get("content-type")).toContain("text/html");
	expect(response.headers.get("content-security-policy")).toContain("connect-src 'none'");
	expect(response.headers.get("x-request-id")).toMatch(/^svc-/);
	expect(await response.text()).toContain("<title>Verify a proof</title>");
	const etag = response.headers.get("etag") ?? "";
	const again = await fetch(`${service?.url}/verify`, { headers: { "if-none-match": etag } });
	expect([again.status, await again.text()]).toEqual([304, ""]);
});

it("other paths are what they are", async () => {
	for (const [path, status] of [
		["/", 200],
		["/health", 200],
		["/v1/plans", 200],
		["/verify/more", 404],
		["/_headers", 404],
	] as const) {
		const response = await get(path);
		expect([response.status, response.headers.get("x-request-id")], path).toEqual([
			status,
			expect.stringMatching(/^svc-/),
		]);
	}
});

interface Chatted {
	id: string;
	svc: { proof: { salt: string } };
}

/** Members of a chain's page that it is answered with, and that no hash covers. */
const UNPROVEN_OF_CHAIN = [
	"note  chain: nothing proves pubkey_endpoint",
	"note  verification: nothing proves notes, signing_enabled",
];

it("what the service answers is checked as it is saved", async () => {
	const { key } = await (service as TestService).newKey("corporate");
	const authorization = { authorization: `Bearer ${key}` };
	const read = async (path: string) => (await fetch(`${service?.url}${path}`, { headers: authorization })).text();
	const answer = (await (await chat(service?.url ?? "", key, "hi")).json()) as Chatted;
	const { id } = answer;
	const { salt } = answer.svc.proof;
	const texts = { salt, input: JSON.stringify([{ role: "user", content: "hi" }]), output: JSON.stringify(answer) };
	const handOn = async (objective: string) =>
		fetch(`${service?.url}/v1/handoff`, {
			method: "POST",
			headers: authorization,
			body: JSON.stringify({ workspace_id: "shop", objective, est_cost: 0.1, risks: [{ id: "r", description: "é" }] }),
		});
	await handOn("one");
	const earlier = await read("/v1/handoff/chain/shop/checkpoint");
	const { id: handoffId } = (await (await handOn("two")).json()) as { id: string };
	const keys = readPublicKeys(await read("/v1/proof/pubkey")) ?? [];
	const checkpoint = await read("/v1/handoff/chain/shop/checkpoint");
	const inclusion = JSON.parse(await read("/v1/handoff/chain/shop/proof?index=1")) as object;
	const entry: unknown = JSON.parse(await read(`/v1/handoff/${handoffId}`));
	const saved: [ProofKindName, string][] = [
		["receipt", await read(`/v1/proof/${id}`)],
		["chain", await read("/v1/handoff/chain/shop")],
		["checkpoint", checkpoint],
		["tree-proof", JSON.stringify({ ...inclusion, entry })],
		["tree-proof", await read("/v1/handoff/chain/shop/proof?from=1&to=2")],
	];
	for (const [kind, text] of saved) {
		const against = { chain: checkpoint, "tree-proof": `${earlier}${checkpoint}` }[kind as string] ?? null;
		const findings: Finding[] = await PROOF_KINDS[kind].check(text, { keys, checkpoint: against, texts });
		expect(guessKind(text)).toBe(kind);
		const others = findings.filter(({ verdict }) => verdict !== "ok").map(renderFinding);
		expect(others).toEqual(kind === "chain" ? UNPROVEN_OF_CHAIN : []);
		expect(findings.length).toBeGreaterThan(1);
	}
});
