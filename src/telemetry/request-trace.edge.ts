// A request's place in its caller's trace, that of the calls which it makes, and its own spans when it has ended. Only while an address for
// traces is set: otherwise nothing is read of a client's headers, and nothing is added to what providers are sent.
import { logError } from "../http/log.edge.ts";
import { cachedSettings } from "../settings.ts";
import { loadTelemetry } from "./load.ts";
import { metricsObject } from "./metrics-client.edge.ts";
import type { Telemetry } from "./module.ts";
import type { PolicyCheckTelemetry, RequestTelemetry } from "./request-telemetry.ts";
import { TELEMETRY_SCOPE, telemetryResource } from "./resource.ts";
import type { Span } from "./span.ts";
import { type ExportContext, type SpanExporter, spanExporter } from "./span-exporter.edge.ts";
import type { TraceParent } from "./trace-context.ts";

/** The span of a call, and the headers that name it. */
export interface CallSpan {
	/** 16 hex digits. */
	spanId: string;
	headers: Readonly<Record<string, string>>;
}

/** Puts the calls of one request into its trace. */
export interface CallTracing {
	/** Whether spans hold texts. */
	hasContent: boolean;
	/** A span of its own for the next call. */
	next(): CallSpan;
}

/** Where a request that is traced comes from, and where its spans go. */
interface TraceOptions {
	telemetry: Telemetry;
	exporter: SpanExporter;
	context: ExportContext;
	/** The caller's span; null where the request begins a trace. */
	parent: TraceParent | null;
	hasContent: boolean;
	/** Nobody comes soon who would send what is handed over. */
	isLast: boolean;
}

function randomSpanId(): string {
	const bytes = crypto.getRandomValues(new Uint8Array(8));
	// All zeros would be no id (W3C Trace Context, section 3.2.2.4).
	bytes[0] = (bytes[0] ?? 0) | 1;
	return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export class RequestTrace {
	readonly #options: TraceOptions;

	constructor(options: TraceOptions) {
		this.#options = options;
	}

	/** The caller's span; null where the request begins a trace. */
	get parent(): TraceParent | null {
		return this.#options.parent;
	}

	/** Whether spans hold texts. */
	get hasContent(): boolean {
		return this.#options.hasContent;
	}

	/** @param requestId the request's or the run's, which its spans' ids follow from. */
	calls(requestId: string): CallTracing {
		const { telemetry, parent, hasContent } = this.#options;
		const { traceId, flags, state } = telemetry.toUpstreamParent(requestId, parent);
		return {
			hasContent,
			next() {
				const spanId = randomSpanId();
				const traceparent = telemetry.formatTraceParent({ traceId, spanId, flags });
				return { spanId, headers: { traceparent, ...(state === null ? {} : { tracestate: state }) } };
			},
		};
	}

	/** Hands over the spans of a request that has ended. Nobody waits for it, and it never throws. */
	handRequest(describe: () => RequestTelemetry): void {
		this.#hand(() => this.#options.telemetry.toRequestSpans(describe()));
	}

	/** Hands over the span of a decision of the policy, in the same way. */
	handCheck(describe: () => PolicyCheckTelemetry): void {
		this.#hand(() => this.#options.telemetry.toPolicySpans(describe()));
	}

	/** Makes spans in a turn of their own, after the answer's. */
	#hand(make: () => readonly Span[]): void {
		const { telemetry, exporter, context, isLast } = this.#options;
		const handed = new Promise((resolve) => setTimeout(resolve)).then(() => {
			const spans = make();
			if (spans.length > 0) exporter.hand(spans.map(telemetry.encodeSpan), context, isLast);
		});
		context.waitUntil(handed.catch((error: unknown) => logError("request_not_traced", error)));
	}
}

/** What a trace needs of whoever serves the request. */
interface TracedPlace {
	env: Env;
	waitUntil(work: Promise<unknown>): void;
	isLast?: boolean;
}

/** Opens the trace of a request or a run under its caller's span, or as one that begins. */
export type TraceOpener = (parent: TraceParent | null) => RequestTrace;

async function loadOpener({
	env,
	waitUntil,
	isLast = false,
}: TracedPlace): Promise<{ telemetry: Telemetry; open: TraceOpener } | null> {
	const settings = cachedSettings(env);
	const { otlp, hasContent } = settings.telemetry;
	if (otlp === null) return null;
	try {
		const telemetry = await loadTelemetry();
		const resource = telemetryResource(settings);
		const context: ExportContext = {
			waitUntil,
			encode: (spans) => telemetry.encodeSpans(resource, TELEMETRY_SCOPE, spans),
			report: (counts) => metricsObject(env).countSpans(counts),
		};
		const options = { telemetry, exporter: spanExporter(otlp), context, hasContent, isLast };
		return { telemetry, open: (parent) => new RequestTrace({ ...options, parent }) };
	} catch (error) {
		logError("request_not_traced", error);
		return null;
	}
}

/** Opens traces; null while no address for traces is set. Never throws: what is not traced goes on. */
export async function traceOpener(place: TracedPlace): Promise<TraceOpener | null> {
	return (await loadOpener(place))?.open ?? null;
}

/** The trace of a request to the service, by its headers; null as above. */
export async function beginTrace(place: TracedPlace, headers: Headers): Promise<RequestTrace | null> {
	const opener = await loadOpener(place);
	if (!opener) return null;
	const { parseTraceParent } = opener.telemetry;
	return opener.open(parseTraceParent(headers.get("traceparent"), headers.get("tracestate")));
}
