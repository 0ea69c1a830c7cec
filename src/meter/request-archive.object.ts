// RequestArchive: requests of a user's that are old, with their receipts and feedback, as the user's meter had them. The meter moves them here
// and removes them, and lists its archives. Workers ask an archive what the meter no longer knows. A user has as many as are needed.
import { BackedUpObject } from "../durable/backed-up-object.edge.ts";
import { hasTables, migrate } from "../durable/migrations.edge.ts";
import type { BackupPlan } from "../durable/object-rows.edge.ts";
import type { PagePart } from "../http/list-page.ts";
import { FeedbackTable } from "./feedback-table.edge.ts";
import type { FeedbackVerdict, GivenFeedback } from "./meter-calls.ts";
import { ARCHIVE_TABLES } from "./meter-tables.ts";
import type { NumberRange } from "./request-number.ts";
import type { ListedRequest, RatedRequest, RequestDetail, RequestRangeQuery } from "./request-page.ts";
import { readRequestRange } from "./request-reader.edge.ts";
import { type CopiedRows, RequestTable } from "./request-table.edge.ts";
import type { SessionRequests } from "./session-page.ts";
import { SessionTable } from "./session-table.edge.ts";
import type { StoredReceipt } from "./settlement.ts";
import { toStoredDetail, toStoredReceipt } from "./stored-request.ts";

export class RequestArchive extends BackedUpObject {
	#table: RequestTable;
	#feedback: FeedbackTable;
	/** An archive without requests stores nothing. */
	#hasTables: boolean;

	constructor(state: DurableObjectState, env: Env) {
		super(state, env);
		this.#table = new RequestTable(state.storage.sql);
		this.#feedback = new FeedbackTable(state.storage.sql, this.#table);
		this.#hasTables = hasTables(state.storage);
		if (this.#hasTables) migrate(state.storage, ARCHIVE_TABLES);
	}

	override backupPlan(): BackupPlan {
		return { schema: ARCHIVE_TABLES };
	}

	/** Stores rows of the meter. Idempotent. @returns the bytes of all that is stored. */
	take(rows: readonly CopiedRows[]): number {
		const { storage } = this.ctx;
		if (!this.#hasTables) migrate(storage, ARCHIVE_TABLES);
		this.#hasTables = true;
		storage.transactionSync(() => this.#table.put(rows));
		return storage.sql.databaseSize;
	}

	/** Removes requests before a number, some of them. @returns whether others are left. */
	removeBefore(n: number, limit: number): boolean {
		if (!this.#hasTables) return false;
		return this.ctx.storage.transactionSync(() => this.#table.removeBefore(n, limit)) === limit;
	}

	/** Removes everything. */
	async clear(): Promise<void> {
		await this.ctx.storage.deleteAll();
		this.#hasTables = false;
	}

	#wholeRow(requestId: string) {
		const row = this.#hasTables ? this.#table.find(requestId) : undefined;
		return row && this.#table.whole(row);
	}

	/** Whether a request is here, of whatever end. */
	has(requestId: string): boolean {
		return this.#hasTables && this.#table.find(requestId) !== undefined;
	}

	request(requestId: string): RequestDetail | null {
		const whole = this.#wholeRow(requestId);
		return whole ? toStoredDetail(whole) : null;
	}

	receipt(requestId: string): StoredReceipt | null {
		const whole = this.#wholeRow(requestId);
		return whole ? toStoredReceipt(whole) : null;
	}

	/** Requests of a page, one more than it holds if there are more. */
	async requestPage(query: RequestRangeQuery): Promise<PagePart<ListedRequest>> {
		return this.#hasTables ? readRequestRange(this.#table, query) : { entries: [], readTo: null };
	}

	/** What the requests of sessions with numbers of a range come to. */
	async sessionRequests(
		sessionIds: readonly string[],
		apiKeyIds: readonly string[] | null,
		range: NumberRange,
	): Promise<SessionRequests[]> {
		return this.#hasTables ? new SessionTable(this.ctx.storage.sql, false).sums(sessionIds, apiKeyIds, range) : [];
	}

	/** Stores feedback on a request, as the meter does. */
	giveFeedback(given: GivenFeedback): FeedbackVerdict {
		return this.#hasTables ? this.#feedback.give(given) : { outcome: "no_request" };
	}

	/** Requests behind one, oldest first, with their feedback. */
	decisions(after: string, limit: number): RatedRequest[] {
		return this.#hasTables ? this.#feedback.rated(after, limit) : [];
	}
}
