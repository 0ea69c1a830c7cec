// The service's ledger against the second implementation: the same subjects, and the same verdict on every tampered chain.
import { describe, expect, it } from "vitest";
import { verifyChain } from "../../../src/ledger/chain.ts";
import { type HandoffDraft, type HandoffRow, nextEntry, renderSubject } from "../../../src/ledger/entry.ts";
import { canonicalJson } from "../../../src/proof/canonical.ts";
import { asHash } from "../../../src/proof/hash.ts";
import { leafHash, merkleRoot } from "../../../src/proof/merkle.ts";
import { createSigner, toPublicKeyEntry } from "../../../src/proof/signing.ts";
import { type ChainEntry, verifyChain as verifyAgain } from "../../support/second-ledger.ts";
import { ledgerVectors } from "../../vectors/generate-ledger.ts";

const { entries, seed, key_id, public_key, leaf_hashes, user_id } = ledgerVectors();
const signer = createSigner(Uint8Array.from(Buffer.from(seed, "hex")));

const leafOf = ({ subject }: ChainEntry) => leafHash(new TextEncoder().encode(`${subject}`));

/** The entry as the service's table holds it. */
function rowOf({ risk, ...entry }: ChainEntry): HandoffRow {
	return {
		...entry,
		user_id,
		files_touched: canonicalJson(entry.files_touched),
		constraints: canonicalJson(entry.constraints),
		risks: canonicalJson(entry.risks),
		validation: canonicalJson(entry.validation),
		est_cost: entry.est_cost === null ? null : canonicalJson(entry.est_cost),
		risk_score: risk.score,
		risk_tier: risk.tier,
		risk_factors: canonicalJson(risk.factors),
		leaf_hash: asHash(leafOf({ risk, ...entry })),
	};
}

/** The service's verdict on a chain whose head is remembered as it is. */
async function verdictOn(chain: readonly ChainEntry[]) {
	const rows = chain.map(rowOf);
	const { verdict } = await verifyChain({
		pages: async function* () {
			yield rows;
		},
		head: { size: rows.length, root: asHash(merkleRoot(chain.map(leafOf))), last: rows.at(-1) ?? null },
		keys: [toPublicKeyEntry(signer.publicKey, "current")],
		verified: null,
		expected: {},
		owner: null,
	});
	return { ok: verdict.ok, n: verdict.n, first_broken_index: verdict.first_broken_index, reasons: verdict.reasons };
}

const verdictAgain = (chain: readonly ChainEntry[]) =>
	verifyAgain(chain, new Map([[key_id, Buffer.from(public_key, "hex")]]));

const MEMBERS = Object.keys(entries[0] ?? {});
/** What a tampered member may hold; lists of items and the risk keep their outer form, as a table's columns do. */
function tamperedValues(member: string): unknown[] {
	if (member === "risk") return [{ score: 99, tier: "auto", factors: [] }];
	if (member === "risks" || member === "validation") return [[{ id: "another", description: "" }]];
	return [null, "another", 7, ["another"], { a: 1 }];
}

describe("the service and the second implementation", () => {
	it("build the same entries of the same handoffs", () => {
		let previous: HandoffRow | null = null;
		for (const [seq, entry] of entries.entries()) {
			const row = rowOf(entry);
			expect(renderSubject(row)).toBe(entry.subject);
			expect(row.leaf_hash).toBe(`sha256:${leaf_hashes[seq]}`);
			const identity = { id: entry.id, userId: user_id, workspaceId: entry.workspace_id };
			// The vectors name tiers and factors of no table: the format does not know them.
			const draft = entry as unknown as HandoffDraft;
			const next: HandoffRow = nextEntry(identity, draft, previous, Date.parse(entry.created_at), signer);
			// Of version 1 nothing is written any more.
			if (entry.owner !== null) expect(next).toEqual(row);
			previous = row;
		}
	});

	it("give the same verdict when any member of the first, a middle or the last entry is changed", {
		timeout: 60_000,
	}, async () => {
		expect(await verdictOn(entries)).toEqual({ ok: true, n: 9, first_broken_index: null, reasons: [] });
		for (const position of [0, 4, 8]) {
			const entry = entries[position];
			if (!entry) throw new Error("the vectors hold too few entries");
			for (const member of MEMBERS) {
				for (const value of tamperedValues(member)) {
					const tampered: ChainEntry = { ...entry, [member]: value };
					const chain = entries.with(position, tampered);
					const verdict = await verdictOn(chain);
					expect(verdict, `${member} of ${position}: ${JSON.stringify(value)}`).toEqual(verdictAgain(chain));
					if (canonicalJson(tampered) !== canonicalJson(entry)) expect(verdict.ok).toBe(false);
				}
			}
		}
	});

	it("give the same verdict on chains cut, doubled and reordered", async () => {
		const [first, second, third, ...rest] = entries;
		if (!first || !second || !third) throw new Error("the vectors hold too few entries");
		for (const chain of [
			[],
			[first],
			[second, third, ...rest],
			[first, third, ...rest],
			[first, third, second, ...rest],
			[first, first, second, third, ...rest],
			[...rest],
			entries.toReversed(),
		]) {
			expect(await verdictOn(chain)).toEqual(verdictAgain(chain));
		}
	});
});
