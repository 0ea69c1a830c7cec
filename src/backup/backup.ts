// A backup: which objects and tables it holds, and how it is written, as JSON lines. Pure.
//
// The first line is the header, the last one the trailer. Objects come before tables, because a backup is taken while the service
// runs: what tables say of later moments than the objects is left out (backup-cut.ts).
import * as z from "zod";
import { FORMER_VERSION } from "../former-version.ts";

export const BACKUP_FORMAT = "svc-backup";
export const BACKUP_VERSION = 2;

/**
 * The classes of objects, in the order of a backup: meters know which owners hold rows that D1 lacks, and come before the archives that they move
 * rows to. */
export const OBJECT_CLASSES = [
	"AccountMeter",
	"WorkspaceLedger",
	"AgentRun",
	"StoredResponses",
	"RequestArchive",
] as const;
export type ObjectClass = (typeof OBJECT_CLASSES)[number];

/**
 * The tables of D1, in the order of a backup. Daily sums are missing: the users' meters write them anew. Users and keys come last,
 * so that nobody can use a service that is being restored.
 */
export const BACKED_UP_TABLES = [
	"handoffs",
	"audit_events",
	"workspace_manifests",
	"brain_shares",
	"agent_runs",
	"stranded_settlements",
	"request_archives",
	"users",
	"api_keys",
] as const;
export type BackedUpTable = (typeof BACKED_UP_TABLES)[number];

/** Tables that are restored when all else is there. */
const LAST_TABLES: readonly BackedUpTable[] = ["users", "api_keys"];

export function isLastTable(table: BackedUpTable): boolean {
	return LAST_TABLES.includes(table);
}

const rowValueSchema = z.union([z.string(), z.number(), z.null(), z.strictObject({ base64: z.string() })]);

/** A row by its columns. Bytes are in base64. */
export const backupRowSchema = z.record(z.string(), rowValueSchema);
export type BackupRow = z.infer<typeof backupRowSchema>;

/** What tells whose backup it is. No secret can be found from it. */
const secretMarksSchema = z.object({
	signing_key: z.string().nullable().describe("Id of the key that signs; null without one."),
	key_pepper: z.string().describe("A mark of KEY_PEPPER: 16 hex of an HMAC under it."),
	log_origin: z.string(),
});
export type SecretMarks = z.infer<typeof secretMarksSchema>;

export const backupHeaderSchema = z.object({
	format: z.literal(BACKUP_FORMAT),
	version: z.int(),
	backup_id: z.string().regex(/^bak_[0-9A-HJKMNP-TV-Z]{26}$/, "must be bak_ and a ULID"),
	created_at: z.string(),
	secrets: secretMarksSchema,
});
export type BackupHeader = z.infer<typeof backupHeaderSchema>;

/** A page of an object's rows. What a later page says of a row holds. */
export const objectRecordSchema = z.object({
	class: z.enum(OBJECT_CLASSES),
	name: z.string(),
	part: z.int().min(0).describe("Counts the object's pages. Its rows begin with 0; what came of it before is void."),
	version: z.int().describe("Of its tables."),
	taken_at_ms: z.int(),
	rows: z
		.string()
		.describe(
			'JSON: `tables` with rows, `removed` with keys of rows that are not there any more, each `{"table", "columns", "rows"}`.',
		),
	mirror: backupRowSchema.optional().describe("The row in `agent_runs` of a run that is not over, as of this moment."),
});
export type ObjectRecord = z.infer<typeof objectRecordSchema>;

/** The lines of a backup. */
export const backupLineSchema = z.union([
	z.object({ header: backupHeaderSchema }),
	z.object({ object: objectRecordSchema }),
	z.object({ table: z.enum(BACKED_UP_TABLES), rows: z.array(backupRowSchema) }),
	z.object({ end: z.object({ lines: z.int().describe("All before this one."), sha256: z.string() }) }),
]);
export type BackupLine = z.infer<typeof backupLineSchema>;

/** Why this code cannot read a backup with this version of the format, behind its name; null when it can. */
export function findFormatFault(version: number): string | null {
	if (version === BACKUP_VERSION) return null;
	return version < BACKUP_VERSION
		? `was made by ${FORMER_VERSION}, which alone can restore it: it has version ${version} of its format, and this code reads ${BACKUP_VERSION}`
		: `has version ${version} of its format, and this code reads ${BACKUP_VERSION}: update it first`;
}

/** Why this service cannot take a backup: one sentence each; none when it can. */
export function findHeaderFaults({ version, secrets }: BackupHeader, own: SecretMarks): string[] {
	const formatFault = findFormatFault(version);
	const faults = formatFault === null ? [] : [`the backup ${formatFault}`];
	if (secrets.signing_key !== own.signing_key)
		faults.push(
			`SIGNING_KEY is another: the backup's has the id ${secrets.signing_key ?? "none"}, this one ${own.signing_key ?? "none"}`,
		);
	if (secrets.key_pepper !== own.key_pepper)
		faults.push("KEY_PEPPER is another: no key of the backup would be accepted, and no sealed text would open");
	return faults;
}
