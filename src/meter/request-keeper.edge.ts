// How long a meter keeps requests, and where: it moves old days into archives, and removes those that are no longer kept, there and in the meter.
// Sums stay.
//
// Each step may be repeated. Rows are copied to an archive, then removed from the meter in the transaction that says how far the archive goes:
// until then the meter shows them, afterwards the archive. What dies in between is found in both, with the meter's being shown, and is
// copied again. An archive is recorded in D1 and listed before it is given anything.
import { database } from "../db/client.edge.ts";
import { cachedSettings } from "../settings.ts";
import { type Archive, archiveBefore, archiveName, archivesOf, nextArchive, numbersOf } from "./archive-plan.ts";
import { DAY_MS, renderUtcDay, toUtcDay } from "./budget-period.ts";
import { RECENT_ROWS } from "./meter-calls.ts";
import type { MeterState } from "./meter-state.edge.ts";
import { forgetArchive, recordArchive } from "./request-archives.store.ts";
import { firstNumberAt, type NumberRange, numberTimeMs, requestNumber } from "./request-number.ts";
import type { CopiedRows } from "./request-table.edge.ts";

/** Requests that are removed or moved at once, and when the next ones are. */
const ROWS_AT_ONCE = 250;
const CHARS_AT_ONCE = 1_000_000;
const GO_ON_AFTER_MS = 1_000;

/** Feedback of copied rows, to be compared. */
function feedbackOf(copied: readonly CopiedRows[]): string {
	return JSON.stringify(copied.find(({ table }) => table === "feedback")?.rows);
}

export class RequestKeeper {
	#storage: DurableObjectStorage;
	#state: MeterState;
	#env: Env;
	/** The first day of which requests are kept; null while none was removed. */
	#keptSince: string | null = null;
	/** Ended requests up to this number are in archives. */
	#archivedTo = 0;
	#archives: Archive[];

	constructor(storage: DurableObjectStorage, state: MeterState, env: Env) {
		this.#storage = storage;
		this.#state = state;
		this.#env = env;
		const [account] = storage.sql
			.exec<{ kept_since: string | null; archived_to: number }>("SELECT kept_since, archived_to FROM account")
			.toArray();
		if (account) {
			this.#keptSince = account.kept_since;
			this.#archivedTo = account.archived_to;
		}
		this.#archives = this.#readArchives();
	}

	#readArchives(): Archive[] {
		type ArchiveRow = Archive & Record<string, SqlStorageValue>;
		return this.#storage.sql.exec<ArchiveRow>("SELECT nth, first, last, bytes FROM archives ORDER BY nth").toArray();
	}

	get keptSince(): string | null {
		return this.#keptSince;
	}

	/** Requests with lower numbers are no longer kept, even if not all of them have been removed yet. */
	get firstKept(): number {
		return this.#keptSince === null ? 0 : firstNumberAt(Date.parse(this.#keptSince));
	}

	/** Whether requests with a number are no longer kept. */
	isRemoved(n: number): boolean {
		return n < this.firstKept;
	}

	/** Numbers of requests that archives have, and that are kept. Others that archives may have copies of stand in the meter. */
	get archived(): NumberRange {
		return { from: this.firstKept, before: this.#archivedTo + 1 };
	}

	/** Requests that arrived from then on stand in the meter, ms since the epoch. */
	get heldFromMs(): number {
		return numberTimeMs(this.#archivedTo + 1);
	}

	/** Whether all requests of a day stand in the meter. */
	hasAllOf(day: string): boolean {
		const first = firstNumberAt(Date.parse(day));
		return first > this.#archivedTo && !this.isRemoved(first);
	}

	/** Numbers of the archives that may have requests of a range, newest first. */
	archivesOf(range: NumberRange): number[] {
		return archivesOf(this.#archives, range).map(({ nth }) => nth);
	}

	/** Numbers of the archives that may have a request. */
	archivesFor(requestId: string): number[] {
		return this.archivesOf(numbersOf(requestNumber(requestId)));
	}

	#archive(userId: string, nth: number) {
		return this.#env.REQUEST_ARCHIVE.getByName(archiveName(userId, nth));
	}

	/** Whether an archive has a request. */
	async isArchived(userId: string, requestId: string): Promise<boolean> {
		for (const nth of this.archivesFor(requestId)) if (await this.#archive(userId, nth).has(requestId)) return true;
		return false;
	}

	/** Removes and moves some of what is due. @returns when to go on, ms since the epoch; null where nothing waits. */
	async keep(userId: string, nowMs: number): Promise<number | null> {
		const removeAtMs = await this.#removeSome(userId, nowMs);
		const hasMoved = await this.#moveSome(userId, nowMs);
		if (hasMoved) return nowMs + GO_ON_AFTER_MS;
		return removeAtMs;
	}

	/** @returns when others are to be removed; null where nothing is stored or all is kept. */
	async #removeSome(userId: string, nowMs: number): Promise<number | null> {
		const { keepRequestsDays } = cachedSettings(this.#env);
		const [archive] = this.#archives;
		const { table, failed } = this.#state;
		const firsts = [table.oldest(), failed.oldest(), archive?.first ?? null];
		const oldest = Math.min(...firsts.map((first) => first ?? Number.POSITIVE_INFINITY));
		if (keepRequestsDays === 0 || oldest === Number.POSITIVE_INFINITY) return null;
		const firstKept = toUtcDay(nowMs) - keepRequestsDays;
		const before = firstNumberAt(firstKept * DAY_MS);
		if (oldest >= before) return (toUtcDay(numberTimeMs(oldest)) + keepRequestsDays + 1) * DAY_MS;
		// What is not folded is counted from its rows.
		this.#state.foldNow(nowMs);
		const keptSince = renderUtcDay(firstKept);
		const removed = this.#storage.transactionSync(() => {
			this.#storage.sql.exec("UPDATE account SET kept_since = ?", keptSince);
			return table.removeBefore(before, ROWS_AT_ONCE) + failed.removeBefore(before, ROWS_AT_ONCE);
		});
		this.#keptSince = keptSince;
		const isArchived = archive !== undefined && archive.first < before;
		if (isArchived) await this.#removeArchived(userId, archive, before);
		// Otherwise only open requests are left of those days.
		return nowMs + (isArchived || removed > 0 ? GO_ON_AFTER_MS : DAY_MS);
	}

	async #removeArchived(userId: string, { nth, last }: Archive, before: number): Promise<void> {
		const archive = this.#archive(userId, nth);
		if (last < before) {
			await archive.clear();
			await forgetArchive(database(this.#env.DB), userId, nth);
			this.#storage.sql.exec("DELETE FROM archives WHERE nth = ?", nth);
		} else {
			if (await archive.removeBefore(before, ROWS_AT_ONCE)) return;
			this.#storage.sql.exec("UPDATE archives SET first = ? WHERE nth = ?", before, nth);
		}
		this.#archives = this.#readArchives();
	}

	/** Requests with lower numbers are to be archived. The latest ones stay, which usage shows. */
	#archiveBefore(nowMs: number): number {
		const { sql } = this.#storage;
		const from = this.#archivedTo + 1;
		const all = { from, before: Number.MAX_SAFE_INTEGER };
		const oldest = () => this.#state.table.archivable(all, 1, 0)[0] ?? null;
		const before = archiveBefore({ archivedTo: this.#archivedTo, bytes: sql.databaseSize, oldest }, nowMs);
		return before <= from ? before : Math.min(before, this.#state.table.settledBehind(RECENT_ROWS - 1) ?? 0);
	}

	/** @returns whether there may be others. */
	async #moveSome(userId: string, nowMs: number): Promise<boolean> {
		const from = this.#archivedTo + 1;
		const before = this.#archiveBefore(nowMs);
		if (before <= from) return false;
		const { table } = this.#state;
		const numbers = table.archivable({ from, before }, ROWS_AT_ONCE, CHARS_AT_ONCE);
		const [first] = numbers;
		if (first === undefined) {
			this.#storage.sql.exec("UPDATE account SET archived_to = ?", before - 1);
			this.#archivedTo = before - 1;
			return false;
		}
		const nth = nextArchive(this.#archives, first)?.nth ?? (await this.#addArchive(userId, first));
		const copied = table.copy(numbers);
		const bytes = await this.#archive(userId, nth).take(copied);
		// What is not folded is counted from its rows.
		this.#state.foldNow(nowMs);
		this.#storage.transactionSync(() => this.#markMoved(numbers, copied, { nth, bytes }));
		this.#archives = this.#readArchives();
		return true;
	}

	/** Lists a new archive, and the oldest request that it is to have. */
	async #addArchive(userId: string, first: number): Promise<number> {
		const nth = (this.#archives.at(-1)?.nth ?? 0) + 1;
		await recordArchive(database(this.#env.DB), userId, nth);
		this.#storage.sql.exec("INSERT INTO archives (nth, first, last, bytes) VALUES (?, ?2, ?2, 0)", nth, first);
		this.#archives = this.#readArchives();
		return nth;
	}

	/** Removes rows that an archive has, unless feedback was given on one meanwhile: then all are copied again. */
	#markMoved(
		numbers: readonly number[],
		copied: readonly CopiedRows[],
		{ nth, bytes }: Pick<Archive, "nth" | "bytes">,
	): void {
		const { table } = this.#state;
		if (feedbackOf(table.copy(numbers, ["feedback"])) !== feedbackOf(copied)) return;
		const last = numbers.at(-1) ?? 0;
		table.remove(numbers);
		this.#storage.sql.exec("UPDATE archives SET last = ?, bytes = ? WHERE nth = ?", last, bytes, nth);
		this.#storage.sql.exec("UPDATE account SET archived_to = ?", last);
		this.#archivedTo = last;
	}
}
