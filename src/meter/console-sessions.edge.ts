// Sessions of the console: those of the meter's user that have ended, and how many pages the others open.
import { PAGES_PER_MINUTE, type PageVerdict } from "./meter-calls.ts";
import { MinuteWindow } from "./rolling-window.ts";

export class ConsoleSessions {
	#sql: SqlStorage;
	/** Pages that were opened. Forgotten with the object, as the limit is there to bound what a loop reads. */
	#pages = new MinuteWindow();

	constructor(sql: SqlStorage) {
		this.#sql = sql;
	}

	/** Remembers a session as ended until it would end by itself. Forgets those that have. */
	end(sessionId: string, endsAtMs: number, nowMs: number): void {
		this.#sql.exec("DELETE FROM ended_sessions WHERE ends_at_ms <= ?", nowMs);
		this.#sql.exec("INSERT OR IGNORE INTO ended_sessions (session, ends_at_ms) VALUES (?, ?)", sessionId, endsAtMs);
	}

	isEnded(sessionId: string): boolean {
		return [...this.#sql.exec("SELECT 1 FROM ended_sessions WHERE session = ?", sessionId)].length > 0;
	}

	/** Takes a page, which counts against no limit but that of pages. */
	takePage(sessionId: string, nowMs: number): PageVerdict {
		if (this.isEnded(sessionId)) return { taken: false, reason: "session_ended" };
		if (this.#pages.count(nowMs) >= PAGES_PER_MINUTE)
			return { taken: false, reason: "rate_limit_exceeded", retryAfterMs: this.#pages.msUntilSlot(nowMs) };
		this.#pages.add(nowMs);
		return { taken: true };
	}
}
