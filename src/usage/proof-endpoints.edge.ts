// Receipts and public keys, for anybody who wants to check.

import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { type Failure, fail, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { workspaceIdSchema } from "../ids.ts";
import { checkpointOrigin, toVkey } from "../proof/note.ts";
import { verifyReceipt } from "../proof/receipt.ts";
import { lookUpReceipt } from "./receipt-lookup.edge.ts";

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

const getPublicKeyEndpoint = endpoint({
	id: "get_public_key",
	method: "GET",
	path: "/v1/proof/pubkey",
	access: "public",
	toolGroup: "proofs",
	summary:
		"The keys that verify this service's signatures; with a workspace's id and its owner's key, also the verifier key of its checkpoints.",
	description:
		"To check receipts, handoffs and checkpoints offline. These are public keys; API keys are shown by no tool.",
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
			...(signer && origin !== null ? { vkey: toVkey(origin, signer.publicKey) } : {}),
		});
	},
});

const NO_PROOF: Failure = { reason: "proof_not_found", message: "no receipt under this request id" };

export const proofSchema = z.lazy(() =>
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
);

const getProofEndpoint = endpoint({
	id: "get_proof",
	method: "GET",
	path: "/v1/proof/{request_id}",
	access: "public",
	limited: true,
	conditional: "strong",
	// A receipt never changes.
	cacheControl: "public, max-age=3600",
	toolGroup: "proofs",
	command: "verify",
	page: "requests",
	summary: "The receipt of a request, recomputed and with its signature checked.",
	description:
		"To check that an answer is this service's and was not changed; `request_id` is the answer's `id` or `svc.proof.request_id`.",
	params: z.lazy(() => z.object({ request_id: z.string() })),
	result: proofSchema,
	ids: { request_id: { answerOf: "create_chat_completion", member: "id" } },
	async handle({ params, context }) {
		const found = await lookUpReceipt(context, params.request_id);
		if (!found.ok) return found;
		const row = found.value;
		if (!row) return fail(NO_PROOF);
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

export const proofEndpoints: readonly Endpoint[] = [getPublicKeyEndpoint, getProofEndpoint];
