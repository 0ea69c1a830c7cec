// The console's pages of workspaces: the list, the overview, the chain entry by entry, the manifest.
import { describe, expect, it } from "vitest";
import { signIn, useConsoleUser } from "../../support/console.ts";
import { handOnTimes, WORKSPACE } from "../../support/ledger.ts";
import { call, callWithKey, db, newKey, withKey } from "../../support/service.ts";

const PATH = `/console/workspaces/${encodeURIComponent(WORKSPACE)}`;
const EVIL = `<script>alert(1)</script>"><img src=x onerror=alert(1)>`;
const MANIFEST = { protected_paths: ["infra/"], forbidden_commands: ["npm publish"], require_handoffs: true };

const { key, browser } = useConsoleUser("corporate");

async function putManifest(manifest: unknown): Promise<string> {
	const path = `/v1/workspace/${encodeURIComponent(WORKSPACE)}/manifest`;
	const response = await call(path, { ...withKey(key().key, manifest), method: "PUT" });
	expect(response.status).toBe(200);
	return ((await response.json()) as { digest: string }).digest;
}

async function removeEntry(seq: number): Promise<void> {
	const { results } = await db
		.prepare("SELECT name, sql FROM sqlite_master WHERE tbl_name = 'handoffs' AND type = 'trigger'")
		.all<{ name: string; sql: string }>();
	for (const { name } of results) await db.prepare(`DROP TRIGGER ${name}`).run();
	await db.prepare("DELETE FROM handoffs WHERE user_id = ? AND seq = ?").bind(key().user_id, seq).run();
	for (const { sql } of results) await db.prepare(sql).run();
}

describe("the list of workspaces", () => {
	it("says how to begin, then names each", async () => {
		expect(await browser().show("/console/workspaces")).toContain("No workspace yet");
		await handOnTimes(key(), 1);
		expect(await browser().show("/console/workspaces")).toContain(`href="${PATH}"`);
	});
});

describe("a workspace", () => {
	it("shows its handoffs, decisions and the verdict on its chain, and what agents wrote as text", async () => {
		await handOnTimes(key(), 1, { objective: `${EVIL}\u202E`, from_tool: EVIL });
		await callWithKey(key().key, "/v1/policy/check", { workspace_id: WORKSPACE, action: EVIL });
		const html = await browser().show(PATH);
		expect(html).toContain("The chain of handoffs is intact");
		expect(html).toContain("&lt;script&gt;alert(1)");
		expect(html).not.toContain("<script>alert");
		expect(html).not.toContain("<img src=x");
		for (const page of [html, await browser().show(`${PATH}/chain`)]) expect(page).not.toContain("\u202E");
	});

	it("of another user or of nobody is not there", async () => {
		await handOnTimes(key(), 1);
		const stranger = await signIn(await newKey("corporate"));
		expect(await stranger.show(PATH, 404)).toContain("There is no such workspace");
		expect(await browser().show("/console/workspaces/%00", 404)).toContain("There is no such thing here");
	});
});

describe("the chain", () => {
	it("is drawn entry by entry, page by page, each with the hash that it follows", async () => {
		const chain = await handOnTimes(key(), 22);
		const html = await browser().show(`${PATH}/chain`);
		expect(html.match(/id="entry-\d+"/g)).toHaveLength(20);
		expect(html).toContain("The chain is intact");
		for (const { hash } of chain.slice(0, 20)) expect(html).toContain(hash);
		const next = /href="([^"]*after=19[^"]*)"/.exec(html)?.[1] ?? "";
		const rest = await browser().show(next.replaceAll("&amp;", "&"));
		expect(rest.match(/id="entry-\d+"/g)).toEqual([`id="entry-20"`, `id="entry-21"`]);
	});

	it("that is broken is marked where it breaks, on whatever page, and the overview says so", async () => {
		await handOnTimes(key(), 22);
		await removeEntry(20);
		const first = await browser().show(`${PATH}/chain`);
		expect(first).toContain("The chain is broken");
		expect(first).not.toContain(`class="broken"`);
		const there = /href="([^"]*)">Go to the first broken entry/.exec(first)?.[1] ?? "";
		const html = await browser().show(there.replaceAll("&amp;", "&"));
		expect(html).toMatch(/<li class="broken" id="entry-21">/);
		expect(html).toContain("an entry was removed, added or moved");
		expect(html).not.toMatch(/class="broken" id="entry-19"/);
		expect(await browser().show(PATH)).toContain("The chain of handoffs is broken");
	});

	it("has a proof of each entry and a checkpoint", async () => {
		await handOnTimes(key(), 2);
		expect(JSON.parse(await browser().show(`${PATH}/chain/proof?index=1`))).toMatchObject({
			kind: "inclusion",
			index: 1,
			size: 2,
		});
		expect(await browser().show(`${PATH}/chain/proof?index=9`, 422)).toContain("must be below");
		expect(await browser().show(`${PATH}/chain/checkpoint`)).toContain("\n2\n");
	});
});

describe("the manifest", () => {
	it("is saved after its changes were shown, with what they weaken", async () => {
		const base = await putManifest(MANIFEST);
		const manifest = JSON.stringify({ ...MANIFEST, forbidden_commands: [EVIL], require_handoffs: false });
		const review = await (await browser().post(`${PATH}/manifest/review`, { base, manifest })).text();
		expect(review).toContain("This weakens the policy");
		expect(review).toContain("<code>&quot;npm publish&quot;</code> is no longer in forbidden_commands");
		expect(review).toContain("require_handoffs is off");
		expect(review).not.toContain("<script>alert");
		expect(await browser().show(`${PATH}/manifest`)).toContain("npm publish");
		const saved = await browser().post(`${PATH}/manifest`, { base, manifest });
		expect(saved.headers.get("location")).toBe(`${PATH}/manifest?saved=1`);
		expect(await browser().show(`${PATH}/manifest?saved=1`)).toContain("The manifest is saved and in force");
		const compared = await browser().show(`${PATH}/manifest?from=1&to=2`);
		expect(compared).toMatch(/<del class="removed">-\s+&quot;npm publish&quot;/);
		expect(await browser().show(`${PATH}/manifest?from=1&to=9`)).toContain("no manifest of this version");
	});

	it("that somebody else changed meanwhile is not overwritten", async () => {
		const base = await putManifest(MANIFEST);
		await putManifest({ ...MANIFEST, stack: ["theirs"] });
		const response = await browser().post(`${PATH}/manifest`, { base, manifest: JSON.stringify(MANIFEST) });
		expect(response.status).toBe(409);
		expect(await response.text()).toContain("Somebody saved version 2");
		expect(await browser().show(`${PATH}/manifest`)).toContain("theirs");
	});

	it("that two save at once is one's, and shown to the other", async () => {
		const base = await putManifest(MANIFEST);
		const names = ["one", "two", "three", "four"];
		const answers = await Promise.all(
			names.map((name) => browser().post(`${PATH}/manifest`, { base, manifest: JSON.stringify({ stack: [name] }) })),
		);
		expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409, 409]);
		const loser = answers.findIndex(({ status }) => status === 409);
		const html = await answers[loser]?.text();
		expect(html).toContain("Somebody saved version 2");
		expect(html).toContain(`&quot;${names[loser]}&quot;`);
		expect(await browser().show(`${PATH}/manifest`)).toMatch(/Version in force<\/dt><dd>2</);
	});

	it("that is not valid stays in the form with the reason", async () => {
		const base = await putManifest(MANIFEST);
		const broken = await browser().post(`${PATH}/manifest/review`, { base, manifest: "{mine" });
		expect(broken.status).toBe(422);
		const shown = await broken.text();
		expect(shown).toContain("{mine");
		expect(shown).toMatch(/<li class="faulty"><code>\{mine<\/code><span class="error">line 1, column 2: /);
		const list = await browser().post(`${PATH}/manifest/review`, { base, manifest: "[]" });
		expect([list.status, await list.text()]).toEqual([422, expect.stringContaining("a manifest is a JSON object")]);
		const text = '{\n  "stack": ["ok", 7],\n  "require_handoffs": "yes"\n}';
		for (const path of ["/manifest/review", "/manifest"]) {
			const html = await (await browser().post(`${PATH}${path}`, { base, manifest: text })).text();
			expect(html).toMatch(/<span class="error">line 2, column 19: stack\.1: /);
			expect(html).toMatch(/<span class="error">line 3, column 23: require_handoffs: /);
		}
		const refused = await browser().post(`${PATH}/manifest`, { base, manifest: `{"stack":"typescript"}` });
		expect(refused.status).toBe(422);
		expect(await refused.text()).toContain("typescript");
	});

	it("is scored before it is saved, and nothing is saved by that", async () => {
		const base = await putManifest(MANIFEST);
		const manifest = JSON.stringify({ ...MANIFEST, require_risk_gate: true });
		const html = await (await browser().post(`${PATH}/manifest/review`, { base, manifest })).text();
		expect(html).toMatch(/Once it is saved(?:.|\n)*Readiness: \d+ of 100/);
		expect(await browser().show(`${PATH}/manifest`)).toMatch(/Version in force<\/dt><dd>1</);
	});

	it("is scored as it is in force, also when another one is saved meanwhile", async () => {
		await putManifest(MANIFEST);
		const scored = browser().post(`${PATH}/manifest/readiness`, {});
		const saved = putManifest({ ...MANIFEST, stack: ["later"] });
		await Promise.all([scored, saved]);
		expect(await browser().show(`${PATH}/manifest`)).toContain("later");
	});

	it("is scored for readiness without another version", async () => {
		await putManifest(MANIFEST);
		const html = await (await browser().post(`${PATH}/manifest/readiness`, {})).text();
		expect(html).toMatch(/Readiness: \d+ of 100/);
		expect(await browser().show(`${PATH}/manifest`)).toMatch(/Version in force<\/dt><dd>1</);
	});

	it("is not an agent's to change", async () => {
		const base = await putManifest(MANIFEST);
		const created = await callWithKey(key().key, "/v1/keys", { name: "agent", role: "agent" });
		const agent = await signIn((await created.json()) as { key: string });
		const manifest = JSON.stringify({ stack: ["mine"] });
		expect((await agent.post(`${PATH}/manifest`, { base, manifest })).status).toBe(403);
		expect(await browser().show(`${PATH}/manifest`)).not.toContain("mine");
	});
});
