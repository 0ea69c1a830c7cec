// Sends spans to the collector, in batches of this isolate. Requests hand theirs over when they have been answered, and never wait for it.
//
// An isolate has no timers of its own: what waits is sent by a request that has ended, for which the platform goes on for half a minute at
// most. If that ends early, the next request goes on. What an isolate holds when it ends is lost: at most the buffer.
import { logError, logWarning } from "../http/log.edge.ts";
import { parseRetryAfterMs } from "../http/retry-after.ts";
import { isJsonObject, parseJson } from "../json.ts";
import type { OtlpTarget } from "../settings.ts";
import { type BatchAnswer, type OutgoingSpans, SpanBuffer } from "./span-buffer.ts";

/** From the beginning of a request to the collector to its answer. */
const COLLECTOR_TIMEOUT_MS = 10_000;
/** So long an ended request waits for the next batch; with one more try it stays below the platform's half a minute. */
const SENDS_FOR_MS = 15_000;
/** What the collector was sent is told once in this time, at most. */
const REPORT_EVERY_MS = 60_000;
/** How much is read of the collector's answer. */
const MAX_ANSWER_BYTES = 65_536;

function sleep(ms: number): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The first bytes of a body as text. */
async function readStart(response: Response): Promise<string> {
	const reader = response.body?.getReader();
	const decoder = new TextDecoder();
	let text = "";
	let bytes = 0;
	while (reader && bytes < MAX_ANSWER_BYTES) {
		const { value, done } = await reader.read();
		if (done) return text;
		bytes += value.byteLength;
		text += decoder.decode(value, { stream: true });
	}
	await reader?.cancel();
	return text;
}

/** How many of a batch's parts the collector will not keep (OTLP, "Partial success"). */
function readRejected(text: string): number {
	const body = parseJson(text);
	const partial = isJsonObject(body) ? body["partialSuccess"] : null;
	if (!isJsonObject(partial)) return 0;
	const rejected = Number(partial["rejectedSpans"] ?? partial["rejectedDataPoints"] ?? 0);
	return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
}

/** Statuses after which the same may be sent again: those that OTLP names, and what servers that begin or break answer. */
function isTemporary(status: number): boolean {
	return status === 408 || status === 429 || status >= 500;
}

/** Posts a body to the collector. Never throws, and never logs the address. */
export async function postToCollector(url: string, { headers }: OtlpTarget, body: string): Promise<BatchAnswer> {
	const late = new AbortController();
	const timer = setTimeout(() => late.abort(), COLLECTOR_TIMEOUT_MS);
	try {
		const response = await fetch(url, {
			method: "POST",
			headers: [
				...headers.map(([name, value]): [string, string] => [name, value]),
				["content-type", "application/json"],
			],
			body,
			redirect: "manual",
			signal: late.signal,
		});
		const { status } = response;
		if (response.ok) return { kind: "taken", rejected: readRejected(await readStart(response).catch(() => "")) };
		void response.body?.cancel().catch(() => undefined);
		if (isTemporary(status)) return { kind: "away", askedMs: parseRetryAfterMs(response.headers, Date.now()) };
		logWarning("telemetry_refused", { status });
		return { kind: "refused" };
	} catch {
		return { kind: "away", askedMs: null };
	} finally {
		clearTimeout(timer);
	}
}

/** What became of spans. */
export interface SpanCounts {
	sent: number;
	dropped: number;
}

/** What an exporter needs of whoever hands it spans. */
export interface ExportContext {
	/** Keeps work running after the answer. */
	waitUntil(work: Promise<unknown>): void;
	/** The body of a batch. */
	encode(spans: readonly string[]): string;
	/** Counts what became of spans. */
	report(counts: SpanCounts): Promise<void>;
}

export class SpanExporter {
	readonly #target: OtlpTarget;
	readonly #buffer = new SpanBuffer();
	/** Until when whoever sends at least does so; nobody may know that it was ended. */
	#sentUntilMs = 0;
	#reportedAtMs = 0;

	constructor(target: OtlpTarget) {
		this.#target = target;
	}

	/**
	 * Takes spans. Costs the request nothing but their bytes.
	 * @param isLast nobody comes soon who would send them: they are sent at once.
	 */
	hand(spans: readonly string[], context: ExportContext, isLast = false): void {
		const nowMs = Date.now();
		this.#buffer.add(spans, nowMs);
		if (isLast) this.#buffer.hurry();
		const dueAtMs = this.#buffer.dueAtMs(nowMs);
		if (dueAtMs === null || (dueAtMs > nowMs && this.#isSomebodySending(nowMs))) return;
		context.waitUntil(this.#send(context).catch((error: unknown) => logError("telemetry_not_sent", error)));
	}

	#isSomebodySending(nowMs: number): boolean {
		const leftMs = this.#sentUntilMs - nowMs;
		return leftMs > 0 && leftMs <= SENDS_FOR_MS;
	}

	/** Sends batches as they become due, for a while. */
	async #send(context: ExportContext): Promise<void> {
		const endsAtMs = Date.now() + SENDS_FOR_MS;
		this.#sentUntilMs = endsAtMs;
		for (;;) {
			const nowMs = Date.now();
			const dueAtMs = this.#buffer.dueAtMs(nowMs);
			if (dueAtMs === null || dueAtMs > endsAtMs) break;
			if (dueAtMs > nowMs) await sleep(dueAtMs - nowMs);
			const batch = this.#buffer.take(Date.now());
			if (batch) await this.#sendBatch(batch, context);
		}
		if (this.#sentUntilMs === endsAtMs) this.#sentUntilMs = 0;
	}

	async #sendBatch({ id, texts }: OutgoingSpans, context: ExportContext): Promise<void> {
		const answer = await postToCollector(this.#target.tracesUrl, this.#target, context.encode(texts));
		this.#buffer.answered(id, answer, Date.now());
		if (this.#buffer.failures === 1) logWarning("collector_away", {});
		await this.#report(context);
	}

	async #report({ report }: ExportContext): Promise<void> {
		const nowMs = Date.now();
		if (Math.abs(nowMs - this.#reportedAtMs) < REPORT_EVERY_MS) return;
		this.#reportedAtMs = nowMs;
		const counts = this.#buffer.takeCounts();
		if (counts.sent + counts.dropped === 0) return;
		// Not repeated: what is counted twice would be worse than what is not counted.
		await report(counts).catch((error: unknown) => logError("span_counts_lost", error));
	}
}

const exporters = new WeakMap<OtlpTarget, SpanExporter>();

/** This isolate's exporter to a collector. */
export function spanExporter(target: OtlpTarget): SpanExporter {
	const known = exporters.get(target) ?? new SpanExporter(target);
	exporters.set(target, known);
	return known;
}
