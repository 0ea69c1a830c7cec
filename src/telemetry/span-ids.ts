// Ids of traces and spans, which follow from the id of a request: so every part of the service knows them without a word between them. Pure.
import { hashText } from "../proof/hash.ts";
import type { TraceParent } from "./trace-context.ts";

/** The flags of a trace that begins here: it is recorded. Its id is a hash, not random in the standard's sense. */
const RECORDED = 0b01;

function digits(text: string, count: number): string {
	return hashText(text).slice("sha256:".length, "sha256:".length + count);
}

/** The id of the span that has this role in a request. @param role such as `request` or `attempt 2`. */
export function toSpanId(requestId: string, role: string): string {
	return digits(`svc.span.v1\n${requestId}\n${role}`, 16);
}

/** The id of the trace that a request begins. */
export function toTraceId(requestId: string): string {
	return digits(`svc.trace.v1\n${requestId}`, 32);
}

/** What all spans of a request say of their trace. */
export type TracePlace = Pick<TraceParent, "traceId" | "flags" | "state">;

/** The caller's trace, or the one that begins with the request. */
export function toTracePlace(requestId: string, parent: TraceParent | null): TracePlace {
	if (parent) return { traceId: parent.traceId, flags: parent.flags, state: parent.state };
	return { traceId: toTraceId(requestId), flags: RECORDED, state: null };
}

/** A request's own span as the parent of the calls that it makes. */
export function toUpstreamParent(requestId: string, parent: TraceParent | null): TraceParent {
	return { ...toTracePlace(requestId, parent), spanId: toSpanId(requestId, "request") };
}
