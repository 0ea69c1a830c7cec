// Entries and chains as pure values: what is signed is canonical, and whatever is changed in a chain is named at its place.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ChainHead, type VerifiedPrefix, verifyChain } from "../../../src/ledger/chain.ts";
import { type HandoffDraft, type HandoffRow, nextEntry, renderSubject } from "../../../src/ledger/entry.ts";
import { type HandoffRequest, toHandoff, toHandoffContent, toHandoffDraft } from "../../../src/ledger/handoff.ts";
import { canonicalJson } from "../../../src/proof/canonical.ts";
import { asHash, hashText } from "../../../src/proof/hash.ts";
import { leafHash, merkleRoot } from "../../../src/proof/merkle.ts";
import { checkpointOrigin } from "../../../src/proof/note.ts";
import { createSigner, type Signer, toPublicKeyEntry } from "../../../src/proof/signing.ts";

const bytes = new TextEncoder();
const signer = createSigner(new Uint8Array(32).fill(7));
const otherSigner = createSigner(new Uint8Array(32).fill(8));
const KEYS = [toPublicKeyEntry(signer.publicKey, "current")];

/** The first 16 hex digits of SHA-256("usr_1"), as the origin of the checkpoints of usr_1 has them. */
const OWNER = checkpointOrigin("log", "usr_1", "ws").split("/")[1] ?? "";

const DRAFT: HandoffDraft = {
	objective: "Move the checkout to the new tax table",
	from_tool: "coder",
	to_tool: "reviewer",
	files_touched: ["src/tax.ts", "src/checkout.ts"],
	constraints: ["keep the API"],
	risks: [{ id: "r1", description: "rounding" }],
	validation: [{ id: "v1", description: "unit tests" }],
	recommended_next_action: "review rounding",
	action_kind: "edit",
	est_cost: 0.1,
	risk: { score: 35, tier: "confirm", factors: ["delete_action"] },
};

function entryAt(previous: HandoffRow | null, by: Signer | null = signer, draft = DRAFT): HandoffRow {
	const position = previous ? previous.seq + 1 : 0;
	const identity = { id: `ho_${String(position).padStart(4, "0")}`, userId: "usr_1", workspaceId: "ws" };
	return nextEntry(identity, draft, previous, 1_800_000_000_000 + position, by);
}

function chainOf(length: number, by: (position: number) => Signer | null = () => signer): HandoffRow[] {
	const rows: HandoffRow[] = [];
	for (let position = 0; position < length; position++) rows.push(entryAt(rows.at(-1) ?? null, by(position)));
	return rows;
}

/** A chain whose entries name these owners, each signed as it stands; null for one of version 1. */
function chainOfOwners(owners: readonly (string | null)[]): HandoffRow[] {
	const rows: HandoffRow[] = [];
	for (const owner of owners) {
		const columns = { ...entryAt(rows.at(-1) ?? null), owner };
		const subject = renderSubject(columns);
		const leaf_hash = asHash(leafHash(bytes.encode(subject)));
		rows.push({ ...columns, subject, hash: hashText(subject), leaf_hash, signature: signer.signSync(subject) });
	}
	return rows;
}

function headOf(rows: readonly HandoffRow[]): ChainHead {
	const root = asHash(merkleRoot(rows.map(({ subject }) => leafHash(bytes.encode(subject)))));
	return { size: rows.length, root, last: rows.at(-1) ?? null };
}

interface Checked {
	head?: ChainHead;
	keys?: typeof KEYS;
	verified?: VerifiedPrefix | null;
	expected?: { size?: number; head?: string };
	owner?: string | null;
	pageRows?: number;
}

/** Verifies stored rows against the head of an untouched chain. */
function check(rows: readonly HandoffRow[], options: Checked = {}) {
	const { head = headOf(rows), keys = KEYS, verified = null, expected = {}, owner = null, pageRows = 3 } = options;
	return verifyChain({
		pages: async function* () {
			for (let at = 0; at < rows.length; at += pageRows) yield rows.slice(at, at + pageRows);
		},
		head,
		keys,
		verified,
		expected,
		owner,
	});
}

/** A copy with one entry changed. */
function changed(rows: readonly HandoffRow[], position: number, change: Partial<HandoffRow>): HandoffRow[] {
	return rows.map((row, at) => (at === position ? { ...row, ...change } : row));
}

describe("a subject", () => {
	const text = fc.string({ unit: "grapheme" });
	const items = fc.array(fc.record({ id: text, description: text }));
	const draft = fc.record({
		objective: text,
		from_tool: fc.option(text),
		to_tool: fc.option(text),
		files_touched: fc.array(text),
		constraints: fc.array(text),
		risks: items,
		validation: items,
		recommended_next_action: fc.option(text),
		action_kind: fc.constantFrom("edit", "review"),
		est_cost: fc.option(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true })),
		risk: fc.constant(DRAFT.risk),
	}) as fc.Arbitrary<HandoffDraft>;

	it("is the canonical JSON of its members, whatever they hold", () => {
		fc.assert(
			fc.property(draft, (given) => {
				const row = entryAt(entryAt(null), signer, given);
				const { id, workspace_id, seq, prev_handoff_id, prev_hash, prev_signature, created_at } = row;
				const links = { id, workspace_id, seq, prev_handoff_id, prev_hash, prev_signature, created_at };
				expect(row.subject).toBe(canonicalJson({ type: "svc.handoff.v2", owner: OWNER, ...given, ...links }));
				expect(row.hash).toBe(hashText(row.subject));
			}),
		);
	});

	it("survives storage: columns read back put together the same bytes, and the answer says what was given", () => {
		fc.assert(
			fc.property(draft, (given) => {
				const stored = JSON.parse(JSON.stringify(entryAt(null, signer, given))) as HandoffRow;
				expect(renderSubject(stored)).toBe(stored.subject);
				expect(toHandoff(stored)).toMatchObject(JSON.parse(JSON.stringify(given)));
			}),
		);
	});

	it("of a successor names the entry before, and never goes back in time", () => {
		const first = entryAt(null);
		const late = { ...first, created_at: "2999-01-01T00:00:00.000Z" };
		const second = entryAt(late);
		expect(JSON.parse(second.subject)).toMatchObject({
			seq: 1,
			prev_handoff_id: first.id,
			prev_hash: first.hash,
			prev_signature: first.signature,
			created_at: "2999-01-01T00:00:00.000Z",
		});
		expect(JSON.parse(first.subject)).toMatchObject({ prev_handoff_id: null, prev_hash: null, prev_signature: null });
	});
});

describe("a draft", () => {
	const drafted = (more: Partial<HandoffRequest> = {}) =>
		toHandoffDraft(toHandoffContent({ workspace_id: "ws", objective: "Tidy", ...more }), 5);

	it("has defaults for what is absent and what is null, and keeps empty text", () => {
		expect(drafted()).toMatchObject({
			from_tool: null,
			to_tool: null,
			files_touched: [],
			risks: [],
			recommended_next_action: null,
			action_kind: "edit",
			est_cost: null,
			risk: { score: 0, tier: "auto", factors: [] },
		});
		expect(drafted({ from_tool: null, risks: null, action_kind: null })).toEqual(drafted());
		expect(drafted({ from_tool: "", est_cost: 0 })).toMatchObject({ from_tool: "", est_cost: 0 });
	});

	it("is rated by what it does, where, in which words and at what cost", () => {
		const risk = (more: Partial<HandoffRequest>) => drafted(more).risk;
		expect(risk({ action_kind: "deploy" }).factors).toContain("deploy_action");
		expect(risk({ files_touched: [".env"] })).toMatchObject({ tier: "approve", factors: ["protected_path"] });
		expect(risk({ objective: "Delete all old migrations" }).factors).toContain("delete_action");
		expect(risk({ est_cost: 5 })).toMatchObject({ tier: "auto", factors: [] });
		expect(risk({ est_cost: 5.01 })).toMatchObject({ tier: "confirm", factors: ["over_budget"] });
	});
});

describe("an untouched chain", () => {
	it("is sound, whatever pages it comes in", async () => {
		const rows = chainOf(10);
		for (const pageRows of [1, 2, 3, 10, 100]) {
			expect((await check(rows, { pageRows })).verdict).toEqual({
				ok: true,
				n: 10,
				first_broken_index: null,
				reasons: [],
				complete: null,
				owner: OWNER,
				notes: [],
			});
		}
		expect((await check([])).verdict).toMatchObject({ ok: true, n: 0 });
	});

	it("may begin unsigned and be signed from some entry on", async () => {
		const rows = chainOf(6, (position) => (position < 3 ? null : signer));
		expect((await check(rows)).verdict).toMatchObject({ ok: true });
	});

	it("is verified under the keys that signed it, retired ones too", async () => {
		const rows = chainOf(6, (position) => (position < 3 ? signer : otherSigner));
		const current = toPublicKeyEntry(otherSigner.publicKey, "current");
		const rotated = [current, toPublicKeyEntry(signer.publicKey, "retired")];
		expect((await check(rows, { keys: rotated })).verdict).toMatchObject({ ok: true });
		expect((await check(rows, { keys: [current] })).verdict).toMatchObject({
			ok: false,
			first_broken_index: 0,
			reasons: ["unknown_key:0", "unknown_key:1", "unknown_key:2"],
		});
	});
});

describe("whose workspace it is", () => {
	const other = "0".repeat(16);

	it("is said by each entry, once one has said it", async () => {
		const rows = chainOfOwners([null, null, OWNER, OWNER]);
		expect(rows.map(({ subject }) => JSON.parse(subject).type.slice(-2))).toEqual(["v1", "v1", "v2", "v2"]);
		const { verdict } = await check(rows, { owner: OWNER });
		expect(verdict).toMatchObject({ ok: true, owner: OWNER });
		expect(verdict.notes).toEqual([expect.stringMatching(/^2 of 4 entries .* only a checkpoint tells it$/)]);
	});

	it("is said by none of an older chain, which only a checkpoint tells", async () => {
		const { verdict } = await check(chainOfOwners([null, null]), { owner: OWNER });
		expect(verdict).toMatchObject({ ok: true, owner: null });
		expect(verdict.notes).toHaveLength(1);
	});

	it.each<[string, (string | null)[], string | null, string[]]>([
		["goes back to version 1", [OWNER, OWNER, null], null, ["owner_mismatch:2"]],
		["names another owner", [OWNER, other, OWNER], null, ["owner_mismatch:1"]],
		["is another's", [null, other], OWNER, ["owner_mismatch:1"]],
	])("is a fault of a chain that %s, though all of it is signed", async (_, owners, owner, reasons) => {
		const { verdict, verified } = await check(chainOfOwners(owners), { owner });
		expect(verdict).toMatchObject({ ok: false, reasons });
		expect(verified).toBeNull();
	});

	it("cannot be changed or taken away without a trace", async () => {
		const rows = chainOf(3);
		for (const owner of [null, other])
			expect((await check(changed(rows, 1, { owner }))).verdict.reasons).toEqual([
				...["subject_mismatch:1", "owner_mismatch:1"],
			]);
	});
});

describe("a change in a stored chain", () => {
	const rows = chainOf(7);
	const head = headOf(rows);

	const COLUMNS = Object.keys(rows[3] ?? {}).filter((column) => column !== "user_id") as (keyof HandoffRow)[];

	/** A stored value with a byte more, less or different, of another type, and gone. */
	function tampered(value: string | number | null | undefined): (string | number | null)[] {
		if (typeof value === "number") return [value + 1, `${value}~`];
		if (typeof value !== "string") return ["~", 0];
		return [`${value} `, value.slice(0, -1), `${value.slice(0, -1)}~`, `~${value.slice(1)}`, null];
	}

	it.each(COLUMNS)("of one byte in %s is found and named at its position", async (column) => {
		for (const position of [0, 3, 6]) {
			for (const other of tampered(rows[position]?.[column])) {
				const { verdict, verified } = await check(changed(rows, position, { [column]: other }), { head });
				expect([verdict.ok, verdict.first_broken_index, verified], `${other}`).toEqual([false, position, null]);
			}
		}
	});

	it("of any byte of a subject, a hash or a signature is found", async () => {
		const target = 4;
		for (const column of ["subject", "hash", "leaf_hash", "signature", "key_id"] as const) {
			const value = rows[target]?.[column] ?? "";
			for (let at = 0; at < value.length; at += 7) {
				const other = `${value.slice(0, at)}${value[at] === "a" ? "b" : "a"}${value.slice(at + 1)}`;
				const { verdict } = await check(changed(rows, target, { [column]: other }), { head });
				expect([verdict.ok, verdict.first_broken_index], `${column}[${at}]`).toEqual([false, target]);
			}
		}
	});

	const reasonsOf = async (stored: readonly HandoffRow[], options: Checked = {}) =>
		(await check(stored, { head, ...options })).verdict;

	it("that is consistent in itself still breaks signature and link", async () => {
		const before = rows[3] as HandoffRow;
		const columns = { ...before, objective: "Something else" };
		const subject = renderSubject(columns);
		const leaf_hash = asHash(leafHash(bytes.encode(subject)));
		const forged = changed(rows, 3, { ...columns, subject, hash: hashText(subject), leaf_hash });
		expect(await reasonsOf(forged)).toMatchObject({
			first_broken_index: 3,
			reasons: ["signature_invalid:3", "prev_link_broken:4"],
		});
	});

	it.each([
		["first", 0, ["seq_gap:0", "prev_link_broken:0", "head_mismatch:6"]],
		["in the middle", 3, ["seq_gap:3", "prev_link_broken:3", "head_mismatch:6"]],
		["last", 6, ["head_mismatch:6"]],
	])("removing the entry that is %s is named there", async (_, position, reasons) => {
		const { ok, first_broken_index, reasons: found } = await reasonsOf(rows.toSpliced(position, 1));
		expect([ok, first_broken_index, found]).toEqual([false, position, reasons]);
	});

	it("swapping two entries is named at both", async () => {
		const swapped = rows.map((row, at) => (at === 2 ? rows[4] : at === 4 ? rows[2] : row)) as HandoffRow[];
		const renumbered = swapped.map((row, seq) => ({ ...row, seq }));
		expect((await reasonsOf(swapped)).reasons).toEqual(expect.arrayContaining(["seq_gap:2", "prev_link_broken:2"]));
		expect((await reasonsOf(renumbered)).reasons).toEqual(
			expect.arrayContaining(["prev_link_broken:2", "subject_mismatch:2", "prev_link_broken:4", "subject_mismatch:4"]),
		);
		expect((await reasonsOf(renumbered)).first_broken_index).toBe(2);
	});

	it("inserting an entry is named at its position", async () => {
		const foreign = nextEntry(
			{ id: "ho_9999", userId: "usr_1", workspaceId: "ws" },
			DRAFT,
			rows[2] as HandoffRow,
			1_800_000_000_003,
			otherSigner,
		);
		const verdict = await reasonsOf(rows.toSpliced(3, 0, foreign));
		expect(verdict).toMatchObject({ ok: false, first_broken_index: 3 });
		expect(verdict.reasons).toEqual(["unknown_key:3", "seq_gap:4", "prev_link_broken:4", "head_mismatch:8"]);
	});

	it("cutting the tail is named by what the writer remembers", async () => {
		expect(await reasonsOf(rows.slice(0, 4))).toMatchObject({
			ok: false,
			n: 4,
			first_broken_index: 4,
			reasons: ["head_mismatch:4"],
		});
		expect(await reasonsOf([])).toMatchObject({ ok: false, reasons: ["head_mismatch:0"] });
	});

	it("re-signing all of it under another key is named everywhere", async () => {
		const resigned = chainOf(7, () => otherSigner);
		expect(await reasonsOf(resigned)).toMatchObject({ ok: false, first_broken_index: 0 });
		const bothKeys = [...KEYS, toPublicKeyEntry(otherSigner.publicKey, "retired")];
		// Under a key that is known the chain is sound in itself; it is not the one that was written.
		expect((await reasonsOf(resigned, { keys: bothKeys })).reasons).toEqual(["head_mismatch:7"]);
	});

	it("to unsigned is refused from the first signed entry on", async () => {
		const stripped = rows.map((row, at) => (at >= 5 ? { ...row, signature: null, key_id: null } : row));
		expect((await reasonsOf(stripped)).reasons).toEqual([
			"unsigned_after_signed:5",
			"prev_link_broken:6",
			"unsigned_after_signed:6",
			"head_mismatch:7",
		]);
	});

	it("of nothing but the tree that the writer remembers is a mismatch too", async () => {
		const root = hashText("another tree");
		expect((await reasonsOf(rows, { head: { ...head, root } })).reasons).toEqual(["head_mismatch:7"]);
	});

	it("in very many places names the lowest hundred, and the first exactly", async () => {
		const long = chainOf(300);
		const stored = long.map((row, at) => (at < 17 ? row : { ...row, objective: "~", hash: "~" }));
		const { first_broken_index, reasons } = await reasonsOf(stored, { head: headOf(long) });
		expect([first_broken_index, reasons.length, reasons[0]]).toEqual([17, 100, "subject_mismatch:17"]);
	});
});

describe("a prefix that was verified before", () => {
	const rows = chainOf(9);
	const head = headOf(rows);

	async function remembered(size = 6): Promise<VerifiedPrefix> {
		const { verified } = await check(rows.slice(0, size));
		if (!verified) throw new Error("not sound");
		return verified;
	}

	it("is not verified again: only what came after it costs signatures", async () => {
		const first = await check(rows);
		expect([first.verdict.ok, first.signatureChecks]).toEqual([true, 9]);
		const second = await check(rows, { verified: first.verified });
		expect([second.verdict.ok, second.signatureChecks]).toEqual([true, 0]);
		expect((await check(rows, { verified: await remembered() })).signatureChecks).toBe(3);
	});

	it("is verified again when anything in it has changed, and the change is named", async () => {
		const verified = await remembered();
		const foreign = otherSigner.signSync(rows[2]?.subject ?? "");
		const changes: [Partial<HandoffRow>, string][] = [
			[{ signature: foreign }, "signature_invalid:2"],
			[{ signature: foreign, key_id: otherSigner.keyId }, "unknown_key:2"],
			[{ key_id: "0000000000000000" }, "unknown_key:2"],
			[{ subject: `${rows[2]?.subject} ` }, "hash_mismatch:2"],
			[{ objective: "~" }, "subject_mismatch:2"],
		];
		for (const [change, reason] of changes) {
			const { verdict } = await check(changed(rows, 2, change), { head, verified });
			expect([verdict.ok, verdict.first_broken_index], reason).toEqual([false, 2]);
			expect(verdict.reasons).toContain(reason);
		}
	});

	it("does not hide a signature made under a key that both sides know", async () => {
		const both = [...KEYS, toPublicKeyEntry(otherSigner.publicKey, "retired")];
		const verified = await remembered();
		const forged = changed(rows, 5, { signature: otherSigner.signSync("another text"), key_id: otherSigner.keyId });
		const { verdict } = await check(forged, { head, verified, keys: both });
		expect(verdict.reasons).toEqual(["signature_invalid:5", "prev_link_broken:6"]);
	});

	it("is verified again when the chain has become shorter than it", async () => {
		const cut = await check(rows.slice(0, 4), { head, verified: await remembered() });
		expect([cut.signatureChecks, cut.verdict.reasons]).toEqual([4, ["head_mismatch:4"]]);
	});

	it("does not make a key known that has gone", async () => {
		const { verdict } = await check(rows, { verified: await remembered(), keys: [] });
		expect([verdict.first_broken_index, verdict.reasons.length]).toEqual([0, 9]);
	});
});

describe("completeness", () => {
	const rows = chainOf(5);
	const hashAt = (position: number) => rows[position]?.hash ?? "";
	it.each([
		[{}, null],
		[{ size: 0 }, true],
		[{ size: 5 }, true],
		[{ size: 6 }, false],
		[{ head: hashAt(2) }, true],
		[{ head: hashText("no entry") }, false],
		[{ size: 3, head: hashAt(2) }, true],
		[{ size: 3, head: hashAt(3) }, false],
		[{ size: 6, head: hashAt(4) }, false],
		[{ size: 0, head: hashAt(0) }, false],
	])("of a chain of 5 against %o is %s", async (expected, complete) => {
		const { verdict } = await check(rows, { expected });
		expect([verdict.ok, verdict.complete]).toEqual([true, complete]);
	});

	it("is a verdict of its own: a cut tail is sound in itself to who expects it, not to who knows more", async () => {
		const { verdict } = await check(rows.slice(0, 3), { expected: { size: 5, head: hashAt(4) } });
		expect([verdict.ok, verdict.complete]).toEqual([true, false]);
	});
});
