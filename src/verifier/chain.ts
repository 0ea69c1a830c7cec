// Checks a saved chain of handoffs (docs/proofs.md, "Handoff ledger"), alone or against a checkpoint, without any
// request. The service's own verdict in the file can only count against it.
import { utf8ToBytes } from "@noble/hashes/utils.js";
import * as z from "zod";
import { type ChainFaultName, type ChainVerdict, verifyChain } from "../ledger/chain.ts";
import type { HandoffRow } from "../ledger/entry.ts";
import { canonicalJson } from "../proof/canonical.ts";
import { asHash, type Hash } from "../proof/hash.ts";
import { leafHash, merkleRoot } from "../proof/merkle.ts";
import { parseOriginOwner } from "../proof/note.ts";
import { toPublicKeyEntry } from "../proof/signing.ts";
import { type CheckedCheckpoint, readCheckpoint } from "./checkpoint.ts";
import {
	contradictionFindings,
	type Finding,
	failedFinding,
	failedFindings,
	finding,
	unprovenFindings,
} from "./findings.ts";
import { listKeyIds, type PublicKeys } from "./keys.ts";

const textField = z.string();
const nullableText = z.string().nullable();
const textList = z.array(z.string());
const itemList = z.array(z.looseObject({ id: z.string(), description: z.string() }));

/** An entry as the chain endpoint returns it. */
export const entrySchema = z.looseObject({
	id: textField,
	workspace_id: textField,
	/** Absent in chains that were saved before entries had it. */
	owner: nullableText.optional(),
	seq: z.int(),
	objective: textField,
	from_tool: nullableText,
	to_tool: nullableText,
	files_touched: textList,
	constraints: textList,
	risks: itemList,
	validation: itemList,
	recommended_next_action: nullableText,
	action_kind: textField,
	est_cost: z.number().nullable(),
	risk: z.strictObject({ score: z.number(), tier: textField, factors: textList }),
	prev_handoff_id: nullableText,
	prev_hash: nullableText,
	prev_signature: nullableText,
	created_at: textField,
	subject: textField,
	hash: textField,
	signature: nullableText,
	key_id: nullableText,
});

type ChainEntry = z.output<typeof entrySchema>;

const chainPageSchema = z.looseObject({
	workspace_id: z.string(),
	count: z.int(),
	has_more: z.boolean(),
	data: z.array(entrySchema),
	verification: z.record(z.string(), z.unknown()).optional(),
});
type ChainPage = z.output<typeof chainPageSchema>;

/** One page of the chain endpoint's answer, or all pages in order. */
const chainDocumentSchema = z.union([chainPageSchema, z.array(chainPageSchema).min(1)]);

/** The columns of an entry, rebuilt from its visible members. They are compared with the signed subject. */
function toHandoffRow(entry: ChainEntry): HandoffRow {
	const { risk, risks, validation, est_cost, files_touched, constraints, subject, owner, ...columns } = entry;
	return {
		...columns,
		user_id: "",
		owner: owner ?? null,
		files_touched: canonicalJson(files_touched),
		constraints: canonicalJson(constraints),
		risks: canonicalJson(risks),
		validation: canonicalJson(validation),
		est_cost: est_cost === null ? null : canonicalJson(est_cost),
		risk_score: risk.score,
		risk_tier: risk.tier,
		risk_factors: canonicalJson(risk.factors),
		subject,
		leaf_hash: asHash(leafHash(utf8ToBytes(subject))),
	};
}

const FAULT_TEXTS: Readonly<Record<ChainFaultName, string>> = {
	seq_gap: "its number does not follow the one before",
	prev_link_broken: "does not follow the entry before",
	subject_mismatch: "shows something else than was signed",
	hash_mismatch: "its hash is not that of its subject",
	signature_invalid: "its signature does not hold",
	unsigned_after_signed: "is not signed, though one before it is",
	unknown_key: "is signed by a key that is not given",
	owner_mismatch: "is not of the owner whose workspace it is",
	head_mismatch: "is not the chain's last",
};

/** The faults of entries, one line per entry. */
function renderFaults(rows: readonly HandoffRow[], reasons: readonly string[]): string[] {
	const byPosition = Map.groupBy(reasons, (reason) => Number(reason.split(":")[1]));
	return [...byPosition].map(([position, names]) => {
		const row = rows[position];
		const texts = names.map((reason) => FAULT_TEXTS[reason.split(":")[0] as ChainFaultName]);
		return `entry ${row?.seq ?? position} (${row?.id}): ${texts.join(", ")}`;
	});
}

function rowsRoot(rows: readonly HandoffRow[]): Hash {
	return asHash(merkleRoot(rows.map(({ subject }) => leafHash(utf8ToBytes(subject)))));
}

/** Whether a fault exists only because the entries before the first one are not in the file. */
function isStartFault(reason: string): boolean {
	return reason === "seq_gap:0" || reason === "prev_link_broken:0";
}

/** Whose workspace it is, and who says so. @param known what the checkpoint says; null without one. */
function ownerFindings({ owner, notes }: ChainVerdict, known: string | null): Finding[] {
	const named: Finding[] = owner === null ? [] : [{ verdict: "ok", text: `owner: the entries name ${owner}` }];
	if (known !== null) return [...named, { verdict: "ok", text: `owner: the checkpoint names ${known}` }];
	return [...named, ...notes.map((text): Finding => ({ verdict: "note", text: `owner: ${text}` }))];
}

/** @param owner whose workspace the checkpoint says that it is; null without one. */
async function entryFindings(rows: readonly HandoffRow[], keys: PublicKeys, owner: string | null): Promise<Finding[]> {
	const { verdict } = await verifyChain({
		pages: async function* () {
			yield rows;
		},
		head: { size: rows.length, root: rowsRoot(rows), last: rows.at(-1) ?? null },
		keys: keys.map((key) => toPublicKeyEntry(key, "current")),
		verified: null,
		expected: {},
		owner,
	});
	const startsLater = (rows[0]?.seq ?? 0) > 0;
	const reasons = verdict.reasons.filter(
		(reason) => !(startsLater && isStartFault(reason)) && !(keys.length === 0 && reason.startsWith("unknown_key:")),
	);
	const faults = failedFindings(renderFaults(rows, reasons));
	const signed = rows.filter(({ signature }) => signature !== null).length;
	const signatures =
		signed < rows.length
			? failedFinding(`signatures: ${rows.length - signed} of ${rows.length} entries are not signed`)
			: keys.length === 0
				? failedFinding("signatures: not checked, for want of a public key")
				: finding(
						!reasons.some((reason) => /^(?:signature_invalid|unknown_key):/.test(reason)),
						`signatures: hold under ${listKeyIds(keys)}`,
						"signatures: not all of them hold",
					);
	const sound = `entries: ${rows.length}, each shows what was signed and follows the one before`;
	return [
		...(faults.length > 0 ? faults : [finding(true, sound, "")]),
		...(rows.length > 0 ? [signatures, ...ownerFindings(verdict, owner)] : []),
	];
}

/**
 * Checks one saved entry by itself.
 * @param origin the origin line of its workspace's checkpoint; null without one.
 */
export function checkEntry(entry: ChainEntry, keys: PublicKeys, origin: string | null): Promise<Finding[]> {
	return entryFindings(
		[toHandoffRow(entry)],
		keys,
		origin === null ? null : parseOriginOwner(origin, entry.workspace_id),
	);
}

/** What the service must say of the owner where the file holds the whole chain. */
function ownerClaim(entries: readonly ChainEntry[], count: number): { owner?: string | null } {
	if (entries.length !== count) return {};
	return { owner: entries.find(({ owner }) => owner != null)?.owner ?? null };
}

/** Members of the service's verdict that are compared with the entries. */
const VERDICT_MEMBERS = ["ok", "n", "first_broken_index", "reasons", "owner", "complete"];

/** Findings on what the pages claim beside the entries' proofs. A claim can only count against the file. */
function chainClaimFindings(pages: readonly ChainPage[]): Finding[] {
	const entries = pages.flatMap(({ data }) => data);
	const gaps = pages.some(({ count, has_more }, index) => {
		const next = pages[index + 1];
		return next && (!has_more || next.count < count);
	});
	const names = Object.keys(entrySchema.shape);
	return [
		...failedFindings(
			entries
				.flatMap((entry) => contradictionFindings(`entry ${entry.seq}`, entry, { signed: entry.signature !== null }))
				.map(({ text }) => text),
		),
		...(gaps
			? [failedFinding("chain: a page that others follow says that none does, or of more entries than they")]
			: []),
		...pages.flatMap(({ count, verification = {}, object }) => [
			...contradictionFindings("chain: a page", { object }, { object: "handoff.chain" }),
			...contradictionFindings("verification: the service", verification, {
				...{ ok: true, n: count, first_broken_index: null, reasons: [] },
				...ownerClaim(entries, count),
				...(verification["complete"] === null ? {} : { complete: true }),
			}),
		]),
		...unprovenFindings(
			"chain",
			pages
				.flatMap((page) => Object.keys(page))
				.filter((name) => !Object.hasOwn(chainPageSchema.shape, name) && name !== "object"),
		),
		...unprovenFindings(
			"verification",
			pages
				.flatMap(({ verification = {} }) => Object.keys(verification))
				.filter((name) => !VERDICT_MEMBERS.includes(name)),
		),
		...unprovenFindings(
			"entries",
			entries.flatMap((entry) => Object.keys(entry)).filter((name) => !names.includes(name) && name !== "signed"),
		),
	];
}

/** Whether the file has all entries that the chain is said to have. */
function extentFinding(rows: readonly HandoffRow[], count: number, hasMore: boolean): Finding {
	const first = rows[0]?.seq ?? 0;
	const range = rows.length === 0 ? "none" : `${first} to ${first + rows.length - 1}`;
	if (hasMore && first + rows.length >= count)
		return failedFinding(`chain: is said to go on behind its ${count} entries, of which the file holds ${range}`);
	if (first === 0 && rows.length === count)
		return finding(true, `chain: whole, ${count} entries with root ${rowsRoot(rows)}`, "");
	if (first > 0 || (hasMore && rows.length < count))
		return { verdict: "note", text: `chain: ${count} entries, of which the file holds ${range}` };
	return failedFinding(`chain: is said to have ${count} entries, but the file holds ${range}`);
}

function checkpointFindings(rows: readonly HandoffRow[], { checkpoint, findings }: CheckedCheckpoint): Finding[] {
	if (!checkpoint) return findings;
	const { size, root } = checkpoint;
	if ((rows[0]?.seq ?? 0) > 0 || rows.length < size)
		return [...findings, failedFinding(`chain: lacks entries that the checkpoint of ${size} signs`)];
	const own = rowsRoot(rows.slice(0, size));
	const ifNot = `chain: its first ${size} entries have root ${own}, not the checkpoint's`;
	return [...findings, finding(own === root, `chain: its first ${size} entries are those of the checkpoint`, ifNot)];
}

/** The entries of a saved chain; none where it is no chain. */
export function listEntries(document: unknown): ChainEntry[] {
	const parsed = chainDocumentSchema.safeParse(document);
	return parsed.success ? [parsed.data].flat().flatMap(({ data }) => data) : [];
}

/**
 * Checks a saved chain.
 * @param document the answer of `GET /v1/handoff/chain/{workspace_id}`, or a list of its pages in order.
 * @param keys trusted public keys.
 * @param checkpoint text of a checkpoint that the chain must agree with; null for none.
 */
export async function checkChain(document: unknown, keys: PublicKeys, checkpoint: string | null): Promise<Finding[]> {
	const parsed = chainDocumentSchema.safeParse(document);
	if (!parsed.success) return [failedFinding("chain: is not what GET /v1/handoff/chain/{workspace_id} answers")];
	const pages = [parsed.data].flat();
	const rows = pages.flatMap(({ data }) => data.map(toHandoffRow));
	const last = pages.at(-1);
	const noted = checkpoint === null ? null : await readCheckpoint(checkpoint, keys);
	const workspaceId = pages[0]?.workspace_id ?? "";
	const owner = noted?.checkpoint ? parseOriginOwner(noted.checkpoint.origin, workspaceId) : null;
	const names = new Set([...pages, ...rows].map(({ workspace_id }) => workspace_id));
	return [
		finding(names.size === 1, `workspace: ${[...names][0]}`, `workspace: entries of ${[...names].join(", ")}`),
		...(await entryFindings(rows, keys, owner)),
		...chainClaimFindings(pages),
		extentFinding(rows, last?.count ?? 0, last?.has_more ?? false),
		...(noted === null ? [] : checkpointFindings(rows, noted)),
	];
}
