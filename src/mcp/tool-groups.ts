// Groups of tools, of which a client lists some (docs/reference.md, "MCP"). Pure.

/** The tools of each group. Every tool is in one of them. */
const TOOLS_BY_GROUP = {
	chat: ["create_chat_completion", "preview_route", "list_models", "get_model"],
	orchestration: ["orchestrate", "write_code"],
	agents: [
		"start_agent_run",
		"get_agent_run",
		"cancel_agent_run",
		"resume_agent_run",
		"list_agent_runs",
		"get_agent_trajectory",
		"get_agent_step",
		"verify_trajectory",
	],
	skills: ["list_skills", "get_skill", "invoke_skill"],
	policy: ["check_policy", "score_risk", "list_audit_events"],
	handoffs: ["create_handoff", "get_handoff_chain", "get_handoff", "get_handoff_proof"],
	workspaces: [
		"list_workspaces",
		"check_workspace_readiness",
		"get_workspace_snapshot",
		"get_workspace_manifest",
		"put_workspace_manifest",
	],
	configs: [
		"validate_brain_config",
		"create_brain_share",
		"list_brain_shares",
		"get_brain_share",
		"delete_brain_share",
	],
	compliance: ["preview_compliance"],
	proofs: ["get_proof", "get_public_key"],
	account: ["get_usage", "get_savings", "list_requests", "get_request", "give_feedback", "list_plans", "health"],
} as const satisfies Record<string, readonly string[]>;

/** What a client gets that names no group: enough to work, in less than 6,000 tokens. */
const DEFAULT_TOOLS = [
	"create_chat_completion",
	"preview_route",
	"orchestrate",
	"start_agent_run",
	"get_agent_run",
	"cancel_agent_run",
	"check_policy",
	"create_handoff",
	"get_handoff_chain",
	"list_skills",
	"get_skill",
	"invoke_skill",
] as const;

/** Every group by its name. */
export const TOOL_GROUPS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
	["default", DEFAULT_TOOLS],
	["all", Object.values(TOOLS_BY_GROUP).flat()],
	...Object.entries(TOOLS_BY_GROUP),
]);

/** The names of groups in a text, joined by commas. A blank text stands for the default. */
export function parseGroups(text: string): string[] {
	const groups = text.split(",").flatMap((name) => name.trim() || []);
	return groups.length === 0 ? ["default"] : groups;
}
