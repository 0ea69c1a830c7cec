// CPU time of verifying a long chain, in workerd, as the service does, and in Node, as the offline verifier does: in full, again
// with remembered signatures (hashes and links only), and the platform's signatures alone.
// Run: node test/bench/chain/run.ts [entries]
import { createPrivateKey, sign } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cpuUsage } from "node:process";
import { Miniflare } from "miniflare";
import * as z from "zod";
import { type HandoffRow, nextEntry } from "../../../src/ledger/entry.ts";
import { toHandoffContent, toHandoffDraft } from "../../../src/ledger/handoff.ts";
import { asHash } from "../../../src/proof/hash.ts";
import { appendLeaf, EMPTY_RANGE, leafHash, rangeRoot } from "../../../src/proof/merkle.ts";
import { createSigner, toPublicKeyEntry } from "../../../src/proof/signing.ts";
import { processCpuMs, withRuntimePid } from "../process.ts";
import { runWrangler } from "../wrangler.ts";
import { type ChainCase, verifyChainCase, verifySignaturesOnly } from "./verify.ts";

const entries = Number(process.argv[2] ?? 10_000);
const WARM_UP_ENTRIES = 500;
const SEED = new Uint8Array(32).fill(1);

const content = toHandoffContent({
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

/** A valid chain of `size` entries. */
function makeChain(size: number): ChainCase {
	const { keyId, publicKey } = createSigner(SEED);
	const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), SEED]);
	const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
	// Node signs ten thousand entries in one second instead of ten. Signatures are deterministic (RFC 8032), so they are the service's.
	const signer = { keyId, signSync: (text: string) => sign(null, Buffer.from(text), key).toString("base64") };
	const draft = toHandoffDraft(content, 1);
	const rows: HandoffRow[] = [];
	let range = EMPTY_RANGE;
	for (let seq = 0; seq < size; seq++) {
		const identity = { id: `ho_${seq}`, userId: "usr_bench", workspaceId: "bench" };
		const entry = nextEntry(identity, draft, rows.at(-1) ?? null, 1_800_000_000_000 + seq, signer);
		rows.push(entry);
		range = appendLeaf(range, leafHash(new TextEncoder().encode(entry.subject)));
	}
	const head = { size, root: asHash(rangeRoot(range)), last: rows.at(-1) ?? null };
	return { rows, head, keys: [toPublicKeyEntry(publicKey, "current")] };
}

/** Figures of one verification. */
interface ChainFigures {
	cpu_ms: number;
	signature_checks: number;
}

async function measureInNode(chain: ChainCase): Promise<Record<string, ChainFigures>> {
	const measured = async <T>(work: () => Promise<T>, checksOf: (result: T) => number) => {
		const before = cpuUsage();
		const result = await work();
		const { user, system } = cpuUsage(before);
		return { result, figures: { cpu_ms: Math.round((user + system) / 1_000), signature_checks: checksOf(result) } };
	};
	await verifyChainCase(makeChain(WARM_UP_ENTRIES), null);
	const first = await measured(
		() => verifyChainCase(chain, null),
		({ signatureChecks }) => signatureChecks,
	);
	const again = await measured(
		() => verifyChainCase(chain, first.result.verified),
		({ signatureChecks }) => signatureChecks,
	);
	const alone = await measured(
		() => verifySignaturesOnly(chain.rows, chain.keys),
		(checks) => checks,
	);
	return { first: first.figures, again: again.figures, signatures_alone: alone.figures };
}

const checksSchema = z.object({ signatureChecks: z.number() });

async function measureInWorkerd(chain: ChainCase): Promise<Record<string, ChainFigures> | null> {
	const tempDir = mkdtempSync(join(tmpdir(), "svc-chain-"));
	process.once("exit", () => rmSync(tempDir, { recursive: true, force: true }));
	runWrangler(["deploy", "--config", "test/bench/chain/wrangler.toml", "--dry-run", "--outdir", tempDir]);
	const start = async () => {
		const miniflare = new Miniflare({
			modules: [{ type: "ESModule", path: join(tempDir, "worker.js") }],
			modulesRoot: tempDir,
			compatibilityDate: "2026-07-22",
		});
		await miniflare.ready;
		return miniflare;
	};
	const { started: miniflare, pid } = await withRuntimePid(start);
	if (pid === null) {
		await miniflare.dispose();
		return null;
	}
	const send = async (path: string, body?: unknown) => {
		const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
		const before = processCpuMs(pid);
		const response = await miniflare.dispatchFetch(`http://chain${path}`, init);
		const { signatureChecks } = checksSchema.parse(await response.json());
		return { cpu_ms: processCpuMs(pid) - before, signature_checks: signatureChecks };
	};
	try {
		await send("/chain", makeChain(WARM_UP_ENTRIES));
		await send("/verify");
		await send("/chain", chain);
		return { first: await send("/verify"), again: await send("/verify"), signatures_alone: await send("/signatures") };
	} finally {
		await miniflare.dispose();
	}
}

const chain = makeChain(entries);
const subjectBytes = Math.round(chain.rows.reduce((sum, { subject }) => sum + subject.length, 0) / entries);
const figures = {
	entries,
	subject_bytes: subjectBytes,
	workerd: await measureInWorkerd(chain),
	node: await measureInNode(chain),
};
console.log(JSON.stringify(figures, null, 1));
