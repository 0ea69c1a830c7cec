// Filters and words that policy checks and other audit events share.
import { DECISIONS } from "../../audit/event.ts";
import { payloadText, type SummedCheck } from "../policy-summary.ts";
import { type Filter, TIME_FILTERS } from "./filters.tsx";
import { Badge, Words } from "./parts.tsx";
import { SessionLink } from "./session-link.tsx";

const DECISION_OPTIONS = DECISIONS.map((decision) => [decision, decision] as const);

/** What every list of events is narrowed by. */
export const EVENT_FILTERS: readonly Filter[] = [
	{ name: "decision", label: "Decision", options: DECISION_OPTIONS },
	{ name: "workspace_id", label: "Workspace", type: "text" },
	{ name: "actor", label: "Key", options: [] },
	...TIME_FILTERS,
];

const DECISION_KINDS: Record<string, "good" | "warn" | "bad"> = {
	allow: "good",
	confirm: "warn",
	approve: "warn",
	deny: "bad",
};

export function DecisionBadge({ decision }: { decision: string }) {
	return <Badge kind={DECISION_KINDS[decision] ?? "plain"}>{decision}</Badge>;
}

const TIER_KINDS: Record<string, "good" | "warn" | "bad"> = {
	auto: "good",
	confirm: "warn",
	approve: "warn",
	block: "bad",
};

export function TierBadge({ tier }: { tier: string }) {
	return <Badge kind={TIER_KINDS[tier] ?? "plain"}>{tier}</Badge>;
}

export function WorkspaceLink({ id }: { id: string }) {
	return (
		<a class="short" href={`/console/workspaces/${encodeURIComponent(id)}`} title={id}>
			<Words text={id} />
		</a>
	);
}

/** The coding agent and the session, of an event that has them. */
export function EventOrigin({ payload }: Pick<SummedCheck, "payload">) {
	const agent = payloadText(payload, "agent");
	const session = payloadText(payload, "session_id");
	if (agent === null && session === null) return null;
	return (
		<span class="hint">
			<span class="line">
				{agent}
				{agent === null || session === null ? "" : " · "}
				{session === null ? null : <SessionLink id={session} />}
			</span>
		</span>
	);
}
