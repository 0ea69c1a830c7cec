// What a request is in the words of the GenAI conventions. Pure.
import { isEncoderKind } from "../catalog/vocabulary.ts";
import type { RequestTelemetry } from "./request-telemetry.ts";

/** The operation of a request's calls. The conventions have chats and embeddings, and no word for moderations and reranks. */
export function toOperation(kind: RequestTelemetry["kind"]): "chat" | "embeddings" | "moderation" | "rerank" {
	if (kind === "embedding") return "embeddings";
	return isEncoderKind(kind) ? kind : "chat";
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
	return kind === "chat" || kind === "skill" || isEncoderKind(kind);
}
