// CPU time of verifying a long chain: in full, with all signatures, and again, when only hashes and links are checked.
// Run: node test/bench/chain.ts [entries]
import { cpuUsage } from "node:process";
import { type VerifiedPrefix, verifyChain } from "../../src/ledger/chain.ts";
import { asHash, type HandoffRow, nextEntry } from "../../src/ledger/entry.ts";
import { contentOf, draftOf } from "../../src/ledger/handoff.ts";
import { append, EMPTY_RANGE, leafHash, rootOfRange } from "../../src/proof/merkle.ts";
import { createSigner, describePublicKey } from "../../src/proof/signing.ts";

const entries = Number(process.argv[2] ?? 10_000);
const PAGE_ROWS = 1_000;

const signer = createSigner(new Uint8Array(32).fill(1));
const content = contentOf({
	workspace_id: "bench",
	objective: "Move the checkout to the new tax table and keep the old one readable",
	from_tool: "coder",
	to_tool: "reviewer",
	files_touched: ["src/checkout/tax.ts", "src/checkout/total.ts", "test/checkout.test.ts"],
	constraints: ["keep the public API", "no new dependency"],
	risks: [{ id: "rounding", description: "totals may differ by a cent" }],
	validation: [{ id: "unit", description: "npm test" }],
	recommended_next_action: "review the rounding rules",
	est_cost: 0.25,
});
const draft = draftOf(content, 1);

const rows: HandoffRow[] = [];
let range = EMPTY_RANGE;
for (let seq = 0; seq < entries; seq++) {
	const identity = { id: `ho_${seq}`, userId: "usr_bench", workspaceId: "bench" };
	const entry = nextEntry(identity, draft, rows.at(-1) ?? null, 1_800_000_000_000 + seq, signer);
	rows.push(entry);
	range = append(range, leafHash(new TextEncoder().encode(entry.subject)));
}
const head = { size: entries, root: asHash(rootOfRange(range)), last: rows.at(-1) ?? null };

async function* pages() {
	for (let at = 0; at < rows.length; at += PAGE_ROWS) yield rows.slice(at, at + PAGE_ROWS);
}

async function measured(verified: VerifiedPrefix | null) {
	const before = cpuUsage();
	const keys = [describePublicKey(signer.publicKey, "current")];
	const found = await verifyChain({ pages, head, keys, verified, expected: {} });
	const { user, system } = cpuUsage(before);
	if (!found.verdict.ok) throw new Error(found.verdict.reasons.join());
	return { found, cpuMs: Math.round((user + system) / 1_000) };
}

const first = await measured(null);
const second = await measured(first.found.verified);
const report = (run: typeof first) => ({ cpu_ms: run.cpuMs, signature_checks: run.found.signatureChecks });
const subjectBytes = Math.round(rows.reduce((sum, { subject }) => sum + subject.length, 0) / entries);
console.log(JSON.stringify({ entries, subject_bytes: subjectBytes, first: report(first), second: report(second) }));
