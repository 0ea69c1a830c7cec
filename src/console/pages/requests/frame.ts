// What the pages of requests share: their paths, and requests as the API shows them.
import type { z } from "zod";
import type { RequestKind } from "../../../http/request-kind.ts";
import type { requestDetailSchema, requestSchema } from "../../../usage/request-views.ts";
import { withQuery } from "../../api.ts";

export type ShownRequest = z.output<typeof requestSchema>;
export type WholeRequest = z.output<typeof requestDetailSchema>;

export const REQUESTS_PATH = "/console/requests";

export const REQUEST_KIND_NAMES: Readonly<Record<RequestKind, string>> = {
	chat: "Chat",
	skill: "Skill",
	orchestration: "Orchestration",
	code: "Code",
	agent: "Agent run",
	embedding: "Embedding",
	moderation: "Moderation",
	rerank: "Rerank",
};

const KIND_NAMES = new Map<string, string>(Object.entries(REQUEST_KIND_NAMES));

export function requestKindName(kind: string): string {
	return KIND_NAMES.get(kind) ?? kind;
}

/** The page of a request; of a run, the run's. @param zone whose times it shows, where the page can choose. */
export function requestPath({ request_id, kind }: Pick<ShownRequest, "request_id" | "kind">, zone = "UTC"): string {
	if (kind === "agent") return `/console/runs/${encodeURIComponent(request_id)}`;
	const time_zone = zone === "UTC" ? null : zone;
	return withQuery(`${REQUESTS_PATH}/${encodeURIComponent(request_id)}`, { time_zone });
}
