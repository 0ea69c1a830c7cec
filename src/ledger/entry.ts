// A ledger entry: its columns, its canonical subject, and how a draft becomes the next entry of a chain. Storage and
// the verification of a chain are in other files. Pure.
import { utf8ToBytes } from "@noble/hashes/utils.js";
import type { HandoffKind, Risk } from "../policy/risk.ts";
import { canonicalJson } from "../proof/canonical.ts";
import { asHash, hashBytes } from "../proof/hash.ts";
import { leafHash } from "../proof/merkle.ts";
import { toOwnerDigest } from "../proof/note.ts";
import type { Signer } from "../proof/signing.ts";

export const HANDOFF_KINDS = [
	"edit",
	"refactor",
	"deploy",
	"review",
	"setup",
] as const satisfies readonly HandoffKind[];

/** UTF-8 bytes of the longest subject. Escaped twice inside one JSON parameter, it stays under D1's 2 MB. */
export const MAX_SUBJECT_BYTES = 262_144;

/** A risk or a validation step, as the caller names it. */
export interface HandoffItem {
	id: string;
	description: string;
}

/** A handoff as the caller gives it. */
export interface HandoffContent {
	objective: string;
	from_tool: string | null;
	to_tool: string | null;
	files_touched: string[];
	constraints: string[];
	risks: HandoffItem[];
	validation: HandoffItem[];
	recommended_next_action: string | null;
	action_kind: HandoffKind;
	/** USD, as received. */
	est_cost: number | null;
}

/** A handoff with its risk, which the service rates. */
export interface HandoffDraft extends HandoffContent {
	risk: Risk;
}

/**
 * One row of the handoffs table, in its column names. Lists and `est_cost` are canonical JSON; null when one does not
 * apply.
 */
export interface HandoffRow {
	id: string;
	user_id: string;
	/** As the origin of its checkpoints names the owner; null in entries of version 1, which name none. */
	owner: string | null;
	workspace_id: string;
	/** From 0. */
	seq: number;
	objective: string;
	from_tool: string | null;
	to_tool: string | null;
	files_touched: string;
	constraints: string;
	risks: string;
	validation: string;
	recommended_next_action: string | null;
	action_kind: string;
	est_cost: string | null;
	risk_score: number;
	risk_tier: string;
	risk_factors: string;
	prev_handoff_id: string | null;
	prev_hash: string | null;
	prev_signature: string | null;
	created_at: string;
	/** Canonical JSON: the text that is hashed and signed. */
	subject: string;
	/** H(subject). */
	hash: string;
	/** SHA-256(0x00 || subject), in the form of H. */
	leaf_hash: string;
	signature: string | null;
	key_id: string | null;
}

/** Columns that are not part of the subject. */
type SealColumn = "user_id" | "subject" | "hash" | "leaf_hash" | "signature" | "key_id";

/** The last entry of a chain, as the next entry refers to it. */
type ChainLink = Pick<HandoffRow, "seq" | "id" | "hash" | "signature" | "created_at">;

/** A scalar column as JSON. Never throws, because a column that was tampered with may hold anything. */
const toScalarJson = (value: unknown) => JSON.stringify(value ?? null);

/**
 * The subject of an entry's columns: `C({type:"svc.handoff.v2", …})`, or `svc.handoff.v1` for an entry without an owner, rendered
 * member by member in JCS order. JSON
 * columns go in unchanged, so a changed byte in any column changes the subject. In canonical JSON a member's name with
 * its colon occurs only as that member, so text cannot move between columns without changing the subject.
 */
export function renderSubject(row: Omit<HandoffRow, SealColumn>): string {
	const hasOwner = row.owner !== null && row.owner !== undefined;
	return [
		`{"action_kind":${toScalarJson(row.action_kind)}`,
		`"constraints":${row.constraints}`,
		`"created_at":${toScalarJson(row.created_at)}`,
		`"est_cost":${row.est_cost}`,
		`"files_touched":${row.files_touched}`,
		`"from_tool":${toScalarJson(row.from_tool)}`,
		`"id":${toScalarJson(row.id)}`,
		`"objective":${toScalarJson(row.objective)}`,
		...(hasOwner ? [`"owner":${toScalarJson(row.owner)}`] : []),
		`"prev_handoff_id":${toScalarJson(row.prev_handoff_id)}`,
		`"prev_hash":${toScalarJson(row.prev_hash)}`,
		`"prev_signature":${toScalarJson(row.prev_signature)}`,
		`"recommended_next_action":${toScalarJson(row.recommended_next_action)}`,
		`"risk":{"factors":${row.risk_factors},"score":${toScalarJson(row.risk_score)},"tier":${toScalarJson(row.risk_tier)}}`,
		`"risks":${row.risks}`,
		`"seq":${toScalarJson(row.seq)}`,
		`"to_tool":${toScalarJson(row.to_tool)}`,
		`"type":"svc.handoff.${hasOwner ? "v2" : "v1"}"`,
		`"validation":${row.validation}`,
		`"workspace_id":${toScalarJson(row.workspace_id)}}`,
	].join(",");
}

/** The columns that a draft fills, and no position in a chain changes. */
function toDraftColumns(draft: HandoffDraft) {
	return {
		objective: draft.objective,
		from_tool: draft.from_tool,
		to_tool: draft.to_tool,
		files_touched: canonicalJson(draft.files_touched),
		constraints: canonicalJson(draft.constraints),
		risks: canonicalJson(draft.risks),
		validation: canonicalJson(draft.validation),
		recommended_next_action: draft.recommended_next_action,
		action_kind: draft.action_kind,
		est_cost: draft.est_cost === null ? null : canonicalJson(draft.est_cost),
		risk_score: draft.risk.score,
		risk_tier: draft.risk.tier,
		risk_factors: canonicalJson(draft.risk.factors),
	} satisfies Partial<HandoffRow>;
}

/** Whether an entry is what a draft became under its id. */
export function isEntryOf(row: HandoffRow, { id, userId, workspaceId }: EntryIdentity, draft: HandoffDraft): boolean {
	const columns = { id, user_id: userId, workspace_id: workspaceId, ...toDraftColumns(draft) };
	return Object.entries(columns).every(([name, value]) => row[name as keyof HandoffRow] === value);
}

/** Identifies the entry that a draft becomes. */
interface EntryIdentity {
	id: string;
	userId: string;
	workspaceId: string;
}

/**
 * The entry that follows `previous` (null: the first one), signed when there is a signer. `created_at` never decreases
 * within a chain, even when the clocks of two machines differ.
 */
export function nextEntry(
	{ id, userId, workspaceId }: EntryIdentity,
	draft: HandoffDraft,
	previous: ChainLink | null,
	nowMs: number,
	signer: Pick<Signer, "keyId" | "signSync"> | null,
): HandoffRow {
	const now = new Date(nowMs).toISOString();
	const columns = {
		id,
		user_id: userId,
		owner: toOwnerDigest(userId),
		workspace_id: workspaceId,
		seq: previous ? previous.seq + 1 : 0,
		...toDraftColumns(draft),
		prev_handoff_id: previous?.id ?? null,
		prev_hash: previous?.hash ?? null,
		prev_signature: previous?.signature ?? null,
		created_at: previous && previous.created_at > now ? previous.created_at : now,
	};
	const subject = renderSubject(columns);
	const bytes = utf8ToBytes(subject);
	return {
		...columns,
		subject,
		hash: hashBytes(bytes),
		leaf_hash: asHash(leafHash(bytes)),
		signature: signer ? signer.signSync(subject) : null,
		key_id: signer?.keyId ?? null,
	};
}
