// What checking a saved chain and a saved checkpoint says. The files are the second implementation's.
import { describe, expect, it } from "vitest";
import { checkChain } from "../../../src/verifier/chain.ts";
import { checkCheckpoint } from "../../../src/verifier/checkpoint.ts";
import { allHold, type Finding, renderFinding } from "../../../src/verifier/findings.ts";
import { guessKind, PROOF_KINDS } from "../../../src/verifier/kinds.ts";
import { signingKey } from "../../support/second-ed25519.ts";
import { type ChainEntry, chainEntry, checkpointNote, plainHandoff } from "../../support/second-ledger.ts";
import { leafOf, treeRoot } from "../../support/second-merkle.ts";

const key = signingKey(Buffer.alloc(32, 7));
const other = signingKey(Buffer.alloc(32, 8));
const OWNER = "0123456789abcdef";
const ORIGIN = `svc.test/${OWNER}/shop`;

function chainOf(length: number, by: typeof key | null = key): ChainEntry[] {
	const entries: ChainEntry[] = [];
	for (let index = 0; index < length; index++) entries.push(chainEntry(entries.at(-1), plainHandoff(index, OWNER), by));
	return entries;
}

function page(data: readonly ChainEntry[], count = data.length, has_more = false) {
	const shown = data.map((entry) => ({ ...entry, signed: entry.signature !== null }));
	return { object: "handoff.chain", workspace_id: "shop", count, data: shown, has_more, verification: { ok: true } };
}

function root(entries: readonly ChainEntry[]): Buffer {
	return treeRoot(entries.map(({ subject }) => leafOf(subject)));
}

function shownAs(findings: readonly Finding[]) {
	return { holds: allHold(findings), lines: findings.map(renderFinding) };
}

async function check(document: unknown, checkpoint: string | null = null, keys = [key.publicKey] as Uint8Array[]) {
	return shownAs(await checkChain(JSON.parse(JSON.stringify(document)), keys, checkpoint));
}

const entries = chainOf(5);
const note = checkpointNote(ORIGIN, 5, root(entries), key);

const crlf = { keys: [key.publicKey], checkpoint: note.trimEnd().replaceAll("\n", "\r\n") };

describe("a chain", () => {
	it("holds whole, in one page or in several, and with its checkpoint", async () => {
		const whole = [
			"ok    workspace: shop",
			"ok    entries: 5, each shows what was signed and follows the one before",
			`ok    signatures: hold under ${key.keyId}`,
			`ok    owner: the entries name ${OWNER}`,
			`ok    chain: whole, 5 entries with root sha256:${root(entries).toString("hex")}`,
		];
		expect(await check(page(entries))).toEqual({ holds: true, lines: whole });
		const pages = [page(entries.slice(0, 2), 5, true), page(entries.slice(2), 5)];
		expect(await check(pages)).toEqual({ holds: true, lines: whole });
		const { holds, lines } = await check(page(entries), note);
		expect([holds, lines.slice(4)]).toEqual([
			true,
			[
				`ok    owner: the checkpoint names ${OWNER}`,
				whole.at(-1),
				`ok    checkpoint: ${ORIGIN} has 5 entries and root sha256:${root(entries).toString("hex")}`,
				`ok    signature: holds under key ${key.keyId}`,
				"ok    chain: its first 5 entries are those of the checkpoint",
			],
		]);
	});

	it("holds as the part that the file has, and says which", async () => {
		for (const [data, hasMore, held] of [
			[entries.slice(0, 2), true, "0 to 1"],
			[entries.slice(2, 4), true, "2 to 3"],
			[entries.slice(3), false, "3 to 4"],
		] as const) {
			const { holds, lines } = await check(page(data, 5, hasMore));
			expect([holds, lines.at(-1)]).toEqual([true, `note  chain: 5 entries, of which the file holds ${held}`]);
		}
		expect((await check(page([]))).holds).toBe(true);
	});

	it("says what stands in its entries that nobody signed", async () => {
		const { holds, lines } = await check(page(entries.map((entry) => ({ ...entry, approved_by: "Ada" }))));
		expect([holds, lines.filter((line) => !line.startsWith("ok"))]).toEqual([
			true,
			["note  entries: nothing proves approved_by"],
		]);
	});

	it("agrees with a checkpoint that was saved with other line breaks, and pasted without the last", async () => {
		expect(
			(await PROOF_KINDS.chain.check(JSON.stringify(page(entries)), crlf)).every(({ verdict }) => verdict === "ok"),
		).toBe(true);
		expect(allHold(await PROOF_KINDS.checkpoint.check(crlf.checkpoint, crlf))).toBe(true);
		expect(guessKind(crlf.checkpoint)).toBe("checkpoint");
	});

	it("says whose workspace it is, and for entries that do not that only a checkpoint tells it", async () => {
		const older: ChainEntry[] = [];
		for (let index = 0; index < 3; index++)
			older.push(chainEntry(older.at(-1), { ...plainHandoff(index, OWNER), owner: index < 2 ? null : OWNER }, key));
		const saved = page(older);
		const linesOf = async (document: unknown, checkpoint: string | null) => {
			const { holds, lines } = await check(document, checkpoint);
			return [holds, lines.filter((line) => line.includes("owner: "))];
		};
		const named = `ok    owner: the entries name ${OWNER}`;
		const unknown = "note  owner: 2 of 3 entries do not say whose workspace they are of: only a checkpoint tells it";
		expect(await linesOf(saved, null)).toEqual([true, [named, unknown]]);
		const signed = (origin: string) => checkpointNote(origin, 3, root(older), key);
		expect(await linesOf(saved, signed(ORIGIN))).toEqual([true, [named, `ok    owner: the checkpoint names ${OWNER}`]]);
		// A file that was saved before entries had the member.
		const first = older.slice(0, 2);
		const before = page(first).data.map(({ owner: _, ...entry }) => entry);
		expect((await check({ ...page(first), data: before })).holds).toBe(true);
	});

	it("of another owner than its checkpoint's, or of two, does not hold", async () => {
		const others = checkpointNote(`svc.test/${"f".repeat(16)}/shop`, 5, root(entries), key);
		const { holds, lines } = await check(page(entries), others);
		expect(holds).toBe(false);
		expect(lines).toContain("FAIL  entry 0 (ho_0): is not of the owner whose workspace it is");
		const mixed = [...chainOf(1)];
		mixed.push(chainEntry(mixed[0], { ...plainHandoff(1, OWNER), owner: null }, key));
		expect((await check(page(mixed))).lines).toContain(
			"FAIL  entry 1 (ho_1): is not of the owner whose workspace it is",
		);
		const claimed = { ...page(entries), verification: { ok: true, owner: "f".repeat(16) } };
		expect((await check(claimed)).lines).toContain(
			"FAIL  verification: the service: shows owner that its proof contradicts",
		);
	});

	it("continues an older checkpoint", async () => {
		const older = checkpointNote(ORIGIN, 3, root(entries.slice(0, 3)), key);
		expect((await check(page(entries), older)).holds).toBe(true);
	});

	const changed = (index: number, more: object) => entries.with(index, { ...(entries[index] as ChainEntry), ...more });
	const FAULTS: [string, unknown, string][] = [
		[
			"that shows something else",
			page(changed(1, { to_tool: "Bob" })),
			"entry 1 (ho_1): shows something else than was signed",
		],
		["with another number", page(changed(0, { est_cost: 2 })), "entry 0 (ho_0): shows something else than was signed"],
		[
			"with another hash",
			page(changed(2, { hash: entries[1]?.hash })),
			"entry 2 (ho_2): its hash is not that of its subject",
		],
		[
			"with another's signature",
			page(changed(4, { signature: entries[3]?.signature })),
			"entry 4 (ho_4): its signature does not hold",
		],
		[
			"that is not signed any more",
			page(changed(4, { signature: null, key_id: null })),
			"entry 4 (ho_4): is not signed, though one before it is",
		],
		[
			"without an entry in between",
			page(entries.toSpliced(2, 1)),
			"entry 3 (ho_3): its number does not follow the one before, does not follow the entry before",
		],
		["in another order", page([...entries].reverse()), "entry 3 (ho_3): its number does not follow the one before"],
		[
			"without its last entry",
			page(entries.slice(0, 4), 5),
			"chain: is said to have 5 entries, but the file holds 0 to 3",
		],
		["signed by another", page(chainOf(2, other)), "entry 0 (ho_0): is signed by a key that is not given"],
		["that was never signed", page(chainOf(2, null)), "signatures: 2 of 2 entries are not signed"],
		["of two workspaces", [page(entries), { ...page([]), workspace_id: "b" }], "workspace: entries of shop, b"],
		[
			"that shows a signed entry as unsigned",
			{ ...page(entries), data: entries.map((entry) => ({ ...entry, signed: entry.id !== "ho_2" })) },
			"entry 2: shows signed",
		],
		["that goes on behind its end", page(entries, 5, true), "chain: is said to go on behind its 5 entries"],
		[
			"whose first page has no other",
			[page(entries.slice(0, 2), 5), page(entries.slice(2), 5)],
			"chain: a page that others follow",
		],
		[
			"whose pages grow shorter",
			[page(entries.slice(0, 2), 6, true), page(entries.slice(2), 5)],
			"chain: a page that others follow",
		],
		["of another answer", { ...page(entries), object: "list" }, "chain: a page: shows object"],
		[
			"of which the service said another verdict",
			{ ...page(entries), verification: { ok: false, n: 6, first_broken_index: 1, reasons: ["x"], complete: false } },
			"verification: the service: shows ok, n, first_broken_index, reasons, complete",
		],
		["that is none", { data: [] }, "chain: is not what GET /v1/handoff/chain/{workspace_id} answers"],
	];

	it.each(FAULTS)("%s does not hold, though the service says so", async (_, document, said) => {
		const { holds, lines } = await check(document);
		expect(holds).toBe(false);
		expect(lines.find((line) => line.startsWith(`FAIL  ${said}`))).toBeDefined();
	});

	it("does not hold without a key", async () => {
		const { holds, lines } = await check(page(entries), null, []);
		expect([holds, lines.filter((line) => line.startsWith("FAIL"))]).toEqual([
			false,
			["FAIL  signatures: not checked, for want of a public key"],
		]);
	});

	it("of which entries were cut off does not hold against its checkpoint, whatever it says of itself", async () => {
		const { holds, lines } = await check(page(entries.slice(0, 4)), note);
		expect([holds, lines.at(-1)]).toEqual([false, "FAIL  chain: lacks entries that the checkpoint of 5 signs"]);
	});

	it("that was written anew does not hold against its checkpoint", async () => {
		const anew = chainOf(3);
		anew.push(chainEntry(anew[2], { ...plainHandoff(3, OWNER), objective: "Another" }, key));
		anew.push(chainEntry(anew[3], plainHandoff(4, OWNER), key));
		expect((await check(page(anew))).holds).toBe(true);
		const { holds, lines } = await check(page(anew), note);
		expect([holds, lines.at(-1)]).toEqual([
			false,
			expect.stringMatching(/^FAIL {2}chain: its first 5 entries have root/),
		]);
	});
});

describe("a checkpoint", () => {
	const checked = async (text: string, keys: Uint8Array[] = [key.publicKey]) =>
		shownAs(await checkCheckpoint(text, keys));

	it("holds under the key that signed it, among others", async () => {
		const { holds, lines } = await checked(note, [other.publicKey, key.publicKey]);
		expect([holds, lines[1]]).toEqual([true, `ok    signature: holds under key ${key.keyId}`]);
	});

	it("does not hold changed, under another key, without one, or as another log's", async () => {
		const faults: [string, Uint8Array[], string][] = [
			[note.replace("\n5\n", "\n4\n"), [key.publicKey], `signature: does not hold under key ${key.keyId}`],
			[note, [other.publicKey], "signature: is of no key that is given"],
			[note, [], "signature: not checked, for want of a public key"],
			[note.replace("shop\n", "till\n"), [key.publicKey], "checkpoint: is not what"],
			["svc\n5\n", [key.publicKey], "checkpoint: is not what"],
			["{}", [key.publicKey], "checkpoint: is not what"],
		];
		for (const [text, keys, said] of faults) {
			const { holds, lines } = await checked(text, keys);
			expect([holds, lines.some((line) => line.startsWith(`FAIL  ${said}`))], said).toEqual([false, true]);
		}
	});
});
