// A request's place in its caller's trace, and that of the calls which it makes. Only while an address for traces is set: otherwise nothing is
// read of a client's headers, and nothing is added to what providers are sent.
import { logError } from "../http/log.edge.ts";
import type { TelemetrySettings } from "../settings.ts";
import { loadTelemetry } from "./load.ts";
import type { Telemetry } from "./module.ts";
import type { TraceParent } from "./trace-context.ts";

/** A request that is traced. */
export interface RequestTrace {
	telemetry: Telemetry;
	/** The caller's span; null where the request begins a trace. */
	parent: TraceParent | null;
}

/** Begins the trace of a request; undefined while no address for traces is set. Never throws: a request goes on without its trace. */
export async function beginTrace({ otlp }: TelemetrySettings, headers: Headers): Promise<RequestTrace | undefined> {
	if (otlp === null) return undefined;
	try {
		const telemetry = await loadTelemetry();
		const parent = telemetry.parseTraceParent(headers.get("traceparent"), headers.get("tracestate"));
		return { telemetry, parent };
	} catch (error) {
		logError("request_not_traced", error);
		return undefined;
	}
}

/** The span of a call, and the headers that name it. */
export interface CallSpan {
	/** 16 hex digits. */
	spanId: string;
	headers: Readonly<Record<string, string>>;
}

/** Puts the calls of one request into its trace. */
export interface CallTracing {
	/** A span of its own for the next call. */
	next(): CallSpan;
}

function randomSpanId(): string {
	const bytes = crypto.getRandomValues(new Uint8Array(8));
	// All zeros would be no id (W3C Trace Context, section 3.2.2.4).
	bytes[0] = (bytes[0] ?? 0) | 1;
	return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param requestId the request's or the run's, which its spans' ids follow from. */
export function traceCalls({ telemetry, parent }: RequestTrace, requestId: string): CallTracing {
	const { traceId, flags, state } = telemetry.toUpstreamParent(requestId, parent);
	return {
		next() {
			const spanId = randomSpanId();
			const traceparent = telemetry.formatTraceParent({ traceId, spanId, flags });
			return { spanId, headers: { traceparent, ...(state === null ? {} : { tracestate: state }) } };
		},
	};
}
