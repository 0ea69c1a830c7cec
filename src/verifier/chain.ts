// Checks a workspace's chain of handoffs (docs/proofs.md, "Handoff ledger") from what was saved of it, alone or against a
// checkpoint. Asks nobody; what the service itself said of it counts only against it.
import { utf8ToBytes } from "@noble/hashes/utils.js";
import * as z from "zod";
import { type FaultName, verifyChain } from "../ledger/chain.ts";
import type { HandoffRow } from "../ledger/entry.ts";
import { canonicalJson } from "../proof/canonical.ts";
import { asHash, type Hash } from "../proof/hash.ts";
import { leafHash, merkleRoot } from "../proof/merkle.ts";
import { describePublicKey } from "../proof/signing.ts";
import { readCheckpoint } from "./checkpoint.ts";
import { contradictions, type Finding, failure, failures, finding, unproven } from "./findings.ts";
import { idsOf, type PublicKeys } from "./keys.ts";

const text = z.string();
const maybeText = z.string().nullable();
const texts = z.array(z.string());
const items = z.array(z.looseObject({ id: z.string(), description: z.string() }));

/** An entry as the chain's answer shows it. */
const entrySchema = z.looseObject({
	id: text,
	workspace_id: text,
	seq: z.int(),
	objective: text,
	from_tool: maybeText,
	to_tool: maybeText,
	files_touched: texts,
	constraints: texts,
	risks: items,
	validation: items,
	recommended_next_action: maybeText,
	action_kind: text,
	est_cost: z.number().nullable(),
	risk: z.strictObject({ score: z.number(), tier: text, factors: texts }),
	prev_handoff_id: maybeText,
	prev_hash: maybeText,
	prev_signature: maybeText,
	created_at: text,
	subject: text,
	hash: text,
	signature: maybeText,
	key_id: maybeText,
});

type Entry = z.output<typeof entrySchema>;

const pageSchema = z.looseObject({
	workspace_id: z.string(),
	count: z.int(),
	has_more: z.boolean(),
	data: z.array(entrySchema),
	verification: z.record(z.string(), z.unknown()).optional(),
});
type Page = z.output<typeof pageSchema>;

/** One page of the chain's answer, or all of them in order. */
const documentSchema = z.union([pageSchema, z.array(pageSchema).min(1)]);

/** An entry's columns, from what is shown of it: what is shown is what is held against the signed subject. */
function rowOf(entry: Entry): HandoffRow {
	const { risk, risks, validation, est_cost, files_touched, constraints, subject, ...columns } = entry;
	return {
		...columns,
		user_id: "",
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

const FAULTS: Readonly<Record<FaultName, string>> = {
	seq_gap: "its number does not follow the one before",
	prev_link_broken: "does not follow the entry before",
	subject_mismatch: "shows something else than was signed",
	hash_mismatch: "its hash is not that of its subject",
	signature_invalid: "its signature does not hold",
	unsigned_after_signed: "is not signed, though one before it is",
	unknown_key: "is signed by a key that is not given",
	head_mismatch: "is not the chain's last",
};

/** What is wrong with entries, one line each. */
function faultLines(rows: readonly HandoffRow[], reasons: readonly string[]): string[] {
	const byPosition = Map.groupBy(reasons, (reason) => Number(reason.split(":")[1]));
	return [...byPosition].map(([position, names]) => {
		const row = rows[position];
		const said = names.map((reason) => FAULTS[reason.split(":")[0] as FaultName]);
		return `entry ${row?.seq ?? position} (${row?.id}): ${said.join(", ")}`;
	});
}

function rootOfRows(rows: readonly HandoffRow[]): Hash {
	return asHash(merkleRoot(rows.map(({ subject }) => leafHash(utf8ToBytes(subject)))));
}

/** Faults that entries have because what stands before them is not in the file. */
function isMissingStart(reason: string): boolean {
	return reason === "seq_gap:0" || reason === "prev_link_broken:0";
}

async function entryFindings(rows: readonly HandoffRow[], keys: PublicKeys): Promise<Finding[]> {
	const { verdict } = await verifyChain({
		pages: async function* () {
			yield rows;
		},
		head: { size: rows.length, root: rootOfRows(rows), last: rows.at(-1) ?? null },
		keys: keys.map((key) => describePublicKey(key, "current")),
		verified: null,
		expected: {},
	});
	const startsLater = (rows[0]?.seq ?? 0) > 0;
	const reasons = verdict.reasons.filter(
		(reason) => !(startsLater && isMissingStart(reason)) && !(keys.length === 0 && reason.startsWith("unknown_key:")),
	);
	const faults = failures(faultLines(rows, reasons));
	const signed = rows.filter(({ signature }) => signature !== null).length;
	const signatures =
		signed < rows.length
			? failure(`signatures: ${rows.length - signed} of ${rows.length} entries are not signed`)
			: keys.length === 0
				? failure("signatures: not checked, for want of a public key")
				: finding(
						!reasons.some((reason) => /^(?:signature_invalid|unknown_key):/.test(reason)),
						`signatures: hold under ${idsOf(keys)}`,
						"signatures: not all of them hold",
					);
	const sound = `entries: ${rows.length}, each shows what was signed and follows the one before`;
	return [...(faults.length > 0 ? faults : [finding(true, sound, "")]), ...(rows.length > 0 ? [signatures] : [])];
}

/** What pages show beside the entries' proofs: counts only against them. */
function besideFindings(pages: readonly Page[]): Finding[] {
	const entries = pages.flatMap(({ data }) => data);
	const gaps = pages.some(({ count, has_more }, index) => {
		const next = pages[index + 1];
		return next && (!has_more || next.count < count);
	});
	const names = Object.keys(entrySchema.shape);
	return [
		...failures(
			entries
				.flatMap((entry) => contradictions(`entry ${entry.seq}`, entry, { signed: entry.signature !== null }))
				.map(({ text }) => text),
		),
		...(gaps ? [failure("chain: a page that others follow says that none does, or of more entries than they")] : []),
		...pages.flatMap(({ count, verification = {}, object }) => [
			...contradictions("chain: a page", { object }, { object: "handoff.chain" }),
			...contradictions("verification: the service", verification, {
				...{ ok: true, n: count, first_broken_index: null, reasons: [] },
				...(verification["complete"] === null ? {} : { complete: true }),
			}),
		]),
		...unproven(
			"entries",
			entries.flatMap((entry) => Object.keys(entry)).filter((name) => !names.includes(name) && name !== "signed"),
		),
	];
}

/** Whether the file holds all that the chain says it has. */
function extentFinding(rows: readonly HandoffRow[], count: number, hasMore: boolean): Finding {
	const first = rows[0]?.seq ?? 0;
	const held = rows.length === 0 ? "none" : `${first} to ${first + rows.length - 1}`;
	if (hasMore && first + rows.length >= count)
		return failure(`chain: is said to go on behind its ${count} entries, of which the file holds ${held}`);
	if (first === 0 && rows.length === count)
		return finding(true, `chain: whole, ${count} entries with root ${rootOfRows(rows)}`, "");
	if (first > 0 || (hasMore && rows.length < count))
		return { verdict: "note", text: `chain: ${count} entries, of which the file holds ${held}` };
	return failure(`chain: is said to have ${count} entries, but the file holds ${held}`);
}

async function checkpointFindings(
	rows: readonly HandoffRow[],
	checkpointText: string,
	keys: PublicKeys,
): Promise<Finding[]> {
	const { checkpoint, findings } = await readCheckpoint(checkpointText, keys);
	if (!checkpoint) return findings;
	const { size, root } = checkpoint;
	if ((rows[0]?.seq ?? 0) > 0 || rows.length < size)
		return [...findings, failure(`chain: lacks entries that the checkpoint of ${size} signs`)];
	const own = rootOfRows(rows.slice(0, size));
	const ifNot = `chain: its first ${size} entries have root ${own}, not the checkpoint's`;
	return [...findings, finding(own === root, `chain: its first ${size} entries are those of the checkpoint`, ifNot)];
}

/**
 * Checks a saved chain.
 * @param document what `GET /v1/handoff/chain/{workspace_id}` answers, or a list of its pages in order.
 * @param keys whose signatures count.
 * @param checkpoint text of a checkpoint that the chain is to agree with; null for none.
 */
export async function checkChain(document: unknown, keys: PublicKeys, checkpoint: string | null): Promise<Finding[]> {
	const read = documentSchema.safeParse(document);
	if (!read.success) return [failure("chain: is not what GET /v1/handoff/chain/{workspace_id} answers")];
	const pages = [read.data].flat();
	const rows = pages.flatMap(({ data }) => data.map(rowOf));
	const last = pages.at(-1);
	const names = new Set([...pages, ...rows].map(({ workspace_id }) => workspace_id));
	return [
		finding(names.size === 1, `workspace: ${[...names][0]}`, `workspace: entries of ${[...names].join(", ")}`),
		...(await entryFindings(rows, keys)),
		...besideFindings(pages),
		extentFinding(rows, last?.count ?? 0, last?.has_more ?? false),
		...(checkpoint === null ? [] : await checkpointFindings(rows, checkpoint, keys)),
	];
}
