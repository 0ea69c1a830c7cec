// A span as it is sent, and a batch of them. Pure.

/** Whole numbers are sent as integers and others as doubles, as the SDKs do. */
export type AttributeValue = string | boolean | number | readonly string[];

/** By name. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** Something that happened in a span. */
export interface SpanEvent {
	name: string;
	/** Unix time in ms; fractions are kept to the ns. */
	atMs: number;
	attributes: Attributes;
}

/** `SpanKind` of the protocol is one more than these. */
export const SPAN_KINDS = ["internal", "server", "client"] as const;
export type SpanKind = (typeof SPAN_KINDS)[number];

export interface Span {
	/** 32 and 16 lower-case hex digits. */
	traceId: string;
	spanId: string;
	parentSpanId: string | null;
	/** Whether the parent is another process's. */
	isParentRemote: boolean;
	/** The W3C flags of the trace. */
	flags: number;
	traceState: string | null;
	name: string;
	kind: SpanKind;
	/** Unix time in ms. */
	startedAtMs: number;
	endedAtMs: number;
	attributes: Attributes;
	events: readonly SpanEvent[];
	/** An error's words; null where it has none to say. Absent for a span that did not fail. */
	error?: { message: string | null };
}

/** Who sends: attributes of the resource, such as `service.name`. */
export interface TelemetryResource {
	attributes: Attributes;
}

/** Name and version of what made the spans and metrics. */
export interface TelemetryScope {
	name: string;
	version: string;
}
