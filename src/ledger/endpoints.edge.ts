// The handoff ledger over HTTP: append, fetch, the verified chain, checkpoints and tree proofs.

import { isValid, ulid } from "ulid";
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { toActor } from "../audit/event.ts";
import { readFromOwners } from "../audit/owners.edge.ts";
import { agentLimitNanoUsd } from "../catalog/plans.ts";
import { type Failure, fail, type Issue, ok, type Result } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { integerParam } from "../http/query.ts";
import { isWorkspaceId, WORKSPACE_NOT_FOUND, workspaceParams } from "../ids.ts";
import { asHash } from "../proof/hash.ts";
import { consistencyProof, inclusionProof, merkleRoot } from "../proof/merkle.ts";
import { usd } from "../proof/money.ts";
import { checkpointOrigin } from "../proof/note.ts";
import { type HandoffRow, MAX_SUBJECT_BYTES } from "./entry.ts";
import {
	contentBytes,
	handoffBytes,
	handoffRequestSchema,
	handoffSchema,
	toHandoff,
	toHandoffContent,
	toHandoffDraft,
} from "./handoff.ts";
import { findHandoff } from "./handoffs.store.ts";
import { ledgerClient } from "./ledger-client.edge.ts";
import { readChain, readLeaves } from "./read-chain.edge.ts";
import { isRestoredLog } from "./restored-log.store.ts";

const HANDOFF_ID_PREFIX = "ho_";
const MAX_PAGE_ENTRIES = 1_000;

/** A size of a chain or a seq in it. The chain decides whether it exists. */
const sizeOrSeq = integerParam(0, 1e15);

export const NO_SIGNING_KEY: Failure = {
	reason: "signing_unavailable",
	message: "this needs a signature, and the service has no signing key now",
};

/** A restored chain may have been larger, and its checkpoints may have been signed. */
function restoredLog(logOrigin: string): Failure {
	const message = `this service was restored from a backup, and larger checkpoints may have been signed as ${logOrigin} since then; it signs none under that name: the operator has to choose another LOG_ORIGIN`;
	return { reason: "chain_restored", message };
}

function invalidRequest(issue: Issue) {
	return fail({ reason: "invalid_request", issues: [issue] });
}

function subjectTooLarge(bytes: number) {
	const message = `the handoff's subject would have ${bytes} bytes; ${MAX_SUBJECT_BYTES} are allowed`;
	return invalidRequest({ path: "", message });
}

const createHandoffEndpoint = endpoint({
	id: "create_handoff",
	method: "POST",
	path: "/v1/handoff",
	access: "key",
	admission: "handler",
	toolGroup: "handoffs",
	isDefaultTool: true,
	command: "handoff",
	summary: "Appends a signed handoff to a workspace's chain.",
	description:
		"At the end of a piece of work, to tell the next agent or person what was done, what to mind and what to do first. It cannot be changed afterwards.",
	body: handoffRequestSchema,
	result: handoffSchema,
	ids: { workspace_id: { chosenIn: "create_handoff" } },
	example: {
		body: {
			workspace_id: "order-service",
			objective: "Deploy the cache to production",
			from_tool: "coder",
			to_tool: "Ada",
			action_kind: "deploy",
		},
	},
	async handle({ body, context }) {
		const { account, startedAtMs } = context;
		const content = toHandoffContent(body);
		// A handoff that is too large is refused before its risk is rated: matching paths takes time in proportion to
		// their length.
		const bytes = contentBytes(content);
		if (bytes > MAX_SUBJECT_BYTES) return subjectTooLarge(bytes);
		const counted = await context.store({ rollingBytes: handoffBytes(bytes), keptBytes: 0 });
		if (!counted.ok) return counted;
		const verdict = await ledgerClient(context.env, account.userId, body.workspace_id).append({
			id: `${HANDOFF_ID_PREFIX}${ulid(startedAtMs)}`,
			eventId: `ae_${ulid(startedAtMs)}`,
			userId: account.userId,
			workspaceId: body.workspace_id,
			actor: toActor(account),
			draft: toHandoffDraft(content, usd(agentLimitNanoUsd(account.plan))),
		});
		if (!verdict.appended) {
			await context.giveBackStored();
			if (verdict.reason === "id_taken") throw new Error("another handoff has the id of a new one");
			return verdict.reason === "signing_unavailable" ? fail(NO_SIGNING_KEY) : subjectTooLarge(verdict.bytes);
		}
		return ok(toHandoff(verdict.entry));
	},
});

/**
 * A caller's entry: from D1, else from a ledger that has not flushed it, else from D1 again, in case it was flushed
 * meanwhile.
 */
async function lookUpHandoff(context: KeyContext, id: string): Promise<Result<HandoffRow | undefined>> {
	const { db, env, account } = context;
	const stored = await findHandoff(db, account.userId, id);
	if (stored) return ok(stored);
	const answers = await readFromOwners(context, "workspace", (key) =>
		ledgerClient(env, account.userId, key.id).find(id),
	);
	if (!answers.ok) return answers;
	return ok(answers.value.find(({ entry }) => entry)?.entry ?? (await findHandoff(db, account.userId, id)));
}

const getHandoffEndpoint = endpoint({
	id: "get_handoff",
	method: "GET",
	path: "/v1/handoff/{handoff_id}",
	access: "key",
	toolGroup: "handoffs",
	summary: "One handoff of the caller's.",
	description: "By its id, which begins with `ho_`.",
	params: z.lazy(() => z.object({ handoff_id: z.string() })),
	result: handoffSchema,
	ids: { handoff_id: { answerOf: "create_handoff", member: "id" } },
	async handle({ params: { handoff_id: id }, context }) {
		const isId = id.startsWith(HANDOFF_ID_PREFIX) && isValid(id.slice(HANDOFF_ID_PREFIX.length));
		const found = isId ? await lookUpHandoff(context, id) : ok(undefined);
		if (!found.ok) return found;
		const unknown: Failure = { reason: "handoff_not_found", message: "no handoff under this id" };
		return found.value ? ok(toHandoff(found.value)) : fail(unknown);
	},
});

/** `GET /v1/handoff/chain/{workspace_id}`. */
export const handoffChainSchema = z.lazy(() =>
	z.object({
		object: z.literal("handoff.chain"),
		workspace_id: z.string(),
		count: z.int().describe("Entries of the whole chain."),
		data: z.array(handoffSchema),
		has_more: z.boolean(),
		verification: z.object({
			ok: z.boolean().describe("All entries verify."),
			n: z.int().describe("Entries that were checked."),
			first_broken_index: z.int().nullable().describe("The first entry that does not verify."),
			owner: z.string().nullable().describe("Whose workspace its entries say that it is; null when none does."),
			notes: z.array(z.string()).describe("What the verdict does not tell."),
			reasons: z.array(z.string()).describe("`<name>:<position>`, the lowest hundred."),
			signing_enabled: z.boolean().describe("Whether this service signs."),
			complete: z.boolean().nullable().describe("Whether what was expected is there; null without expectations."),
		}),
		pubkey_endpoint: z.string(),
	}),
);

const getHandoffChainEndpoint = endpoint({
	id: "get_handoff_chain",
	method: "GET",
	path: "/v1/handoff/chain/{workspace_id}",
	access: "key",
	toolGroup: "handoffs",
	isDefaultTool: true,
	command: "chain",
	page: "workspaces",
	summary: "A workspace's chain, oldest first, in pages; the verdict is on all of it.",
	description:
		"At the start of work in a workspace, to read what was handed on, and to see that nothing of it was changed.",
	params: workspaceParams,
	query: z.lazy(() =>
		z.object({
			limit: integerParam(1, MAX_PAGE_ENTRIES)
				.default(MAX_PAGE_ENTRIES)
				.describe("Entries per page; large entries make a page end before."),
			after: sizeOrSeq.optional().describe("Only entries with a larger seq."),
			expected_size: sizeOrSeq.optional().describe("Entries the reader knows of."),
			expected_head: z
				.string()
				.regex(/^sha256:[0-9a-f]{64}$/, "must be sha256: and 64 lower-case hex digits")
				.optional()
				.describe("Hash of the entry at that size, or of any entry."),
		}),
	),
	result: handoffChainSchema,
	ids: { workspace_id: { chosenIn: "create_handoff" } },
	async handle({ params: { workspace_id }, query, context }) {
		if (!isWorkspaceId(workspace_id)) return fail(WORKSPACE_NOT_FOUND);
		const { limit, after, expected_size: size, expected_head: head } = query;
		const { entries, hasMore, verdict } = await readChain(context, workspace_id, {
			limit,
			after,
			expected: { size, head },
		});
		return ok({
			object: "handoff.chain" as const,
			workspace_id,
			count: verdict.n,
			data: entries.map(toHandoff),
			has_more: hasMore,
			verification: { ...verdict, signing_enabled: context.settings.signer !== null },
			pubkey_endpoint: `${context.origin}/v1/proof/pubkey`,
		});
	},
});

const getHandoffCheckpointEndpoint = endpoint({
	id: "get_handoff_checkpoint",
	method: "GET",
	path: "/v1/handoff/chain/{workspace_id}/checkpoint",
	access: "key",
	toolGroup: null,
	page: "workspaces",
	summary: "A signed statement of the chain's size and root, in the C2SP checkpoint format.",
	params: workspaceParams,
	mediaType: "text/plain",
	result: z.string(),
	ids: { workspace_id: { chosenIn: "create_handoff" } },
	async handle({ params: { workspace_id }, context }) {
		if (!isWorkspaceId(workspace_id)) return fail(WORKSPACE_NOT_FOUND);
		const { userId } = context.account;
		const { logOrigin } = context.settings;
		if (await isRestoredLog(context.db, logOrigin)) return fail(restoredLog(logOrigin));
		const origin = checkpointOrigin(logOrigin, userId, workspace_id);
		const note = await ledgerClient(context.env, userId, workspace_id).checkpoint(origin);
		return note === null ? fail(NO_SIGNING_KEY) : ok(note);
	},
});

const proofQuery = z.lazy(() =>
	z.object({
		index: sizeOrSeq.optional().describe("Proves that the entry with this `seq` is in the chain."),
		size: sizeOrSeq.optional().describe("Size of the tree that it is in; the whole chain by default."),
		from: sizeOrSeq.optional().describe("Proves that a tree goes on from the one of this size,"),
		to: sizeOrSeq.optional().describe("and is of this size."),
	}),
);

/** The proof that a query requests of a tree of `size` leaves, or the failure for an invalid query. */
function parseProofQuery(query: z.output<typeof proofQuery>, size: number) {
	const { index, from, to } = query;
	if (index !== undefined && from === undefined && to === undefined) {
		const treeSize = query.size ?? size;
		if (treeSize > size) return invalidRequest({ path: "size", message: `the chain has ${size} entries` });
		if (index >= treeSize)
			return invalidRequest({ path: "index", message: `must be below the tree's size, ${treeSize}` });
		return ok({ kind: "inclusion" as const, index, size: treeSize });
	}
	if (from !== undefined && to !== undefined && index === undefined && query.size === undefined) {
		if (to > size) return invalidRequest({ path: "to", message: `the chain has ${size} entries` });
		if (from > to) return invalidRequest({ path: "from", message: "must not be above to" });
		return ok({ kind: "consistency" as const, from, to });
	}
	return invalidRequest({ path: "", message: "give either index (and size), or from and to" });
}

type ProofRequest = Extract<ReturnType<typeof parseProofQuery>, { ok: true }>["value"];

function buildProof(request: ProofRequest, leaves: readonly Uint8Array[]) {
	const object = "handoff.proof" as const;
	if (request.kind === "inclusion") {
		const { kind, index, size } = request;
		const hashes = inclusionProof(leaves, index, size).map(asHash);
		const leaf_hash = asHash(leaves[index] ?? new Uint8Array());
		return { object, kind, size, index, leaf_hash, root: asHash(merkleRoot(leaves.slice(0, size))), hashes };
	}
	const { kind, from, to } = request;
	const hashes = consistencyProof(leaves, from, to).map(asHash);
	return { object, kind, size: to, from, to, leaf_hash: null, root: asHash(merkleRoot(leaves.slice(0, to))), hashes };
}

const getHandoffProofEndpoint = endpoint({
	id: "get_handoff_proof",
	method: "GET",
	path: "/v1/handoff/chain/{workspace_id}/proof",
	access: "key",
	toolGroup: "handoffs",
	page: "workspaces",
	summary: "Shows that an entry is in the chain's tree (index), or that one tree continues another (from, to).",
	description: "For auditors: an RFC 6962 proof against a checkpoint's root. To read handoffs, use get_handoff_chain.",
	params: workspaceParams,
	query: proofQuery,
	result: z.lazy(() =>
		z.object({
			object: z.literal("handoff.proof"),
			kind: z.enum(["inclusion", "consistency"]),
			size: z.int().describe("Entries of the tree with this root."),
			index: z.int().optional(),
			from: z.int().optional(),
			to: z.int().optional(),
			leaf_hash: z.string().nullable().describe("Of an inclusion; null for consistency."),
			root: z.string(),
			hashes: z.array(z.string()),
		}),
	),
	ids: { workspace_id: { chosenIn: "create_handoff" } },
	example: { query: { from: "0", to: "0" } },
	async handle({ params: { workspace_id }, query, context }) {
		if (!isWorkspaceId(workspace_id)) return fail(WORKSPACE_NOT_FOUND);
		const { state, leaves } = await readLeaves(context, workspace_id);
		const request = parseProofQuery(query, state.size);
		if (!request.ok) return request;
		if (leaves) return ok(buildProof(request.value, leaves));
		const message = "the stored entries are not those of this chain's tree; its verification says where";
		return fail({ reason: "chain_broken", message });
	},
});

export const ledgerEndpoints: readonly Endpoint[] = [
	createHandoffEndpoint,
	getHandoffCheckpointEndpoint,
	getHandoffProofEndpoint,
	getHandoffChainEndpoint,
	getHandoffEndpoint,
];
