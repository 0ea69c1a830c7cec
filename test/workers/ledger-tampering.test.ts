// What somebody with write access to D1 can do to a stored chain, and how the chain's reader finds out.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { database } from "../../src/db/client.edge.ts";
import { type HandoffRow, nextEntry } from "../../src/ledger/entry.ts";
import { type Handoff, toHandoffContent, toHandoffDraft } from "../../src/ledger/handoff.ts";
import { insertEntries } from "../../src/ledger/handoffs.store.ts";
import { createSigner } from "../../src/proof/signing.ts";
import { chainPath, errorOf, handOn, handOnTimes, ledgerOf, readChain, WORKSPACE } from "../support/ledger.ts";
import { callWithKey, db, eventually, newKey, type TestKey } from "../support/service.ts";

const LENGTH = 5;
const CONTENT = {
	from_tool: "coder",
	to_tool: "reviewer",
	files_touched: ["src/a.ts"],
	constraints: ["none"],
	risks: [{ id: "r", description: "d" }],
	validation: [{ id: "v", description: "d" }],
	recommended_next_action: "review",
	action_kind: "deploy",
	est_cost: 1.5,
};

// Signing and hashing run many times slower under the test runner than in the service.
let key: TestKey;
let chain: Handoff[];
beforeEach(async () => {
	key = await newKey("corporate");
	chain = await handOnTimes(key, LENGTH, CONTENT);
});

function run(sql: string, ...parameters: unknown[]) {
	return db
		.prepare(sql)
		.bind(...parameters)
		.run();
}

function storedRows(): Promise<HandoffRow[]> {
	return db
		.prepare("SELECT * FROM handoffs WHERE user_id = ? ORDER BY seq")
		.bind(key.user_id)
		.all<HandoffRow>()
		.then(({ results }) => results);
}

/** Changes D1 as somebody does who first removes what guards it. */
async function tamper(change: () => Promise<unknown>): Promise<void> {
	const { results } = await db
		.prepare(
			"SELECT type, name, sql FROM sqlite_master WHERE tbl_name = 'handoffs' AND type IN ('trigger', 'index') AND sql IS NOT NULL",
		)
		.all<{ type: string; name: string; sql: string }>();
	for (const { type, name } of results) await run(`DROP ${type} ${name}`);
	await change();
	const restored = results.filter(({ type }) => type === "trigger");
	for (const { sql } of restored) await run(sql);
	// The index comes back only where the change left it possible.
	for (const { sql } of results.filter(({ type }) => type === "index")) await run(sql.replace("UNIQUE ", ""));
}

const deleteEntry = (seq: number) => run("DELETE FROM handoffs WHERE user_id = ? AND seq = ?", key.user_id, seq);
const replaceAll = async (rows: readonly HandoffRow[]) => {
	await run("DELETE FROM handoffs WHERE user_id = ?", key.user_id);
	await insertEntries(database(env.DB), rows, []);
};

async function verdict(query = "") {
	const { verification, count } = await readChain(key, query);
	expect(verification.n).toBe(count);
	return verification;
}

/** What somebody expects who saw the whole chain. */
const seen = () => `?expected_size=${LENGTH}&expected_head=${chain.at(-1)?.hash}`;

let forgeries = 0;

/** An entry that nobody handed on, as somebody makes it who knows everything but the key. */
function forgedAfter(last: HandoffRow | undefined, signer: ReturnType<typeof createSigner> | null): HandoffRow {
	const draft = toHandoffDraft(toHandoffContent({ workspace_id: WORKSPACE, objective: "never happened" }), 1);
	// The id sorts before every ULID of today.
	const id = `ho_${String(++forgeries).padStart(26, "0")}`;
	return nextEntry({ id, userId: key.user_id, workspaceId: WORKSPACE }, draft, last ?? null, Date.now(), signer);
}

async function rememberAll(): Promise<void> {
	await readChain(key);
	await eventually(async () => (await ledgerOf(key).state()).verified?.size === LENGTH);
}

describe("D1 by itself", () => {
	it("refuses to change or remove an entry or an event, and to put another in its place", async () => {
		const before = await storedRows();
		const statements = [
			"UPDATE handoffs SET objective = 'x' WHERE user_id = ?",
			"UPDATE OR REPLACE handoffs SET seq = 0 WHERE user_id = ?",
			"DELETE FROM handoffs WHERE user_id = ?",
			"UPDATE audit_events SET actor = 'x' WHERE user_id = ?",
			"DELETE FROM audit_events WHERE user_id = ?",
			`INSERT OR REPLACE INTO handoffs SELECT 'ho_x', ${Object.keys(before[0] ?? {})
				.slice(1)
				.join()} FROM handoffs WHERE user_id = ? AND seq = 2`,
		];
		for (const sql of statements) await expect(run(sql, key.user_id), sql).rejects.toThrow(/append-only/);
		const events = () => db.prepare("SELECT * FROM audit_events WHERE user_id = ?").bind(key.user_id).all();
		const eventsBefore = (await events()).results;
		const [row] = before;
		if (!row) throw new Error("no row");
		// The same ids with other contents are skipped, in whatever way they come.
		await insertEntries(database(env.DB), [{ ...row, objective: "x" }], []);
		await run("INSERT OR REPLACE INTO handoffs SELECT * FROM handoffs WHERE user_id = ?", key.user_id);
		await run("INSERT OR REPLACE INTO audit_events SELECT * FROM audit_events WHERE user_id = ?", key.user_id);
		expect(await storedRows()).toEqual(before);
		expect((await events()).results).toEqual(eventsBefore);
		expect(await verdict(seen())).toMatchObject({ ok: true, complete: true });
	});
});

describe("a byte changed in a stored entry", () => {
	it("is found in every column, first and last entries included, and named at its position", async () => {
		await rememberAll();
		const rows = await storedRows();
		const columns = Object.keys(rows[0] ?? {}) as (keyof HandoffRow)[];
		expect(columns.length).toBe(27);
		for (const column of columns) {
			for (const position of [0, 2, LENGTH - 1]) {
				const value = rows[position]?.[column] ?? null;
				if (value === null) continue;
				const other =
					typeof value === "number" ? value + 100 : `${value.slice(0, -1)}${value.endsWith("~") ? "!" : "~"}`;
				const change = (to: unknown, by: unknown) =>
					run(
						`UPDATE handoffs SET ${column} = ? WHERE ${column} = ? AND subject = ?`,
						to,
						by,
						column === "subject" ? by : rows[position]?.subject,
					);
				await tamper(() => change(other, value));
				const found = await verdict(seen());
				await tamper(() => change(value, other));
				expect([found.ok, found.first_broken_index], `${column} of ${position}`).toEqual([false, position]);
			}
		}
		expect(await verdict(seen())).toMatchObject({ ok: true, complete: true });
	});

	it("does not hide behind what was verified before", async () => {
		await rememberAll();
		const forged = createSigner(new Uint8Array(32).fill(3));
		const signature = forged.signSync(chain[1]?.subject ?? "");
		await tamper(() => run("UPDATE handoffs SET signature = ? WHERE id = ?", signature, chain[1]?.id));
		expect((await verdict()).reasons).toEqual(["signature_invalid:1", "prev_link_broken:2"]);
		await tamper(() => run("UPDATE handoffs SET key_id = ? WHERE id = ?", forged.keyId, chain[1]?.id));
		expect((await verdict()).reasons).toEqual(["unknown_key:1", "prev_link_broken:2"]);
	});
});

describe("an entry removed", () => {
	it.each([
		["first", 0],
		["in the middle", 2],
		["last", LENGTH - 1],
	])("%s is named at its position, and the chain is not complete", async (_, position) => {
		await tamper(() => deleteEntry(position));
		expect(await verdict(`?expected_size=${LENGTH}`)).toMatchObject({
			ok: false,
			n: LENGTH - 1,
			first_broken_index: position,
			complete: false,
		});
	});

	it("leaves no proof to be had", async () => {
		await tamper(() => deleteEntry(1));
		for (const query of ["index=0", "from=1&to=3"]) {
			const response = callWithKey(key.key, `${chainPath()}/proof?${query}`);
			expect(await errorOf(response)).toMatchObject({ status: 409, error: "chain_broken" });
		}
	});
});

describe("entries in another order", () => {
	it("are named: two swapped", async () => {
		await tamper(async () => {
			await run("UPDATE handoffs SET seq = 100 WHERE id = ?", chain[1]?.id);
			await run("UPDATE handoffs SET seq = 1 WHERE id = ?", chain[3]?.id);
			await run("UPDATE handoffs SET seq = 3 WHERE id = ?", chain[1]?.id);
		});
		const found = await verdict(seen());
		expect(found).toMatchObject({ ok: false, n: LENGTH, first_broken_index: 1 });
		expect(found.reasons).toEqual(expect.arrayContaining(["subject_mismatch:1", "subject_mismatch:3"]));
	});

	it("are named: one inserted, even one that is sound in itself", async () => {
		const [, second] = await storedRows();
		const forged = forgedAfter(second, createSigner(new Uint8Array(32).fill(3)));
		await tamper(() => insertEntries(database(env.DB), [forged], []));
		const found = await verdict(seen());
		expect(found).toMatchObject({ ok: false, n: LENGTH + 1, first_broken_index: 2 });
		expect(found.reasons).toEqual(
			expect.arrayContaining(["unknown_key:2", "seq_gap:3", `head_mismatch:${LENGTH + 1}`]),
		);
	});

	it("are named: one added at the end", async () => {
		const forged = forgedAfter((await storedRows()).at(-1), null);
		await insertEntries(database(env.DB), [forged], []);
		expect((await verdict()).reasons).toEqual([`unsigned_after_signed:${LENGTH}`, `head_mismatch:${LENGTH + 1}`]);
		expect((await verdict()).first_broken_index).toBe(LENGTH);
	});
});

describe("a tail cut", () => {
	it("is named by what the writer remembers, and not complete to who saw more", async () => {
		await rememberAll();
		await tamper(() => run("DELETE FROM handoffs WHERE user_id = ? AND seq >= 2", key.user_id));
		expect(await verdict(seen())).toMatchObject({
			ok: false,
			n: 2,
			first_broken_index: 2,
			reasons: ["head_mismatch:2"],
			complete: false,
		});
		expect((await verdict(`?expected_size=2&expected_head=${chain[1]?.hash}`)).complete).toBe(true);
	});
});

describe("an entry moved", () => {
	it.each(["workspace_id", "user_id"])("to another %s is missed here and does not fit there", async (column) => {
		const other = await newKey("pro");
		const [target, workspace] = column === "user_id" ? [other.user_id, WORKSPACE] : ["elsewhere", "elsewhere"];
		await tamper(() => run(`UPDATE handoffs SET ${column} = ? WHERE id = ?`, target, chain[2]?.id));
		expect(await verdict()).toMatchObject({ ok: false, first_broken_index: 2 });
		const there = await readChain(column === "user_id" ? other : key, "", workspace);
		expect(there.verification).toMatchObject({ ok: false, n: 1, first_broken_index: 0 });
	});

	it("with its whole chain to another user is found: its entries name their owner, and that user's ledger has never written it", async () => {
		const thief = await newKey("pro");
		await tamper(() => run("UPDATE handoffs SET user_id = ? WHERE user_id = ?", thief.user_id, key.user_id));
		expect((await readChain(thief)).verification).toMatchObject({
			ok: false,
			reasons: [...chain.map((_, position) => `owner_mismatch:${position}`), `head_mismatch:${LENGTH}`],
		});
		expect(await verdict(seen())).toMatchObject({ ok: false, reasons: ["head_mismatch:0"], complete: false });
	});
});

describe("a whole chain rewritten", () => {
	function rewritten(rows: readonly HandoffRow[], signer: ReturnType<typeof createSigner> | null): HandoffRow[] {
		const forged: HandoffRow[] = [];
		for (const { id, objective } of rows) {
			const draft = toHandoffDraft(toHandoffContent({ workspace_id: WORKSPACE, objective }), 1);
			const identity = { id, userId: key.user_id, workspaceId: WORKSPACE };
			forged.push(nextEntry(identity, draft, forged.at(-1) ?? null, Date.now(), signer));
		}
		return forged;
	}

	it("and signed under another key is named at every entry", async () => {
		const forged = rewritten(await storedRows(), createSigner(new Uint8Array(32).fill(3)));
		await tamper(() => replaceAll(forged));
		const found = await verdict(seen());
		expect(found).toMatchObject({ ok: false, first_broken_index: 0, complete: false });
		expect(found.reasons).toEqual([0, 1, 2, 3, 4].map((at) => `unknown_key:${at}`).concat(`head_mismatch:${LENGTH}`));
	});

	it("and not signed at all is another chain than the one that was written", async () => {
		const forged = rewritten(await storedRows(), null);
		await tamper(() => replaceAll(forged));
		expect(await verdict()).toMatchObject({ ok: false, reasons: [`head_mismatch:${LENGTH}`] });
	});
});

describe("D1 restored from an older copy", () => {
	it("is found at once, and stays found when the chain grows", async () => {
		const older = (await storedRows()).slice(0, 3);
		await tamper(() => replaceAll(older));
		expect(await verdict(seen())).toMatchObject({ ok: false, reasons: ["head_mismatch:3"], complete: false });
		const next = await handOn(key);
		expect(next).toMatchObject({ seq: LENGTH, prev_hash: chain.at(-1)?.hash });
		expect(await verdict(`?expected_head=${next.hash}`)).toMatchObject({
			ok: false,
			n: 4,
			first_broken_index: 3,
			reasons: ["seq_gap:3", "prev_link_broken:3", "head_mismatch:4"],
			complete: true,
		});
	});
});

describe("a place in the chain that is taken", () => {
	it("stops the flush and shows both entries; nothing is dropped", async () => {
		const forged = forgedAfter((await storedRows()).at(-1), null);
		await insertEntries(database(env.DB), [forged], []);
		const real = await handOn(key);
		expect(await (await callWithKey(key.key, `/v1/handoff/${real.id}`)).json()).toEqual(real);
		const { count, data, verification } = await readChain(key, `?after=${LENGTH - 1}`);
		expect([count, data.map(({ id }) => id)]).toEqual([LENGTH + 2, [forged.id, real.id]]);
		expect(verification).toMatchObject({ ok: false, first_broken_index: LENGTH });
		expect(verification.reasons).toContain(`seq_gap:${LENGTH + 1}`);
		const open = await runInDurableObject(ledgerOf(key), (ledger) => ledger.state().unflushed);
		expect(open).toBe(1);
	});
});
