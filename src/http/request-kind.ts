// What a request that calls models is. Pure.

/** As receipts say it. */
export const REQUEST_KINDS = [
	"chat",
	"skill",
	"orchestration",
	"code",
	"agent",
	"embedding",
	"moderation",
	"rerank",
] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];
