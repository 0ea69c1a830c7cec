// The MCP server's resources: skills and shared routing configs, their sources and addresses. Pure.

/** The ids of the endpoints that resources and prompts are read from. */
export const SOURCE_ENDPOINTS = {
	skills: "list_skills",
	skill: "get_skill",
	ownShares: "list_brain_shares",
	share: "get_brain_share",
} as const;

const URI_SCHEME = "svc://";

/** Templates of the resources, each with an id. */
export const RESOURCE_TEMPLATES = [
	{
		uriTemplate: `${URI_SCHEME}skills/{skill_id}`,
		name: "skill",
		title: "Skill",
		description: "An expert instruction set, as the Markdown text that becomes the system prompt.",
		mimeType: "text/markdown",
	},
	{
		uriTemplate: `${URI_SCHEME}brain/{share_id}`,
		name: "shared_routing_config",
		title: "Shared routing config",
		description: "A shared routing config in its normal form, with its text if it was shared as one; anybody's.",
		mimeType: "application/json",
	},
] as const;

/** The resource that an address names. */
interface ResourceName {
	kind: "skill" | "share";
	id: string;
}

/** Parses an address; null when it cannot name a resource. */
export function parseResourceUri(uri: string): ResourceName | null {
	const [, folder, id] = /^svc:\/\/(skills|brain)\/([A-Za-z0-9-]{1,128})$/.exec(uri) ?? [];
	if (!folder || !id) return null;
	return { kind: folder === "skills" ? "skill" : "share", id };
}

/** The address of a resource. */
export function renderResourceUri({ kind, id }: ResourceName): string {
	return `${URI_SCHEME}${kind === "skill" ? "skills" : "brain"}/${id}`;
}
