// The coding agents whose hooks the service answers.

export const AGENTS = ["claude-code", "codex"] as const;
export type Agent = (typeof AGENTS)[number];
