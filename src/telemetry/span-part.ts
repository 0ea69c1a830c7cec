// A span in the making: its place in the request, and its attributes by the table. Pure.
import { renderMessages, renderParts } from "./content.ts";
import { toProviderName } from "./provider-names.ts";
import type { ContentTelemetry, ExchangedContent, RequestTelemetry, TokenTelemetry } from "./request-telemetry.ts";
import type { Attributes, AttributeValue, Span, SpanEvent } from "./span.ts";
import type { TracePlace } from "./span-ids.ts";
import { type AttributeName, SPANS, type SpanEventName, type SpanType } from "./span-table.ts";

/** By name; null for what does not apply. */
export type NamedValues = Partial<Record<AttributeName, AttributeValue | null>>;

function toAttributes(values: NamedValues): Attributes {
	const known = Object.entries(values).filter((entry): entry is [string, AttributeValue] => entry[1] !== null);
	return Object.fromEntries(known);
}

/** True or absent. */
export function flag(isSet: boolean): true | null {
	return isSet ? true : null;
}

export function seconds(ms: number | null): number | null {
	return ms === null ? null : ms / 1000;
}

export function toProvider(id: string | null): string | null {
	return id === null ? null : toProviderName(id);
}

/** A part of the request: where it stands, and its own attributes. */
export interface SpanPart {
	type: SpanType;
	spanId: string;
	parentSpanId: string | null;
	name: string;
	startedAtMs: number;
	endedAtMs: number;
	values: NamedValues;
	events?: readonly SpanEvent[];
	error?: { message: string | null } | undefined;
}

export function toSpan(place: TracePlace, isParentRemote: boolean, part: SpanPart): Span {
	const { type, spanId, parentSpanId, name, startedAtMs, endedAtMs, values, events = [], error } = part;
	return {
		traceId: place.traceId,
		spanId,
		parentSpanId,
		isParentRemote,
		flags: place.flags,
		traceState: place.state,
		name,
		kind: SPANS[type].kind,
		startedAtMs,
		endedAtMs: Math.max(startedAtMs, endedAtMs),
		attributes: toAttributes(values),
		events,
		...(error ? { error } : {}),
	};
}

export function toEvent(name: SpanEventName, atMs: number, attributes: Attributes = {}): SpanEvent {
	return { name, atMs, attributes };
}

/** What each span of a request says: backends filter single spans by it. */
export function commonValues({ requestId, sessionId, endUser }: RequestTelemetry): NamedValues {
	return { "svc.request.id": requestId, "session.id": sessionId, "user.id": endUser };
}

/** Texts, where they are given. */
export function contentValues(content: (ExchangedContent & Partial<ContentTelemetry>) | null): NamedValues {
	if (!content) return {};
	const { system = [], input, output } = content;
	const [sent, asked, answered] = [
		system.length > 0 ? renderParts(system) : null,
		input.length > 0 ? renderMessages(input) : null,
		output.length > 0 ? renderMessages(output) : null,
	];
	return {
		"gen_ai.system_instructions": sent?.text ?? null,
		"gen_ai.input.messages": asked?.text ?? null,
		"gen_ai.output.messages": answered?.text ?? null,
		"svc.content.clipped": flag([sent, asked, answered].some((part) => part?.isClipped)),
	};
}

/** What was used. */
export function tokenValues({ input, output, cacheRead, cacheWrite, reasoning }: TokenTelemetry): NamedValues {
	return {
		"gen_ai.usage.input_tokens": input,
		"gen_ai.usage.output_tokens": output,
		"gen_ai.usage.cache_read.input_tokens": cacheRead,
		"gen_ai.usage.cache_write.input_tokens": cacheWrite,
		"gen_ai.usage.reasoning.output_tokens": reasoning,
	};
}
