// Filters and rows that policy checks and other audit events share.
import { withQuery } from "../api.ts";
import { showDirectionMarks } from "../json-text.ts";
import { Badge, Field, Notice, Time } from "./parts.tsx";

/** Names of the filters in a page's query, as the API takes them. */
const FILTER_NAMES = ["workspace_id", "event_type", "decision", "actor", "since", "until", "cursor"] as const;

/** The API's path for a page of events. @param query the page's own. */
export function eventsPath(query: URLSearchParams, more: Record<string, string> = {}): string {
	const members = Object.fromEntries(FILTER_NAMES.map((name) => [name, query.get(name)?.trim()]));
	return withQuery("/v1/audit/events", { ...members, ...more });
}

/** Whether a page shows anything less than all. */
export function isFiltered(query: URLSearchParams): boolean {
	return FILTER_NAMES.some((name) => Boolean(query.get(name)));
}

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

/** Characters of a text that a list shows. */
const SHOWN_CHARS = 300;

/** What somebody wrote, in a list: kept apart from the text around it, and cut where it is long. */
export function Words({ text }: { text: string }) {
	const shown = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
	return <bdi class="words">{showDirectionMarks(shown)}</bdi>;
}

export function WorkspaceLink({ id }: { id: string }) {
	return (
		<a href={`/console/workspaces/${encodeURIComponent(id)}`}>
			<Words text={id} />
		</a>
	);
}

interface SelectProps {
	name: string;
	label: string;
	value: string;
	options: readonly string[];
	/** Shown for no value. */
	none: string;
}

/** A labelled choice of one of some words, or of none. */
export function SelectField({ name, label, value, options, none }: SelectProps) {
	return (
		<Field name={name} label={label}>
			{(attributes) => (
				<select {...attributes}>
					<option value="">{none}</option>
					{options.map((option) => (
						<option value={option} selected={option === value}>
							{option}
						</option>
					))}
				</select>
			)}
		</Field>
	);
}

interface FilterFormProps {
	path: string;
	query: URLSearchParams;
	/** Choices before the fields that all events have. */
	selects: readonly Omit<SelectProps, "value">[];
}

const TEXT_FILTERS = [
	{ name: "workspace_id", label: "Workspace", placeholder: "" },
	{ name: "actor", label: "Actor", placeholder: "key:… or operator" },
	{ name: "since", label: "Since (UTC)", placeholder: "2026-07-22" },
	{ name: "until", label: "Until (UTC)", placeholder: "2026-07-22T18:00:00Z" },
] as const;

/** The filters of a list of events, as a form that makes a link of itself. */
export function EventFilters({ path, query, selects }: FilterFormProps) {
	return (
		<form class="filters" method="get" action={path} aria-label="Filters">
			{selects.map((select) => (
				<SelectField {...select} value={query.get(select.name) ?? ""} />
			))}
			{TEXT_FILTERS.map(({ name, label, placeholder }) => (
				<Field name={name} label={label}>
					{(attributes) => (
						<input {...attributes} value={query.get(name) ?? ""} placeholder={placeholder} spellcheck={false} />
					)}
				</Field>
			))}
			<button type="submit">Filter</button>
			<a class="button quiet" href={path}>
				Clear
			</a>
		</form>
	);
}

/** Says where a search has stopped for now. */
export function SearchedBackTo({ time }: { time: string | null }) {
	if (time === null) return null;
	return (
		<Notice kind="note" title="There may be more further back">
			<p>
				Searched back to <Time iso={time} />. The next page goes on from there.
			</p>
		</Notice>
	);
}
