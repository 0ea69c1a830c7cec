// What a request is in the words of the GenAI conventions. Pure.
import type { RequestTelemetry } from "./request-telemetry.ts";

/** The operation of a request's calls: embeddings are one of the conventions, everything else is a chat. */
export function toOperation(kind: RequestTelemetry["kind"]): "chat" | "embeddings" {
	return kind === "embeddings" ? "embeddings" : "chat";
}

/** The operation of the request's own span. */
export function requestOperation({ kind }: RequestTelemetry): string {
	if (kind === "agent") return "invoke_agent";
	if (kind === "orchestration" || kind === "code") return "invoke_workflow";
	return toOperation(kind);
}

/** The model that was asked for; where the client named none, the one that was chosen. */
export function askedModel({ asked, fallbackFrom, model }: RequestTelemetry): string | null {
	return asked?.model ?? fallbackFrom ?? model;
}

/** Whether the request asks one model, so that its span has one. */
export function asksOneModel({ kind }: RequestTelemetry): boolean {
	return kind === "chat" || kind === "skill" || kind === "embeddings";
}
