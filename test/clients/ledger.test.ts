// The handoff ledger of a running service, checked by a stranger: the second implementation, on what HTTP returns. The
// service is killed in the middle of appends, started again, and its signing key replaced.
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { signingKey } from "../support/second-ed25519.ts";
import { type ChainEntry, readCheckpoint, subjectOf, textHash, verifyChain } from "../support/second-ledger.ts";
import { leafOf, treeRoot, verifyConsistency, verifyInclusion } from "../support/second-merkle.ts";
import { type Launch, ServiceHome, until } from "./process.ts";

const WORKSPACE = "acme/shop:main";
const CHAIN = `/v1/handoff/chain/${encodeURIComponent(WORKSPACE)}`;

const secondSeed = randomBytes(32);
const firstSeed = randomBytes(32);

const items = z.array(z.object({ id: z.string(), description: z.string() }));
/** What the second implementation reads of an entry, and nothing of our code. */
const entrySchema: z.ZodType<ChainEntry> = z.object({
	id: z.string(),
	workspace_id: z.string(),
	owner: z.string().nullable(),
	seq: z.int(),
	objective: z.string(),
	from_tool: z.string().nullable(),
	to_tool: z.string().nullable(),
	files_touched: z.array(z.string()),
	constraints: z.array(z.string()),
	risks: items,
	validation: items,
	recommended_next_action: z.string().nullable(),
	action_kind: z.string(),
	est_cost: z.number().nullable(),
	risk: z.object({ score: z.number(), tier: z.string(), factors: z.array(z.string()) }),
	created_at: z.string(),
	prev_handoff_id: z.string().nullable(),
	prev_hash: z.string().nullable(),
	prev_signature: z.string().nullable(),
	subject: z.string(),
	hash: z.string(),
	signature: z.string().nullable(),
	key_id: z.string().nullable(),
});
const chainSchema = z.object({
	count: z.int(),
	data: z.array(entrySchema),
	has_more: z.boolean(),
	verification: z.object({
		ok: z.boolean(),
		n: z.int(),
		first_broken_index: z.int().nullable(),
		reasons: z.array(z.string()),
		complete: z.boolean().nullable(),
		owner: z.string().nullable(),
		notes: z.array(z.string()),
	}),
});
const proofSchema = z.object({ size: z.int(), root: z.string(), hashes: z.array(z.string()) });
const pubkeySchema = z.object({
	vkey: z.string(),
	keys: z.array(z.object({ key_id: z.string(), status: z.string(), public_key: z.string() })),
});

let home: ServiceHome;
let running: Launch;

function send(path: string, body?: unknown): Promise<Response> {
	const headers = { authorization: `Bearer ${home.key()}`, "content-type": "application/json" };
	const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
	return fetch(`${home.url}${path}`, init);
}

async function get<T>(schema: z.ZodType<T>, path: string): Promise<T> {
	const response = await send(path);
	if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
	return schema.parse(await response.json());
}

/** An appended handoff, or null when its answer was lost. */
async function handOn(objective: string): Promise<ChainEntry | null> {
	try {
		const response = await send("/v1/handoff", {
			workspace_id: WORKSPACE,
			objective,
			files_touched: ["src/añade.ts", "src/añade.ts"],
			risks: [{ id: "r1", description: "„quoted“ \u2028 \u{1f600}", more: "is dropped" }],
			est_cost: 0.1 + 0.2,
			prev_handoff_id: "ho_forged",
		});
		return entrySchema.parse(await response.json());
	} catch {
		return null;
	}
}

/** The whole chain, page by page, and what the service says of it. */
async function readChain(
	query = "",
): Promise<{ entries: ChainEntry[]; verification: z.output<typeof chainSchema>["verification"] }> {
	const entries: ChainEntry[] = [];
	for (let after = ""; ; after = `&after=${entries.at(-1)?.seq}`) {
		const page = await get(chainSchema, `${CHAIN}?limit=7${after}${query}`);
		entries.push(...page.data);
		if (!page.has_more) return { entries, verification: page.verification };
	}
}

async function publicKeys() {
	const { vkey, keys } = await get(pubkeySchema, `/v1/proof/pubkey?workspace_id=${encodeURIComponent(WORKSPACE)}`);
	return { vkey, keys: new Map(keys.map((key) => [key.key_id, Buffer.from(key.public_key, "base64")])) };
}

async function checkpoint() {
	const response = await send(`${CHAIN}/checkpoint`);
	expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
	const { vkey } = await publicKeys();
	const read = readCheckpoint(await response.text(), vkey);
	if (!read) throw new Error("the checkpoint does not hold");
	return read;
}

const digest = (hash: string) => Buffer.from(hash.replace("sha256:", ""), "hex");

/** A chain as a stranger sees it: sound, as long as the service says, under the root that the checkpoint signs. */
async function checkAll(answered: readonly ChainEntry[]): Promise<ChainEntry[]> {
	const { entries, verification } = await readChain(`&expected_size=${answered.length}`);
	const { keys } = await publicKeys();
	expect(verifyChain(entries, keys)).toEqual({ ok: true, n: entries.length, first_broken_index: null, reasons: [] });
	const owner = entries[0]?.owner ?? null;
	expect(owner).toMatch(/^[0-9a-f]{16}$/);
	expect(verification).toEqual({ ...verifyChain(entries, keys), complete: true, owner, notes: [] });
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	for (const entry of answered) expect(byId.get(entry.id)).toEqual(entry);
	const { size, root } = await checkpoint();
	expect([size, root.toString("hex")]).toEqual([
		entries.length,
		treeRoot(entries.map(({ subject }) => leafOf(subject))).toString("hex"),
	]);
	return entries;
}

const answered: ChainEntry[] = [];

/** Appends until the power goes, and keeps what was answered. */
async function burstUntil(crash: () => Promise<unknown>): Promise<void> {
	const before = answered.length;
	const burst = Array.from({ length: 40 }, async (_, i) => {
		const entry = await handOn(`burst ${before} ${i}`);
		if (entry) answered.push(entry);
	});
	await until("some are answered", 1, () => answered.length > before + 3);
	await crash();
	await Promise.all(burst);
}

beforeAll(async () => {
	home = await ServiceHome.makeMigrated({ SIGNING_KEY: firstSeed.toString("hex"), LOG_ORIGIN: "log.example" });
	running = await home.startReady();
});
afterAll(() => home?.remove());

describe("a ledger over crashes", () => {
	it("keeps every answered handoff, once, in one chain", async () => {
		await burstUntil(() => home.cutPower(running));
		running = await home.startReady();
		await burstUntil(() => home.killStart(running));
		running = await home.startReady();
		const entries = await checkAll(answered);
		expect(entries.length).toBeGreaterThanOrEqual(answered.length);
		expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
		expect(entries.some(({ prev_handoff_id }) => prev_handoff_id === "ho_forged")).toBe(false);
	});

	it("has every entry as its client sent it", async () => {
		const { entries } = await readChain();
		for (const entry of entries) {
			expect(entry).toMatchObject({ est_cost: 0.1 + 0.2, files_touched: ["src/añade.ts", "src/añade.ts"] });
			expect(entry.risks).toEqual([{ id: "r1", description: "„quoted“ \u2028 \u{1f600}" }]);
			expect([subjectOf(entry), textHash(entry.subject)]).toEqual([entry.subject, entry.hash]);
		}
	});

	it("proves that each entry is in it, and that it continues what was signed before", async () => {
		const before = await checkpoint();
		for (let i = 0; i < 5; i++) await handOn(`later ${i}`);
		const now = await checkpoint();
		expect(now.size).toBe(before.size + 5);
		const { entries } = await readChain();
		for (const [index, { subject }] of entries.entries()) {
			const proof = await get(proofSchema, `${CHAIN}/proof?index=${index}`);
			expect(verifyInclusion(leafOf(subject), index, now.size, proof.hashes.map(digest), now.root)).toBe(true);
		}
		const { hashes } = await get(proofSchema, `${CHAIN}/proof?from=${before.size}&to=${now.size}`);
		expect(verifyConsistency(before.size, now.size, hashes.map(digest), before.root, now.root)).toBe(true);
		expect(verifyConsistency(before.size, now.size, hashes.map(digest), now.root, now.root)).toBe(false);
	});

	it("is told from a copy in which one letter was changed", async () => {
		const { entries } = await readChain();
		const { keys } = await publicKeys();
		const forged = entries.map((entry, i) => (i === 3 ? { ...entry, objective: `${entry.objective}!` } : entry));
		expect(verifyChain(forged, keys)).toMatchObject({
			ok: false,
			first_broken_index: 3,
			reasons: ["subject_mismatch:3"],
		});
	});
});

describe("a signing key that is replaced", () => {
	it("verifies what it signed and signs no more; the new one goes on with the chain", async () => {
		const { keys: old } = await publicKeys();
		const before = await checkpoint();
		running.process.kill("SIGTERM");
		expect(await running.exited).toBe(0);
		const retired = [...old.values()].map((key) => key.toString("base64")).join(",");
		running = await home.startReady({ SIGNING_KEY: secondSeed.toString("hex"), RETIRED_PUBLIC_KEYS: retired });

		const entry = await handOn("under the new key");
		const newKeyId = signingKey(secondSeed).keyId;
		expect(entry).toMatchObject({ seq: before.size, key_id: newKeyId });
		const entries = await checkAll([]);
		expect(entries.slice(0, -1).some(({ key_id }) => key_id === newKeyId)).toBe(false);
		const now = await checkpoint();
		const { hashes } = await get(proofSchema, `${CHAIN}/proof?from=${before.size}&to=${now.size}`);
		expect(verifyConsistency(before.size, now.size, hashes.map(digest), before.root, now.root)).toBe(true);
	});
});
