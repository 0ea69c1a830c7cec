// The vectors of the ledger are what their generator writes, and the second implementation finds them sound.
import { describe, expect, it } from "vitest";
import { keyIdOf } from "../../support/second-ed25519.ts";
import { type ChainEntry, readCheckpoint, verifyChain } from "../../support/second-ledger.ts";
import { ledgerVectors } from "../../vectors/generate-ledger.ts";
import ledger from "../../vectors/ledger.json" with { type: "json" };

describe("test/vectors/ledger.json", () => {
	const publicKey = Buffer.from(ledger.public_key, "hex");
	const keys = new Map([[keyIdOf(publicKey), publicKey]]);
	const entries: ChainEntry[] = ledger.entries;

	it("is what the generator writes", () => {
		expect(ledgerVectors()).toEqual(ledger);
	});

	it("is a sound chain with a readable checkpoint", () => {
		expect(verifyChain(entries, keys)).toEqual({ ok: true, n: 9, first_broken_index: null, reasons: [] });
		expect(readCheckpoint(ledger.checkpoint, ledger.vkey)).toEqual({
			origin: ledger.origin,
			size: 9,
			root: Buffer.from(ledger.roots[9] ?? "", "hex"),
		});
	});

	const changedAt = (position: number, change: Partial<ChainEntry>) =>
		entries.map((entry, at) => (at === position ? { ...entry, ...change } : entry));

	it.each<[string, ChainEntry[], string[]]>([
		["an entry taken out", entries.filter((_, at) => at !== 3), ["seq_gap:3", "prev_link_broken:3"]],
		["a changed column", changedAt(4, { objective: "changed" }), ["subject_mismatch:4"]],
		["a changed hash", changedAt(8, { hash: `sha256:${"0".repeat(64)}` }), ["hash_mismatch:8"]],
		["another's signature", changedAt(8, { signature: entries[7]?.signature ?? null }), ["signature_invalid:8"]],
		["a signature taken off", changedAt(8, { signature: null, key_id: null }), ["unsigned_after_signed:8"]],
		[
			"its last signature, not its key, taken off",
			changedAt(0, { signature: null }).slice(0, 1),
			["signature_invalid:0"],
		],
		["a later entry's owner taken out", changedAt(8, { owner: null }), ["subject_mismatch:8", "owner_mismatch:8"]],
		["a key that nobody published", changedAt(8, { key_id: "0".repeat(16) }), ["unknown_key:8"]],
	])("is broken with %s, and the place is named", (_, chain, reasons) => {
		const verdict = verifyChain(chain, keys);
		expect(verdict.reasons).toEqual(reasons);
		expect(verdict.first_broken_index).toBe(Number(reasons[0]?.split(":")[1]));
		expect(verdict.ok).toBe(false);
	});
});
