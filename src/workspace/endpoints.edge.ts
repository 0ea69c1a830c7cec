// Workspaces over HTTP: manifests, readiness, generated instruction files, snapshots.

import { ulid } from "ulid";
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { type CountWrite, makeCountedWrite } from "../account/counted-write.ts";
import { dropStored } from "../account/drop-stored.edge.ts";
import { endpoint } from "../account/endpoint.ts";
import { toPlainEvent } from "../audit/event.ts";
import { redactPayloadSecrets } from "../compliance/audit-secrets.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { booleanParam, integerParam, timestampParam } from "../http/query.ts";
import { isWorkspaceId, WORKSPACE_NOT_FOUND, workspaceParams } from "../ids.ts";
import type { HandoffRow } from "../ledger/entry.ts";
import { verifyStoredChain } from "../ledger/read-chain.edge.ts";
import { eventBytes } from "../meter/stored-bytes.ts";
import { DEFAULT_FORBIDDEN_COMMANDS, DEFAULT_PROTECTED_PATHS } from "../policy/defaults.ts";
import type { LoadPolicyEngine } from "../policy/engine.ts";
import {
	defaultManifest,
	manifestDigest,
	manifestRequestSchema,
	normalizeManifest,
	type WorkspaceManifest,
} from "../policy/manifest.ts";
import {
	deleteManifests,
	findManifest,
	type StoredManifest,
	type StoreVerdict,
	storeManifest,
} from "../policy/manifests.store.ts";
import { generateArtifacts } from "./artifacts.ts";
import { listWorkspacesEndpoint } from "./list-endpoint.edge.ts";
import { toManifestDeletedEvent, toManifestEvent } from "./manifest-event.ts";
import { scoreReadiness } from "./readiness.ts";
import { artifactsResultSchema, manifestResultSchema, readinessResultSchema, snapshotResultSchema } from "./schemas.ts";
import { type HandoffSummary, HandoffSums, toSnapshot } from "./snapshot.ts";

const DEFAULT_TAIL = 50;
const MAX_TAIL = 200;

/**
 * Makes a manifest the policy of its workspace. An agent's key leaves the policy as it is, because an agent must not change the
 * rules that it works under.
 * @param baseDigest of the manifest that must be in force; undefined for any.
 */
async function activateManifest(
	context: KeyContext,
	manifest: WorkspaceManifest,
	baseDigest?: string,
): Promise<Result<StoreVerdict>> {
	const { account, db, startedAtMs, timings, settings } = context;
	if (account.key.role !== "owner") return ok("unchanged");
	const createdAt = new Date(startedAtMs).toISOString();
	const toEvent = async (before: StoredManifest | null) => {
		const event = toManifestEvent(account, before, manifest);
		const payload = await redactPayloadSecrets(event.payload, settings);
		const nowMs = Date.now();
		return toPlainEvent({ ...event, payload }, ulid(nowMs), nowMs);
	};
	const store = (count: CountWrite) =>
		storeManifest(db, account.userId, { manifest, createdAt, baseDigest, toEvent, count });
	return timings.measure("d1", () => makeCountedWrite(context, store, (verdict) => verdict === "stored"));
}

function toHandoffSummary({
	id,
	objective,
	from_tool,
	to_tool,
	created_at,
	risk_tier,
	risk_score,
	signature,
}: HandoffRow): HandoffSummary {
	return { id, objective, from_tool, to_tool, created_at, risk_tier, risk_score, signed: signature !== null };
}

/** Verifies a workspace's chain, and sums up its handoffs from `since` on. */
async function sumHandoffs(context: KeyContext, workspaceId: string, tailLimit: number, since?: string) {
	const sums = new HandoffSums(tailLimit);
	const verdict = await verifyStoredChain(context, workspaceId, {}, (rows) => {
		for (const row of rows) if (since === undefined || row.created_at >= since) sums.add(toHandoffSummary(row));
	});
	return { sums, verdict };
}

const checkReadinessEndpoint = (loadEngine: LoadPolicyEngine) =>
	endpoint({
		id: "check_workspace_readiness",
		method: "POST",
		effect: "replaces",
		path: "/v1/workspace/readiness",
		access: "key",
		toolGroup: "workspaces",
		page: "workspaces",
		summary: "Scores how ready a workspace is for agents, with advice; its manifest becomes the workspace's policy.",
		description:
			"For advice on what a workspace lacks before agents work in it. It replaces the workspace's policy by the manifest given, unless `activate` is false or the key's role is agent.",
		body: z.lazy(() =>
			manifestRequestSchema.unwrap().extend({
				activate: z
					.boolean()
					.nullish()
					.describe("False scores the manifest and leaves the policy as it is. Default: true."),
			}),
		),
		result: readinessResultSchema,
		ids: { workspace_id: { chosenIn: "create_handoff" } },
		example: {
			body: {
				workspace_id: "order-service",
				project_name: "Order service",
				stack: ["TypeScript 5", "Hono"],
				protected_paths: ["infra/", "migrations/"],
				forbidden_commands: ["git push --force", "terraform apply"],
				require_handoffs: true,
				require_risk_gate: true,
			},
		},
		async handle({ body, context }) {
			// Before anything is changed.
			const { compilePathMatcher, compileCommandMatcher } = await loadEngine();
			const manifest = normalizeManifest(body);
			const activated = body.activate === false ? ok("unchanged" as const) : await activateManifest(context, manifest);
			if (!activated.ok) return activated;
			const { sums, verdict } = await sumHandoffs(context, manifest.workspace_id, 0);
			const ledger = {
				handoffs: sums.count,
				signedShare: sums.count === 0 ? null : sums.signed / sums.count,
				ok: verdict.ok,
				signingEnabled: context.settings.signer !== null,
			};
			return ok({
				...scoreReadiness(manifest, ledger, { protects: compilePathMatcher, forbids: compileCommandMatcher }),
				policy_updated: activated.value === "stored",
			});
		},
	});

const generateArtifactsEndpoint = endpoint({
	id: "generate_workspace_files",
	method: "POST",
	path: "/v1/workspace/generate",
	access: "key",
	internal: true,
	toolGroup: null,
	summary: "Writes a workspace's instruction files for agents; its manifest becomes the workspace's policy.",
	body: manifestRequestSchema,
	result: artifactsResultSchema,
	ids: { workspace_id: { chosenIn: "create_handoff" } },
	example: { body: { workspace_id: "order-service" } },
	async handle({ body, context }) {
		const manifest = normalizeManifest(body);
		const verdict = await activateManifest(context, manifest);
		if (!verdict.ok) return verdict;
		const policy_updated = verdict.value === "stored";
		const builtIns = { protectedPaths: DEFAULT_PROTECTED_PATHS, forbiddenCommands: DEFAULT_FORBIDDEN_COMMANDS };
		return ok({ ...generateArtifacts(manifest, builtIns), policy_updated });
	},
});

const getSnapshotEndpoint = endpoint({
	id: "get_workspace_snapshot",
	method: "GET",
	path: "/v1/workspace/{workspace_id}/snapshot",
	access: "key",
	toolGroup: "workspaces",
	page: "workspaces",
	summary:
		"A workspace at a glance: its handoffs' risks and signatures, whether the chain is intact, the last entries.",
	description: "For an overview before going into detail with get_handoff_chain.",
	params: workspaceParams,
	query: z.lazy(() =>
		z.object({
			limit: integerParam(1, MAX_TAIL).default(DEFAULT_TAIL).describe("Handoffs in the tail."),
			since: timestampParam
				.optional()
				.describe("Counts handoffs created then or later; the verdict is on the whole chain."),
		}),
	),
	result: snapshotResultSchema,
	ids: { workspace_id: { chosenIn: "create_handoff" } },
	async handle({ params: { workspace_id }, query, context }) {
		if (!isWorkspaceId(workspace_id)) return fail(WORKSPACE_NOT_FOUND);
		const { sums, verdict } = await sumHandoffs(context, workspace_id, query.limit, query.since);
		return ok(toSnapshot(workspace_id, sums, verdict));
	},
});

/** Loads a manifest as responses show it: the one in force, or an older version. Null for a version that there is not. */
async function loadManifest({ account, db, timings }: KeyContext, workspaceId: string, version?: number) {
	const key = { userId: account.userId, workspaceId };
	const stored = await timings.measure("d1", () => findManifest(db, key, version));
	if (!stored && version !== undefined) return null;
	const manifest = stored?.manifest ?? defaultManifest(workspaceId);
	return {
		object: "workspace.manifest" as const,
		workspace_id: workspaceId,
		source: stored ? ("stored" as const) : ("default" as const),
		version: stored?.version ?? null,
		digest: stored?.digest ?? manifestDigest(manifest),
		updated_at: stored?.updatedAt ?? null,
		manifest,
	};
}

const NO_MANIFEST: Failure = { reason: "manifest_not_found", message: "the workspace has no manifest of this version" };
const NOTHING_TO_DELETE: Failure = {
	reason: "manifest_not_found",
	message: "the workspace has no manifest of its own",
};
const NO_OLDER_MANIFEST: Failure = { reason: "manifest_not_found", message: "the workspace has no older manifest" };

const getManifestEndpoint = endpoint({
	id: "get_workspace_manifest",
	method: "GET",
	path: "/v1/workspace/{workspace_id}/manifest",
	access: "key",
	toolGroup: "workspaces",
	page: "workspaces",
	summary: "The manifest that is a workspace's policy, or one that was.",
	description: "To see which paths are protected and which commands are forbidden before acting.",
	params: workspaceParams,
	query: z.lazy(() =>
		z.object({
			version: integerParam(1, Number.MAX_SAFE_INTEGER)
				.optional()
				.describe("An older one; by default the one in force."),
		}),
	),
	result: manifestResultSchema,
	ids: { workspace_id: { chosenIn: "put_workspace_manifest" } },
	async handle({ params: { workspace_id }, query, context }) {
		if (!isWorkspaceId(workspace_id)) return fail(WORKSPACE_NOT_FOUND);
		const manifest = await loadManifest(context, workspace_id, query.version);
		return manifest ? ok(manifest) : fail(NO_MANIFEST);
	},
});

const putManifestEndpoint = endpoint({
	id: "put_workspace_manifest",
	method: "PUT",
	path: "/v1/workspace/{workspace_id}/manifest",
	access: "key",
	roles: ["owner"],
	toolGroup: "workspaces",
	page: "workspaces",
	summary: "Sets the manifest that is a workspace's policy.",
	description:
		"It replaces the whole manifest; older versions are kept and can be read. Protected paths and forbidden commands decide what check_policy says.",
	params: workspaceParams,
	body: z.lazy(() =>
		manifestRequestSchema
			.unwrap()
			.partial({ workspace_id: true })
			.extend({
				base_digest: z
					.string()
					.nullish()
					.describe(
						"Digest of the manifest that this one is to replace. If another is in force by then, nothing changes.",
					),
			}),
	),
	result: z.lazy(() => manifestResultSchema.unwrap().extend({ policy_updated: z.boolean() })),
	ids: { workspace_id: { chosenIn: "put_workspace_manifest" } },
	example: {
		params: { workspace_id: "order-service" },
		body: { protected_paths: ["infra/"], forbidden_commands: ["git push --force"] },
	},
	async handle({ params: { workspace_id }, body, context }) {
		if (!isWorkspaceId(workspace_id)) return fail(WORKSPACE_NOT_FOUND);
		if (body.workspace_id !== undefined && body.workspace_id !== workspace_id) {
			const message = "differs from the workspace in the path";
			return fail({ reason: "invalid_request", issues: [{ path: "workspace_id", message }] });
		}
		const { base_digest: base, ...requested } = body;
		const wanted = normalizeManifest({ ...requested, workspace_id });
		const verdict = await activateManifest(context, wanted, base ?? undefined);
		if (!verdict.ok) return verdict;
		const manifest = await loadManifest(context, workspace_id);
		if (!manifest) return fail(NO_MANIFEST);
		const { digest, version } = manifest;
		if (verdict.value === "overtaken") return fail({ reason: "manifest_changed", digest, version });
		return ok({ ...manifest, policy_updated: verdict.value === "stored" });
	},
});

const deleteManifestEndpoint = endpoint({
	id: "delete_workspace_manifest",
	method: "DELETE",
	path: "/v1/workspace/{workspace_id}/manifest",
	access: "key",
	roles: ["owner"],
	toolGroup: null,
	summary: "Deletes a workspace's manifest with all its versions, or the older versions only, and frees their bytes.",
	description: "Without a manifest only the built-in rules apply. Checks, handoffs and events stay.",
	params: workspaceParams,
	query: z.lazy(() =>
		z.object({
			older_only: booleanParam()
				.default(false)
				.describe("With true the manifest in force stays, and only the versions before it are deleted."),
		}),
	),
	result: z.lazy(() =>
		z.object({
			object: z.literal("workspace.manifest"),
			workspace_id: z.string(),
			deleted: z.literal(true),
			versions: z.int().describe("How many are gone."),
			freed_bytes: z.int(),
		}),
	),
	ids: { workspace_id: { chosenIn: "put_workspace_manifest" } },
	async handle({ params: { workspace_id }, query: { older_only: olderOnly }, context }) {
		if (!isWorkspaceId(workspace_id)) return fail(WORKSPACE_NOT_FOUND);
		const { account, db, requestId, settings, timings } = context;
		const toEvent = async (inForce: StoredManifest) => {
			const event = toManifestDeletedEvent(account, inForce, olderOnly);
			const payload = await redactPayloadSecrets(event.payload, settings);
			const nowMs = Date.now();
			return toPlainEvent({ ...event, payload }, ulid(nowMs), nowMs);
		};
		const key = { userId: account.userId, workspaceId: workspace_id };
		const deleted = await timings.measure("d1", () => deleteManifests(db, key, { olderOnly, toEvent }));
		if (!deleted) return fail(olderOnly ? NO_OLDER_MANIFEST : NOTHING_TO_DELETE);
		const { versions, freedBytes, event } = deleted;
		const deletion = { keptBytes: freedBytes, eventBytes: eventBytes(event.payload) };
		await dropStored(`manifests deleted by ${requestId}`, account.userId, deletion, context);
		return ok({
			object: "workspace.manifest" as const,
			workspace_id,
			deleted: true as const,
			versions,
			freed_bytes: freedBytes,
		});
	},
});

export const workspaceEndpoints = (loadEngine: LoadPolicyEngine): readonly Endpoint[] => [
	checkReadinessEndpoint(loadEngine),
	generateArtifactsEndpoint,
	getSnapshotEndpoint,
	getManifestEndpoint,
	putManifestEndpoint,
	listWorkspacesEndpoint,
	deleteManifestEndpoint,
];
