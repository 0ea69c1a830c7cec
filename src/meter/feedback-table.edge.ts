// Feedback in the meter's SQLite: one row a request, beside the request's, which it never touches.

import type { FeedbackVerdict, GivenFeedback } from "./meter-calls.ts";
import { requestNumber } from "./request-number.ts";
import type { RatedRequest, StoredFeedback } from "./request-page.ts";
import type { RequestTable } from "./request-table.edge.ts";
import { toListedRequest } from "./stored-request.ts";

interface FeedbackRow extends StoredFeedback, Record<string, SqlStorageValue> {}

function isAmong(apiKeyId: string, apiKeyIds: readonly string[] | null): boolean {
	return apiKeyIds === null || apiKeyIds.includes(apiKeyId);
}

export class FeedbackTable {
	#sql: SqlStorage;
	#requests: RequestTable;

	constructor(sql: SqlStorage, requests: RequestTable) {
		this.#sql = sql;
		this.#requests = requests;
	}

	#find(n: number): StoredFeedback | null {
		const [row] = this.#sql
			.exec<FeedbackRow>("SELECT score, reason, created_at, updated_at FROM feedback WHERE n = ?", n)
			.toArray();
		return row ?? null;
	}

	/** Stores feedback, or changes what the request has. Content that is there already, and feedback that is closed, stay as they are. */
	give({ requestId, score, reason, at, closedAt, readableKeys, ratableKeys }: GivenFeedback): FeedbackVerdict {
		const row = this.#requests.find(requestId);
		if (!row || row.settled === null || !isAmong(row.apiKeyId, readableKeys)) return { outcome: "no_request" };
		if (!isAmong(row.apiKeyId, ratableKeys)) return { outcome: "not_ratable" };
		this.#sql.exec(
			`INSERT INTO feedback (n, score, reason, created_at, updated_at) VALUES (?, ?, ?, ?4, ?4)
			ON CONFLICT (n) DO UPDATE SET score = excluded.score, reason = excluded.reason, updated_at = excluded.updated_at
				WHERE created_at > ?5 AND (score <> excluded.score OR reason IS NOT excluded.reason)`,
			row.n,
			score,
			reason,
			at,
			closedAt,
		);
		const feedback = this.#find(row.n);
		if (!feedback) throw new Error("feedback was stored");
		return { outcome: "stored", feedback };
	}

	/** Settled requests behind one, oldest first, with their feedback. */
	rated(after: string, limit: number): RatedRequest[] {
		const behind = after === "" ? -1 : (this.#requests.find(after)?.n ?? requestNumber(after));
		return this.#requests
			.wholeAfter(behind, Number.MAX_SAFE_INTEGER, limit)
			.map(({ n, row }) => ({ request: toListedRequest(row), feedback: this.#find(n) }));
	}
}
