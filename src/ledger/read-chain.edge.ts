// Reads a workspace's chain from D1, merges in what its ledger has not flushed, verifies it, and returns the requested
// page.
import type { KeyContext } from "../account/context.ts";
import { logError } from "../http/log.edge.ts";
import { asHash, toDigest } from "../proof/hash.ts";
import { merkleRoot } from "../proof/merkle.ts";
import { toOwnerDigest } from "../proof/note.ts";
import { type ChainExpectation, type ChainVerdict, verifyChain } from "./chain.ts";
import type { HandoffRow } from "./entry.ts";
import { storedLeafHashes, storedPages } from "./handoffs.store.ts";
import { type LedgerClient, type LedgerState, ledgerClient } from "./ledger-client.edge.ts";

type ChainContext = Pick<KeyContext, "account" | "db" | "env">;

/**
 * An answer has at most this much subject text and one more entry: a thousand entries of common size. Its JSON is about
 * three times as large.
 */
const ANSWER_SUBJECT_BYTES = 2_000_000;

type ChainPosition = Pick<HandoffRow, "seq" | "id">;

function isBefore(a: ChainPosition, b: ChainPosition): boolean {
	return a.seq < b.seq || (a.seq === b.seq && a.id < b.id);
}

/** The entries that a ledger had not flushed when `state` was taken, in the order of the chain. */
class UnflushedEntries {
	#ledger: LedgerClient;
	#asOfMs: number;
	#rows: HandoffRow[] = [];
	#nextSeq: number;

	constructor(ledger: LedgerClient, { unflushed, asOfMs }: LedgerState) {
		this.#ledger = ledger;
		this.#asOfMs = asOfMs;
		this.#nextSeq = unflushed > 0 ? 0 : Number.POSITIVE_INFINITY;
	}

	/** The next entry, without removing it; null at the end. */
	async peek(): Promise<HandoffRow | null> {
		if (this.#rows.length === 0 && this.#nextSeq < Number.POSITIVE_INFINITY) {
			this.#rows = await this.#ledger.unflushedEntries(this.#nextSeq, this.#asOfMs);
			this.#nextSeq = (this.#rows.at(-1)?.seq ?? Number.POSITIVE_INFINITY) + 1;
		}
		return this.#rows[0] ?? null;
	}

	take(): void {
		this.#rows.shift();
	}
}

/**
 * The pages of a chain as it was at `state`. Entries of D1 and unflushed ones are merged by (seq, id); those in both
 * appear once. Entries of D1 beyond the state are newer and left out, unless the ledger does not know them: those are
 * included.
 */
async function* chainPagesAt(context: ChainContext, workspaceId: string, ledger: LedgerClient, state: LedgerState) {
	const unflushed = new UnflushedEntries(ledger, state);
	/** The unflushed entries before a position, without the entry at that position. */
	const before = async (end: ChainPosition | null): Promise<HandoffRow[]> => {
		const rows: HandoffRow[] = [];
		for (let next = await unflushed.peek(); next && next.seq < state.size; next = await unflushed.peek()) {
			if (end && !isBefore(next, end)) {
				if (next.id === end.id) unflushed.take();
				break;
			}
			rows.push(next);
			unflushed.take();
		}
		return rows;
	};
	for await (const page of storedPages(context.db, { userId: context.account.userId, workspaceId })) {
		const isBeyond = ({ seq }: HandoffRow) => !(seq < state.size);
		// The ledger is asked after the page was read, so it knows every entry of its own in that page.
		const knownSize = page.some(isBeyond) ? (await ledger.state()).size : state.size;
		const rows: HandoffRow[] = [];
		for (const row of page) {
			if (isBeyond(row) && row.seq < knownSize) continue;
			rows.push(...(await before(row)), row);
		}
		yield rows;
	}
	yield await before(null);
}

/** A page of a chain, with the verdict on the whole chain. */
interface VerifiedChainPage {
	entries: HandoffRow[];
	hasMore: boolean;
	verdict: ChainVerdict;
}

interface ChainQuery {
	limit: number;
	/** Only entries with a larger seq; all when undefined. */
	after?: number | undefined;
	expected: ChainExpectation;
}

/** Collects the requested page from all entries. */
class PageCollector {
	entries: HandoffRow[] = [];
	hasMore = false;
	#query: ChainQuery;
	#bytes = 0;

	constructor(query: ChainQuery) {
		this.#query = query;
	}

	add(rows: readonly HandoffRow[]): void {
		for (const row of rows) {
			if (this.hasMore) return;
			const { after, limit } = this.#query;
			if (after !== undefined && !(row.seq > after)) continue;
			const isFull = this.entries.length >= limit || this.#bytes > ANSWER_SUBJECT_BYTES;
			// Entries with the same seq stay on one page: the next page begins after it.
			if (isFull && row.seq !== this.entries.at(-1)?.seq) this.hasMore = true;
			else this.entries.push(row);
			this.#bytes += `${row.subject}`.length;
		}
	}
}

/**
 * Verifies the caller's chain of a workspace and visits each entry once, oldest first. A workspace without entries is
 * an empty chain. Signatures that were verified before are skipped, as in `verifyChain`.
 */
export async function verifyStoredChain(
	context: ChainContext & Pick<KeyContext, "settings" | "waitUntil">,
	workspaceId: string,
	expected: ChainExpectation,
	visit: (rows: readonly HandoffRow[]) => void,
): Promise<ChainVerdict> {
	const ledger = ledgerClient(context.env, context.account.userId, workspaceId);
	const state = await ledger.state();
	let isFirstPass = true;
	const { verdict, verified } = await verifyChain({
		pages: async function* () {
			const visiting = isFirstPass;
			isFirstPass = false;
			for await (const rows of chainPagesAt(context, workspaceId, ledger, state)) {
				if (visiting) visit(rows);
				yield rows;
			}
		},
		head: state,
		keys: context.settings.publicKeys,
		verified: state.verified,
		expected,
		owner: toOwnerDigest(context.account.userId),
	});
	if (verified && verified.size > (state.verified?.size ?? 0)) {
		context.waitUntil(ledger.remember(verified).catch((error) => logError("verification_not_remembered", error)));
	}
	return verdict;
}

/** Verifies the caller's chain of a workspace and returns one page of it. */
export async function readChain(
	context: ChainContext & Pick<KeyContext, "settings" | "waitUntil">,
	workspaceId: string,
	query: ChainQuery,
): Promise<VerifiedChainPage> {
	const collector = new PageCollector(query);
	const verdict = await verifyStoredChain(context, workspaceId, query.expected, (rows) => collector.add(rows));
	return { entries: collector.entries, hasMore: collector.hasMore, verdict };
}

/**
 * The leaf hashes of the caller's chain, and the state of its ledger. `leaves` is null when the stored entries do not
 * have the ledger's root.
 */
export async function readLeaves(
	{ account, db, env }: ChainContext,
	workspaceId: string,
): Promise<{ state: LedgerState; leaves: Uint8Array[] | null }> {
	const ledger = ledgerClient(env, account.userId, workspaceId);
	const state = await ledger.state();
	const hashes =
		state.size === 0 ? [] : await storedLeafHashes(db, { userId: account.userId, workspaceId }, state.size);
	const unflushed = new UnflushedEntries(ledger, state);
	for (let next = await unflushed.peek(); next && hashes.length < state.size; next = await unflushed.peek()) {
		if (next.seq >= hashes.length) hashes.push(next.leaf_hash);
		unflushed.take();
	}
	const leaves = hashes.map((hash) => toDigest(hash)).filter((leaf) => leaf !== null);
	const isWhole = leaves.length === state.size && asHash(merkleRoot(leaves)) === state.root;
	return { state, leaves: isWhole ? leaves : null };
}
