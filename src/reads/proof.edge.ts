// Receipts and public keys, for anybody who wants to check.
import { decodeTime, isValid } from "ulid";
import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { findReceipt } from "../account/receipts.store.ts";
import type { Database } from "../db/client.edge.ts";
import { fail, ok } from "../failure.ts";
import { workspaceIdSchema } from "../ids.ts";
import { checkpointOrigin } from "../ledger/origin.ts";
import { vkeyOf } from "../proof/note.ts";
import { verifyReceipt } from "../proof/receipt.ts";

const publicKeySchema = z.lazy(() =>
	z.object({
		key_id: z.string(),
		status: z.enum(["current", "retired"]),
		public_key: z.string(),
		pem: z.string(),
		jwk: z.object({
			kty: z.literal("OKP"),
			crv: z.literal("Ed25519"),
			x: z.string(),
			kid: z.string(),
			use: z.literal("sig"),
			alg: z.literal("EdDSA"),
		}),
	}),
);

export const getPublicKeyEndpoint = endpoint({
	id: "get_public_key",
	method: "GET",
	path: "/v1/proof/pubkey",
	access: "public",
	summary:
		"The keys that verify this service's signatures; with a workspace's id and its owner's key, also the verifier key of its checkpoints.",
	query: z.lazy(() => z.object({ workspace_id: workspaceIdSchema.optional() })),
	result: z.lazy(() =>
		z.object({
			object: z.literal("proof.pubkey"),
			algorithm: z.literal("Ed25519"),
			enabled: z.boolean(),
			current: z.string().nullable(),
			keys: z.array(publicKeySchema),
			vkey: z.string().optional().describe("c2sp.org/signed-note verifier key, `<name>+<hash>+<key>`."),
		}),
	),
	async handle({ query, context }) {
		const { signer, publicKeys, logOrigin } = context.settings;
		const caller = query.workspace_id === undefined ? ok(null) : await context.caller();
		if (!caller.ok) return caller;
		const origin =
			query.workspace_id !== undefined && caller.value
				? checkpointOrigin(logOrigin, caller.value.userId, query.workspace_id)
				: null;
		return ok({
			object: "proof.pubkey" as const,
			algorithm: "Ed25519" as const,
			enabled: signer !== null,
			current: signer?.keyId ?? null,
			keys: publicKeys,
			...(signer && origin !== null ? { vkey: vkeyOf(origin, signer.publicKey) } : {}),
		});
	},
});

/** A receipt reaches D1 a moment after its answer; an id this young, by clocks this far apart, may still be on its way. */
const YOUNG_MS = 10_000;
const LOOKUP_EVERY_MS = 100;
const LOOKUP_FOR_MS = 1_000;

const REQUEST_ID_PREFIX = "svc-";

function ageMs(requestId: string, nowMs: number): number | null {
	const id = requestId.slice(REQUEST_ID_PREFIX.length);
	return requestId.startsWith(REQUEST_ID_PREFIX) && isValid(id) ? nowMs - decodeTime(id) : null;
}

async function lookUp(db: Database, requestId: string, nowMs: number) {
	const age = ageMs(requestId, nowMs);
	if (age === null) return undefined;
	for (let waitedMs = 0; ; waitedMs += LOOKUP_EVERY_MS) {
		const row = await findReceipt(db, requestId);
		if (row || Math.abs(age) > YOUNG_MS || waitedMs >= LOOKUP_FOR_MS) return row;
		await new Promise((resolve) => setTimeout(resolve, LOOKUP_EVERY_MS));
	}
}

export const getProofEndpoint = endpoint({
	id: "get_proof",
	method: "GET",
	path: "/v1/proof/{request_id}",
	access: "public",
	limited: true,
	summary: "The receipt of a request, recomputed and with its signature checked.",
	params: z.lazy(() => z.object({ request_id: z.string() })),
	result: z.lazy(() =>
		z.object({
			object: z.literal("proof"),
			request_id: z.string(),
			kind: z.string(),
			valid: z.boolean(),
			proof_hash: z.string(),
			recomputed_hash: z.string(),
			signed: z.boolean(),
			signature: z.string().nullable(),
			key_id: z.string().nullable(),
			receipt: z.record(z.string(), z.unknown()),
		}),
	),
	async handle({ params, context }) {
		const row = await context.timings.measure("d1", () => lookUp(context.db, params.request_id, context.startedAtMs));
		if (!row) return fail({ reason: "proof_not_found", message: "no receipt under this request id" });
		const { valid, recomputed_hash, receipt } = await verifyReceipt(row, context.settings.publicKeys);
		return ok({
			object: "proof" as const,
			request_id: row.request_id,
			kind: row.kind,
			// A sound receipt under another request's id proves nothing about this one.
			valid: valid && receipt["request_id"] === row.request_id,
			proof_hash: row.proof_hash,
			recomputed_hash,
			signed: row.signature !== null,
			signature: row.signature,
			key_id: row.key_id,
			receipt,
		});
	},
});
