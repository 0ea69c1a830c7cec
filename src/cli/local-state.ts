// Which version of the service the local state belongs to. A state of another version is set aside: renamed, never deleted.
import {
	constants,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { FORMER_VERSION, isFormerDatabase } from "../former-version.ts";
import { removeClientEnv } from "./local-env.ts";

export const MIGRATIONS_DIR = "migrations";

/** D1, KV and objects of a state, in one folder: so that one rename moves them together. */
const STORAGE = "v3";
const DATABASE_DIR = join(STORAGE, "d1/miniflare-D1DatabaseObject");
/** Beside the databases, so that whoever removes them removes it too. */
const APPLIED_LIST = join(STORAGE, "d1/applied-migrations.txt");

/** A database of the state cannot be read, so nobody knows which version it is of. */
export class UnreadableStateError extends Error {
	override name = "UnreadableStateError";
}

/** The names of this checkout's migrations, in the order in which they are applied. */
export function migrationFiles(): string[] {
	return readdirSync(MIGRATIONS_DIR)
		.filter((name) => name.endsWith(".sql"))
		.sort();
}

/** Whether the state's list says that all of this checkout's migrations are applied, and no others. */
export function hasAppliedMigrations(stateDir: string): boolean {
	const list = join(stateDir, APPLIED_LIST);
	return existsSync(list) && readFileSync(list, "utf8") === migrationFiles().join("\n");
}

/** Writes that list. */
export function listAppliedMigrations(stateDir: string): void {
	mkdirSync(join(stateDir, STORAGE, "d1"), { recursive: true });
	writeFileSync(join(stateDir, APPLIED_LIST), migrationFiles().join("\n"));
}

/** A copy of a database, with what a killed runtime has not written back: SQLite leaves files beside what it opens. */
function copyInto(dir: string, file: string): string {
	const copy = join(dir, "copy.sqlite");
	cpSync(file, copy, { mode: constants.COPYFILE_FICLONE });
	if (existsSync(`${file}-wal`)) cpSync(`${file}-wal`, `${copy}-wal`, { mode: constants.COPYFILE_FICLONE });
	return copy;
}

/** Names of the migrations in a database's own table; `[]` without the table. */
function appliedMigrations(file: string): string[] {
	const dir = mkdtempSync(join(tmpdir(), "svc-state-"));
	try {
		const db = new DatabaseSync(copyInto(dir, file));
		try {
			const hasTable = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'").get() !== undefined;
			if (!hasTable) return [];
			return db
				.prepare("SELECT name FROM d1_migrations")
				.all()
				.map(({ name }) => String(name));
		} finally {
			db.close();
		}
	} catch (cause) {
		const reason = cause instanceof Error ? cause.message : String(cause);
		throw new UnreadableStateError(
			`the local database ${file} cannot be read (${reason}); stop what uses it, or move its folder away`,
			{ cause },
		);
	} finally {
		rmSync(dir, { recursive: true, force: true });
	}
}

/**
 * Which other version made the state, in words; null where this one did. Another one did when a database has a migration that this
 * checkout does not have. Beside a database that has only ours, such a one is a leftover: the state is ours.
 */
function findOtherMaker(stateDir: string): string | null {
	const dir = join(stateDir, DATABASE_DIR);
	if (hasAppliedMigrations(stateDir) || !existsSync(dir)) return null;
	const known = new Set(migrationFiles());
	const databases = readdirSync(dir)
		.filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite")
		.map((name) => appliedMigrations(join(dir, name)))
		.filter((applied) => applied.length > 0);
	if (databases.length === 0 || databases.some((applied) => applied.every((name) => known.has(name)))) return null;
	return databases.every(isFormerDatabase) ? FORMER_VERSION : "another version";
}

/** Makes `<stateDir>.before-<date>`, with a number where that is taken. */
function makeAsideDir(stateDir: string, nowMs: number): string {
	const first = `${stateDir}.before-${new Date(nowMs).toISOString().slice(0, 10)}`;
	for (let number = 1; ; number++) {
		const dir = number === 1 ? first : `${first}-${number}`;
		// A start that was killed leaves an empty one.
		if (existsSync(dir) && readdirSync(dir).length > 0) continue;
		mkdirSync(dir, { recursive: true });
		return dir;
	}
}

/** A state that was set aside. */
interface AsideState {
	/** Where its storage is now. */
	dir: string;
	/** Who made it, in words. */
	madeBy: string;
}

/**
 * Moves the storage of a state of another version aside, and takes its key out of `.env.local`; to be called by the process
 * that owns the state, before anything opens it. Migrations of one version do not apply to a database of another.
 *
 * After a crash in between, the next start goes on: the key goes first, and the storage moves by one rename. A state whose
 * database cannot be read is left as it is, and the start ends: it may be of this version and in use.
 * @returns null when the storage was left in place.
 * @throws UnreadableStateError
 */
export function setAsideOtherVersion(stateDir: string, nowMs: number): AsideState | null {
	const madeBy = findOtherMaker(stateDir);
	if (madeBy === null) return null;
	removeClientEnv();
	const dir = makeAsideDir(stateDir, nowMs);
	renameSync(join(stateDir, STORAGE), join(dir, STORAGE));
	return { dir, madeBy };
}
