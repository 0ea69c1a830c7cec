// The verifications that are measured, for both runtimes.
import { type VerifiedPrefix, type VerifyChainOptions, verifyChain } from "../../../src/ledger/chain.ts";
import type { HandoffRow } from "../../../src/ledger/entry.ts";

/** A chain to verify, with its head and keys. */
export type ChainCase = Pick<VerifyChainOptions, "head" | "keys"> & { rows: HandoffRow[] };

const PAGE_ROWS = 1_000;

/** Verifies a chain in full, or with the signatures verified before. */
export async function verifyChainCase({ rows, head, keys }: ChainCase, verified: VerifiedPrefix | null) {
	async function* pages() {
		for (let at = 0; at < rows.length; at += PAGE_ROWS) yield rows.slice(at, at + PAGE_ROWS);
	}
	const found = await verifyChain({ pages, head, keys, verified, expected: {}, owner: null });
	if (!found.verdict.ok) throw new Error(found.verdict.reasons.join());
	return found;
}

/** Verifies every signature with the platform and nothing else: the lower bound of any verification. */
export async function verifySignaturesOnly(rows: readonly HandoffRow[], keys: ChainCase["keys"]): Promise<number> {
	const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
	const key = await crypto.subtle.importKey("raw", bytesOf(keys[0]?.public_key ?? ""), "Ed25519", false, ["verify"]);
	const signed = rows.map(
		({ subject, signature }) => [new TextEncoder().encode(subject), bytesOf(signature ?? "")] as const,
	);
	for (let at = 0; at < signed.length; at += PAGE_ROWS) {
		const page = signed.slice(at, at + PAGE_ROWS);
		await Promise.all(page.map(([text, signature]) => crypto.subtle.verify("Ed25519", key, signature, text)));
	}
	return rows.length;
}
