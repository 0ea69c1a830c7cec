// The handoff ledger through its front door: append, fetch, the verified chain, checkpoints and proofs.
import { createExecutionContext, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { app } from "../../src/app.ts";
import type { Handoff } from "../../src/ledger/handoff.ts";
import { hashText } from "../../src/proof/hash.ts";
import { verifyConsistency, verifyInclusion } from "../../src/proof/merkle.ts";
import { parseCheckpoint, toOwnerDigest, verifyNote } from "../../src/proof/note.ts";
import { createSigner, fromBase64, verifySignature } from "../../src/proof/signing.ts";
import {
	type Chain,
	chainPath,
	errorOf,
	handOn,
	handOnTimes,
	ledgerOf,
	readChain,
	WORKSPACE,
} from "../support/ledger.ts";
import { call, callWithKey, db, eventually, newKey, ORIGIN, type TestKey } from "../support/service.ts";

// Signing and hashing run many times slower under the test runner than in the service.
let key: TestKey;
beforeEach(async () => {
	key = await newKey("corporate");
});

/** The app with other settings, as after a deployment; the object gets the same by `withSettings`. */
function callUnder(settings: Record<string, string>, path: string): Promise<Response> {
	const request = new Request(`${ORIGIN}${path}`, { headers: { authorization: `Bearer ${key.key}` } });
	return Promise.resolve(app.fetch(request, { ...env, ...settings }, createExecutionContext()));
}

const publicKeyOf = (hex: string) =>
	createSigner(Uint8Array.from(hex.match(/../g) ?? [], (byte) => parseInt(byte, 16)));

describe("a new handoff", () => {
	it("is returned whole, signed, and is the same when fetched", async () => {
		const given = {
			objective: "Übergabe: 結合\u0000 \u{1F680}",
			from_tool: "coder",
			to_tool: "",
			files_touched: ["src/a.ts", "src/a.ts", "docs/é.md"],
			constraints: ["keep the API"],
			risks: [{ id: "r1", description: "rounding" }],
			validation: [{ id: "v1", description: "npm test" }],
			recommended_next_action: "review",
			action_kind: "deploy",
			est_cost: 0.1 + 0.2,
		};
		const created = await handOn(key, { ...given, risks: [{ ...given.risks[0], severity: "high" }], unknown: true });
		expect(created).toMatchObject({ ...given, workspace_id: WORKSPACE, seq: 0, signed: true, prev_handoff_id: null });
		expect(created.risks).toEqual(given.risks);
		expect(created.id).toMatch(/^ho_[0-9A-Z]{26}$/);
		expect(created.risk).toMatchObject({ tier: "confirm", factors: ["deploy_action"] });
		expect(created.hash).toBe(hashText(created.subject));
		const { keys } = (await (await call("/v1/proof/pubkey")).json()) as { keys: { public_key: string }[] };
		const raw = fromBase64(keys[0]?.public_key ?? "") ?? new Uint8Array();
		expect(await verifySignature(raw, created.subject, created.signature ?? "")).toBe(true);
		const subject = JSON.parse(created.subject) as Record<string, unknown>;
		expect(subject).toMatchObject({
			type: "svc.handoff.v2",
			...given,
			id: created.id,
			owner: toOwnerDigest(key.user_id),
		});
		expect(await (await callWithKey(key.key, `/v1/handoff/${created.id}`)).json()).toEqual(created);
	});

	it("links to the one before it, whatever link the client supplies", async () => {
		const first = await handOn(key);
		const forged = { prev_handoff_id: "ho_x", prev_hash: hashText("x"), prev_signature: "x", seq: 7, id: "ho_mine" };
		const second = await handOn(key, { ...forged, created_at: "1999-01-01T00:00:00.000Z", risk: { score: 0 } });
		expect(second).toMatchObject({
			seq: 1,
			prev_handoff_id: first.id,
			prev_hash: first.hash,
			prev_signature: first.signature,
		});
		expect(second.id).not.toBe("ho_mine");
		expect(second.created_at >= first.created_at).toBe(true);
		expect((await readChain(key)).verification).toMatchObject({ ok: true, n: 2 });
	});

	it("keeps every double of est_cost bit by bit", async () => {
		const costs = [0, 1e-9, 0.1 + 0.2, 5e-324, 1.7976931348623157e308, 123456789.12345679, 1e21];
		for (const est_cost of costs) {
			const { id } = await handOn(key, { est_cost });
			expect(await (await callWithKey(key.key, `/v1/handoff/${id}`)).json()).toMatchObject({ est_cost });
		}
		expect((await readChain(key)).verification).toMatchObject({ ok: true, n: costs.length });
	});

	it("leaves an audit event in the same breath", async () => {
		const { id, hash } = await handOn(key, { action_kind: "review" });
		const event = await db.prepare("SELECT * FROM audit_events WHERE user_id = ?").bind(key.user_id).first();
		expect(event).toMatchObject({
			workspace_id: WORKSPACE,
			event_type: "handoff_created",
			actor: `key:${key.key_id}`,
			decision: null,
		});
		expect(event?.["id"]).toMatch(/^ae_[0-9A-Z]{26}$/);
		expect(JSON.parse(event?.["payload"] as string)).toMatchObject({ handoff_id: id, hash, signed: true, seq: 0 });
	});

	it("counts towards the limits of its key", async () => {
		const free = await newKey("free");
		for (let i = 0; i < 10; i++) await handOn(free);
		const refused = callWithKey(free.key, "/v1/handoff", { workspace_id: WORKSPACE, objective: "one more" });
		expect((await refused).status).toBe(429);
	});

	it.each([
		["no workspace", { workspace_id: undefined }],
		["a workspace with a space", { workspace_id: "a b" }],
		["a workspace named ..", { workspace_id: ".." }],
		["a workspace of 129 characters", { workspace_id: "a".repeat(129) }],
		["no objective", { objective: undefined }],
		["an empty objective", { objective: "" }],
		["a blank objective", { objective: " \n\t" }],
		["an objective of 501 characters", { objective: "a".repeat(501) }],
		["an unknown kind", { action_kind: "delete" }],
		["a negative cost", { est_cost: -0.01 }],
		["a cost in words", { est_cost: "1" }],
		["a path that is no text", { files_touched: [1] }],
		["a risk without an id", { risks: [{ description: "x" }] }],
		["a lone surrogate", { objective: "a\ud800" }],
	])("with %s is 422", async (_, wrong) => {
		const body = { workspace_id: WORKSPACE, objective: "Hand on", ...wrong };
		expect(await errorOf(callWithKey(key.key, "/v1/handoff", body))).toMatchObject({
			status: 422,
			error: "invalid_request",
		});
	});

	it("counts its objective in characters, not in UTF-16 units", async () => {
		expect([...(await handOn(key, { objective: "\u{1F680}".repeat(500) })).objective].length).toBe(500);
	});

	it("is as large as its subject may be, and no larger", async () => {
		const sizeOf = ({ subject }: Handoff) => new TextEncoder().encode(subject).length;
		const overhead = sizeOf(await handOn(key, { recommended_next_action: "" }));
		// The links of a second entry are longer than nothing; measured with the first as its predecessor.
		const second = sizeOf(await handOn(key, { recommended_next_action: "" }));
		expect(second).toBeGreaterThan(overhead);
		const room = 262_144 - second;
		const quotes = await handOn(key, { recommended_next_action: '"'.repeat(Math.floor(room / 2)), est_cost: null });
		expect(sizeOf(quotes)).toBeGreaterThan(262_140);
		const tooLarge = { workspace_id: WORKSPACE, objective: "x", recommended_next_action: "a".repeat(room + 10) };
		expect(await errorOf(callWithKey(key.key, "/v1/handoff", tooLarge))).toMatchObject({ status: 422 });
		const found = await readChain(key);
		expect([found.count, found.verification.ok]).toEqual([3, true]);
		expect(found.data[2]?.recommended_next_action).toBe(quotes.recommended_next_action);
	});
});

describe("a handoff", () => {
	it("is found by its owner only, and malformed ids are unknown ids", async () => {
		const { id } = await handOn(key);
		const stranger = await newKey("pro");
		const ids = [id, "ho_01ARZ3NDEKTSV4RRFFQ69G5FAV", "ho_", "nope", "chain", "%00", "a".repeat(3_000)];
		for (const unknown of ids) {
			const response = callWithKey(stranger.key, `/v1/handoff/${unknown}`);
			expect(await errorOf(response), unknown).toMatchObject({ status: 404, error: "handoff_not_found" });
		}
	});
});

describe("a chain", () => {
	it("is listed oldest first, in pages, with the verdict on all of it", async () => {
		const created = await handOnTimes(key, 7);
		const whole = await readChain(key);
		expect(whole).toEqual({
			object: "handoff.chain",
			workspace_id: WORKSPACE,
			count: 7,
			data: created,
			has_more: false,
			verification: {
				...{ ok: true, n: 7, first_broken_index: null, reasons: [], signing_enabled: true, complete: null },
				...{ owner: toOwnerDigest(key.user_id), notes: [] },
			},
			pubkey_endpoint: `${ORIGIN}/v1/proof/pubkey`,
		});
		const collected: Handoff[] = [];
		for (let after = "", more = true; more; ) {
			const page = await readChain(key, `?limit=3${after}`);
			expect([page.count, page.verification.n, page.verification.ok]).toEqual([7, 7, true]);
			collected.push(...page.data);
			after = `&after=${page.data.at(-1)?.seq}`;
			more = page.has_more;
		}
		expect(collected).toEqual(created);
		expect(await readChain(key, "?after=6")).toMatchObject({ count: 7, data: [], has_more: false });
		expect(await readChain(key, "?limit=7")).toMatchObject({ has_more: false });
	});

	it("says whether what the reader expects is there", async () => {
		const first = await handOn(key);
		const second = await handOn(key);
		const complete = async (query: string) => (await readChain(key, query)).verification.complete;
		expect(await complete("?expected_size=2")).toBe(true);
		expect(await complete("?expected_size=3")).toBe(false);
		expect(await complete(`?expected_head=${first.hash}`)).toBe(true);
		expect(await complete(`?expected_size=2&expected_head=${second.hash}`)).toBe(true);
		expect(await complete(`?expected_size=1&expected_head=${second.hash}`)).toBe(false);
		expect(await complete(`?expected_head=${hashText("x")}`)).toBe(false);
	});

	it("that nobody has written to is empty, like another user's, and reading it stores nothing", async () => {
		await handOn(key);
		const stranger = await newKey("pro");
		const empty = { count: 0, data: [], has_more: false, verification: { ok: true, n: 0, complete: null } };
		expect(await readChain(stranger)).toMatchObject(empty);
		const ledger = ledgerOf(stranger);
		const tables = await runInDurableObject(ledger, (_, state) =>
			state.storage.sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_%' ESCAPE '\\'").toArray(),
		);
		expect(tables).toEqual([]);
	});

	it("refuses queries that mean nothing", async () => {
		const wrong = ["limit=0", "limit=1001", "limit=x", "limit=", "after=-1", "expected_size=1.5", "expected_head=abc"];
		for (const query of [...wrong, "limit=1&limit=2"]) {
			expect(await errorOf(callWithKey(key.key, `${chainPath()}?${query}`)), query).toMatchObject({ status: 422 });
		}
	});

	it("of a name that no workspace can have is 404", async () => {
		for (const name of ["a b", "a+b", "ü", "a".repeat(129), "\u0000"]) {
			for (const part of ["", "/checkpoint", "/proof?index=0"]) {
				const response = callWithKey(key.key, `/v1/handoff/chain/${encodeURIComponent(name)}${part}`);
				expect(await errorOf(response), name).toMatchObject({ status: 404, error: "workspace_not_found" });
			}
		}
	});

	it("ends a page before its entries become too large to answer", async () => {
		const large = { recommended_next_action: "x".repeat(250_000) };
		await handOnTimes(key, 10, large);
		const first = await readChain(key);
		expect([first.count, first.verification.ok, first.has_more]).toEqual([10, true, true]);
		expect(first.data.length).toBeLessThan(10);
		const rest = await readChain(key, `?after=${first.data.at(-1)?.seq}`);
		expect([...first.data, ...rest.data].map(({ seq }) => seq)).toEqual(Array.from({ length: 10 }, (_, seq) => seq));
	});

	it("is remembered once it was verified, and looked at again for what came after", async () => {
		await handOnTimes(key, 4);
		const ledger = ledgerOf(key);
		await readChain(key);
		await eventually(async () => (await ledger.state()).verified?.size === 4);
		await handOn(key);
		expect((await readChain(key)).verification).toMatchObject({ ok: true, n: 5 });
		await eventually(async () => (await ledger.state()).verified?.size === 5);
		await evictDurableObject(ledger);
		expect((await ledger.state()).verified?.size).toBe(5);
	});
});

describe("a checkpoint", () => {
	async function checkpoint(): Promise<string> {
		const response = await callWithKey(key.key, `${chainPath()}/checkpoint`);
		expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
		return response.text();
	}

	async function vkey(by: string | null = key.key, workspace = WORKSPACE): Promise<string | undefined> {
		const path = `/v1/proof/pubkey?workspace_id=${encodeURIComponent(workspace)}`;
		const response = await (by === null ? call(path) : callWithKey(by, path));
		expect(response.status).toBe(200);
		return ((await response.json()) as { vkey?: string }).vkey;
	}

	it("is a signed note that the workspace's vkey verifies, and its root covers the chain", async () => {
		await handOnTimes(key, 3);
		const note = await checkpoint();
		const verdict = await verifyNote(note, [(await vkey()) ?? ""]);
		if (verdict.outcome !== "verified") throw new Error(verdict.outcome);
		const stated = parseCheckpoint(verdict.text);
		expect(stated?.origin).toMatch(new RegExp(`^svc\\.local/[0-9a-f]{16}/${WORKSPACE}$`));
		expect(stated?.size).toBe(3);
		const proof = await proofOf("index=2");
		expect(proof.root).toBe(`sha256:${[...(stated?.root ?? [])].map((b) => b.toString(16).padStart(2, "0")).join("")}`);
	});

	it("names the log by a setting, never by the host it was asked on", async () => {
		await handOn(key);
		const request = new Request(`https://other.example${chainPath()}/checkpoint`, {
			headers: { authorization: `Bearer ${key.key}`, host: "other.example" },
		});
		expect(await (await app.fetch(request, env, createExecutionContext())).text()).toMatch(/^svc\.local\//);
		const named = await callUnder({ LOG_ORIGIN: "log.example" }, `${chainPath()}/checkpoint`);
		expect(await named.text()).toMatch(/^log\.example\//);
	});

	it("of a larger chain continues it, as a consistency proof shows", async () => {
		await handOnTimes(key, 3);
		const before = parseCheckpoint(`${(await checkpoint()).split("\n\n")[0]}\n`);
		await handOnTimes(key, 4);
		const after = parseCheckpoint(`${(await checkpoint()).split("\n\n")[0]}\n`);
		const { hashes } = await proofOf("from=3&to=7");
		const [fromRoot = new Uint8Array(), toRoot = new Uint8Array()] = [before?.root, after?.root];
		expect(verifyConsistency({ from: 3, to: 7, proof: hashes.map(bytesOf), fromRoot, toRoot })).toBe(true);
		expect(verifyConsistency({ from: 2, to: 7, proof: hashes.map(bytesOf), fromRoot, toRoot })).toBe(false);
	});

	it("has a vkey for the owner only; a bad key is refused, a malformed name is 422", async () => {
		await handOn(key);
		const own = await vkey();
		expect(own).toMatch(/^svc\.local\/[0-9a-f]{16}\/team\/checkout@main\+[0-9a-f]{8}\+/);
		expect(await vkey(null)).toBeUndefined();
		expect(await vkey((await newKey("pro")).key)).not.toBe(own);
		const path = "/v1/proof/pubkey?workspace_id=ws";
		expect((await callWithKey("svc_sk_nope", path)).status).toBe(401);
		expect((await callWithKey("svc_sk_nope", "/v1/proof/pubkey")).status).toBe(200);
		expect(await errorOf(call("/v1/proof/pubkey?workspace_id=a%20b"))).toMatchObject({ status: 422 });
	});
});

const bytesOf = (hash: string) => Uint8Array.from(hash.slice(7).match(/../g) ?? [], (byte) => parseInt(byte, 16));

interface TreeProof {
	kind: string;
	size: number;
	leaf_hash: string | null;
	root: string;
	hashes: string[];
}

async function proofOf(query: string): Promise<TreeProof> {
	const response = await callWithKey(key.key, `${chainPath()}/proof?${query}`);
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

describe("a proof", () => {
	it("shows any entry in any tree that holds it", async () => {
		await handOnTimes(key, 5);
		const roots = new Map<number, string>();
		for (let size = 1; size <= 5; size++) {
			for (let index = 0; index < size; index++) {
				const { leaf_hash, root, hashes, ...rest } = await proofOf(`index=${index}&size=${size}`);
				expect(rest).toEqual({ object: "handoff.proof", kind: "inclusion", size, index });
				const proof = hashes.map(bytesOf);
				const inclusion = { leafHash: bytesOf(leaf_hash ?? ""), index, size, proof, root: bytesOf(root) };
				expect(verifyInclusion(inclusion)).toBe(true);
				expect(roots.get(size) ?? root).toBe(root);
				roots.set(size, root);
			}
		}
		expect((await proofOf("index=4")).root).toBe(roots.get(5));
		expect(await proofOf("from=0&to=5")).toMatchObject({ kind: "consistency", size: 5, leaf_hash: null, hashes: [] });
		expect(await proofOf("from=5&to=5")).toMatchObject({ hashes: [], root: roots.get(5) });
	});

	it("is refused outside the chain and in any other form", async () => {
		await handOn(key);
		await handOn(key);
		const wrong = ["index=2", "index=0&size=3", "index=1&size=1", "index=0&size=0", "from=1&to=3", "from=2&to=1"];
		const forms = ["", "size=1", "from=1", "to=1", "index=0&from=0&to=1", "from=0&to=1&size=1", "index=-1", "index="];
		for (const query of [...wrong, ...forms]) {
			const response = callWithKey(key.key, `${chainPath()}/proof?${query}`);
			expect(await errorOf(response), query).toMatchObject({ status: 422, error: "invalid_request" });
		}
		const unknown = callWithKey(key.key, `${chainPath("nobody")}/proof?index=0`);
		expect(await errorOf(unknown)).toMatchObject({ status: 422 });
	});
});

describe("without a signing key", () => {
	/** Takes the signing key from the workspace's object, as a deployment without it would. */
	async function withoutKey(): Promise<() => Promise<void>> {
		const ledger = ledgerOf(key);
		const setEnv = (settings: Record<string, unknown>) =>
			runInDurableObject(ledger, (instance) => {
				Object.assign(instance, { env: { ...env, ...settings } });
			});
		await setEnv({ SIGNING_KEY: undefined });
		return () => setEnv({});
	}

	it("a new chain is unsigned, sound, and says so; checkpoints are 503", async () => {
		await withoutKey();
		expect(await handOn(key)).toMatchObject({ signed: false, signature: null, key_id: null });
		expect(await handOn(key)).toMatchObject({ signed: false, prev_signature: null });
		const response = await callUnder({ SIGNING_KEY: "" }, chainPath());
		expect(((await response.json()) as Chain).verification).toMatchObject({ ok: true, n: 2, signing_enabled: false });
		expect(await errorOf(callWithKey(key.key, `${chainPath()}/checkpoint`))).toEqual({
			status: 503,
			error: "signing_unavailable",
			retryAfter: "2",
		});
		const unsigned = await callUnder({ SIGNING_KEY: "" }, `/v1/proof/pubkey?workspace_id=ws`);
		expect(await unsigned.json()).not.toHaveProperty("vkey");
	});

	it("a chain that holds a signed entry takes no unsigned one", async () => {
		await handOn(key);
		const restore = await withoutKey();
		const body = { workspace_id: WORKSPACE, objective: "Hand on" };
		expect(await errorOf(callWithKey(key.key, "/v1/handoff", body))).toMatchObject({
			status: 503,
			error: "signing_unavailable",
		});
		await restore();
		await handOn(key);
		expect((await readChain(key)).verification).toMatchObject({ ok: true, n: 2 });
	});

	it("an unsigned chain is signed from the entry on that finds a key", async () => {
		const restore = await withoutKey();
		await handOn(key);
		await restore();
		expect(await handOn(key)).toMatchObject({ signed: true, prev_signature: null });
		expect((await readChain(key)).verification).toMatchObject({ ok: true, n: 2 });
	});
});

describe("a rotated key", () => {
	it("verifies what it signed and signs nothing more", async () => {
		const old = await handOn(key);
		const rotated = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
		const retired = await (await call("/v1/proof/pubkey")).json<{ keys: { public_key: string }[] }>();
		const settings = { SIGNING_KEY: rotated, RETIRED_PUBLIC_KEYS: retired.keys[0]?.public_key ?? "" };
		const ledger = ledgerOf(key);
		await runInDurableObject(ledger, (instance) => {
			Object.assign(instance, { env: { ...env, ...settings } });
		});
		const next = await handOn(key);
		expect(next.key_id).toBe(publicKeyOf(rotated).keyId);
		expect(next.key_id).not.toBe(old.key_id);
		const both = (await (await callUnder(settings, chainPath())).json()) as Chain;
		expect(both.verification).toMatchObject({ ok: true, n: 2 });
		const forgotten = (await (await callUnder({ SIGNING_KEY: rotated }, chainPath())).json()) as Chain;
		expect(forgotten.verification).toMatchObject({ ok: false, reasons: ["unknown_key:0"] });
		const keys = (await (await callUnder(settings, "/v1/proof/pubkey")).json()) as { keys: { status: string }[] };
		expect(keys.keys.map(({ status }) => status)).toEqual(["current", "retired"]);
	});
});
