// Backup and restore for the operator, in pages. `npm run backup` and `npm run restore` call them in order.
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { ulid } from "ulid";
import * as z from "zod";
import type { ServiceContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import type { PartVerdict } from "../durable/restored-rows.edge.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { parseJson } from "../json.ts";
import type { Settings } from "../settings.ts";
import {
	BACKED_UP_TABLES,
	BACKUP_FORMAT,
	BACKUP_VERSION,
	type BackupHeader,
	backupHeaderSchema,
	backupRowSchema,
	findHeaderFaults,
	OBJECT_CLASSES,
	objectRecordSchema,
	type SecretMarks,
} from "./backup.ts";
import { finishObject, pagePositionSchema, putPart, readObjects } from "./objects.edge.ts";
import { beginRestore, findContents, findRestore, finishRestore, listFirstKeys } from "./restores.store.ts";
import { fillTable, readTable, tableKeySchema, unknownColumns } from "./tables.store.ts";

/** Marks of this service's secrets, from which none can be found. */
function markSecrets({ signer, keyPepper, logOrigin }: Settings): SecretMarks {
	const mark = bytesToHex(hmac(sha256, utf8ToBytes(keyPepper), utf8ToBytes("svc.backup.v1")));
	return { signing_key: signer?.keyId ?? null, key_pepper: mark.slice(0, 16), log_origin: logOrigin };
}

const backupHeaderEndpoint = endpoint({
	id: "operator_begin_backup",
	method: "GET",
	path: "/internal/backup",
	access: "operator",
	summary: "The header of a new backup: whose it is, without a secret.",
	result: backupHeaderSchema,
	async handle({ context: { settings, startedAtMs } }) {
		return ok({
			format: BACKUP_FORMAT,
			version: BACKUP_VERSION,
			backup_id: `bak_${ulid(startedAtMs)}`,
			created_at: new Date(startedAtMs).toISOString(),
			secrets: markSecrets(settings),
		} satisfies BackupHeader);
	},
});

const afterParam = z.string().default("").describe("`next` of the answer before.");

const INVALID_CURSOR: Failure = {
	reason: "invalid_request",
	issues: [{ path: "after", message: "is not the `next` of an answer" }],
};

/** What a cursor says; null for the first page. */
function parseCursor<T>(after: string, schema: z.ZodType<T>): Result<T | null> {
	if (after === "") return ok(null);
	const json = parseJson(after);
	const position = json === undefined ? null : schema.safeParse(json);
	return position?.success ? ok(position.data) : fail(INVALID_CURSOR);
}

const backupObjectsEndpoint = endpoint({
	id: "operator_back_up_objects",
	method: "GET",
	path: "/internal/backup/objects",
	access: "operator",
	summary: "The rows of all Durable Objects, some objects a page.",
	query: z.lazy(() => z.object({ after: afterParam })),
	result: z.lazy(() =>
		z.object({ object: z.literal("list"), data: z.array(objectRecordSchema), next: z.string().nullable() }),
	),
	example: { query: { after: '{"kind":"WorkspaceLedger","key":null}' } },
	async handle({ query: { after }, context }) {
		const position = parseCursor(after, pagePositionSchema);
		if (!position.ok) return position;
		const { records, next } = await readObjects(context, position.value);
		return ok({ object: "list" as const, data: records, next });
	},
});

const backupRowsEndpoint = endpoint({
	id: "operator_back_up_rows",
	method: "GET",
	path: "/internal/backup/rows",
	access: "operator",
	summary: "The rows of a table in D1, a megabyte a page.",
	query: z.lazy(() => z.object({ table: z.enum(BACKED_UP_TABLES), after: afterParam })),
	result: z.lazy(() =>
		z.object({ object: z.literal("list"), data: z.array(backupRowSchema), next: z.string().nullable() }),
	),
	example: { query: { table: "users" } },
	async handle({ query: { table, after }, context: { db } }) {
		const key = parseCursor(after, tableKeySchema(table));
		if (!key.ok) return key;
		const { rows, next } = await readTable(db, table, key.value);
		return ok({ object: "list" as const, data: rows, next });
	},
});

const backupId = { backup_id: z.string() };

const restoreRequestSchema = z.lazy(() =>
	z.discriminatedUnion("step", [
		z.strictObject({ step: z.literal("check"), header: backupHeaderSchema }),
		z.strictObject({ step: z.literal("begin"), header: backupHeaderSchema }),
		z.strictObject({
			step: z.literal("rows"),
			...backupId,
			table: z.enum(BACKED_UP_TABLES),
			rows: z.array(backupRowSchema),
		}),
		z.strictObject({
			step: z.literal("object"),
			...backupId,
			...objectRecordSchema.pick({ class: true, name: true, part: true, version: true, rows: true }).shape,
		}),
		z.strictObject({
			step: z.literal("apply"),
			...backupId,
			objects: z
				.array(
					z.strictObject({
						class: z.enum(OBJECT_CLASSES),
						name: z.string(),
						parts: z.int().describe("How many the object was sent."),
					}),
				)
				.max(20),
		}),
		z.strictObject({ step: z.literal("finish"), ...backupId }),
	]),
);
type RestoreRequest = z.infer<typeof restoreRequestSchema>;

const restoreResultSchema = z.lazy(() =>
	z.object({
		object: z.literal("restore"),
		state: z.enum(["possible", "impossible", "begun", "finished"]),
		faults: z.array(z.string()).describe("Why it is impossible."),
	}),
);
type RestoreResult = z.infer<typeof restoreResultSchema>;

const answer = (state: RestoreResult["state"], faults: string[] = []): RestoreResult => ({
	object: "restore",
	state,
	faults,
});

function refuse(faults: string[]): Failure {
	return { reason: "restore_refused", message: `nothing was restored: ${faults.join("; ")}`, faults };
}

/** What stands between this service and a backup, or how far its restore has come. */
async function checkRestore({ db, settings }: ServiceContext, header: BackupHeader): Promise<RestoreResult> {
	const known = await findRestore(db);
	if (known?.backupId === header.backup_id) return answer(known.finishedAt === null ? "begun" : "finished");
	const faults = findHeaderFaults(header, markSecrets(settings));
	if (known)
		faults.push(
			known.finishedAt === null
				? `the restore of ${known.backupId} has begun here; finish it, or begin with an empty deployment`
				: `this deployment was restored from ${known.backupId}`,
		);
	else {
		const contents = await findContents(db);
		if (contents.length > 0) faults.push(`this deployment is not empty: it has ${contents.join(", ")}`);
	}
	return answer(faults.length > 0 ? "impossible" : "possible", faults);
}

/** Begins a restore, or goes on with it. The key that a new deployment was given ends, and its user. */
async function begin(context: ServiceContext, header: BackupHeader): Promise<Result<RestoreResult>> {
	const { db, meter, startedAtMs } = context;
	const checked = await checkRestore(context, header);
	if (checked.state === "impossible") return fail(refuse(checked.faults));
	if (checked.state !== "possible") return ok(checked);
	for (const { id, userId } of await listFirstKeys(db)) await meter(userId).revokeKey(id, null);
	const isBegun = await beginRestore(db, header, startedAtMs);
	return isBegun ? ok(answer("begun")) : fail(refuse(["another restore began at the same time"]));
}

/** Why an object did not take a part. */
const PART_FAULTS: Record<PartVerdict, string | null> = {
	taken: null,
	restored: null,
	occupied: "has rows of its own: this deployment is not empty",
	missing: "lacks an earlier part of its rows: restore from the beginning of the file",
	unknown_version: "has tables of a version that this code does not know",
};

type RestoreStep = Exclude<RestoreRequest, { header: unknown }>;

/** One step of a restore that has begun. Every step may be repeated. */
async function takeStep({ db, env, startedAtMs }: ServiceContext, step: RestoreStep): Promise<Result<RestoreResult>> {
	const known = await findRestore(db);
	if (known?.backupId !== step.backup_id || known.finishedAt !== null)
		return step.step === "finish" && known?.backupId === step.backup_id
			? ok(answer("finished"))
			: fail(refuse(["no restore of this backup is under way; begin it first"]));
	switch (step.step) {
		case "rows": {
			const unknown = unknownColumns(step.table, step.rows);
			if (unknown.length > 0)
				return fail(refuse([`the backup is of a later version: ${step.table} has no ${unknown.join(", ")} here`]));
			await fillTable(db, step.table, step.rows);
			return ok(answer("begun"));
		}
		case "object": {
			const { class: kind, name, part, version, rows } = step;
			const sent = { backupId: step.backup_id, part, version, rows };
			const fault = PART_FAULTS[await putPart(env, kind, name, sent)];
			return fault === null ? ok(answer("begun")) : fail(refuse([`the ${kind} ${name} ${fault}`]));
		}
		case "apply":
			for (const object of step.objects)
				if (!(await finishObject(env, object, step.backup_id)))
					return fail(refuse([`the ${object.class} ${object.name} ${PART_FAULTS.missing}`]));
			return ok(answer("begun"));
		case "finish":
			await finishRestore(db, step.backup_id, startedAtMs);
			return ok(answer("finished"));
	}
}

const restoreEndpoint = endpoint({
	id: "operator_restore",
	method: "POST",
	path: "/internal/restore",
	access: "operator",
	effect: "replaces",
	bodyLimit: "chat",
	summary: "One step of a restore, which only an empty deployment with the same secrets takes.",
	body: restoreRequestSchema,
	result: restoreResultSchema,
	ids: { header: { answerOf: "operator_begin_backup", member: null } },
	example: { body: { step: "check" } },
	async handle({ body, context }) {
		if (body.step === "check") return ok(await checkRestore(context, body.header));
		return body.step === "begin" ? begin(context, body.header) : takeStep(context, body);
	},
});

export const backupEndpoints: readonly Endpoint[] = [
	backupHeaderEndpoint,
	backupObjectsEndpoint,
	backupRowsEndpoint,
	restoreEndpoint,
];
