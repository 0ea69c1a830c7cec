// The list of keys with their budgets: searched, narrowed, ordered, and with what each has spent lately.
import { failurePage } from "../../failure-page.tsx";
import { formatUsd } from "../../format.ts";
import { ALL_KEYS } from "../../key-names.ts";
import type { ConsolePage, PageAnswer, PageRequest } from "../../page.ts";
import { chooseRows, pageRows, type RowChoice } from "../../row-choice.ts";
import { readUsageLines, type UsageLine } from "../../usage-lines.ts";
import { Sparkline } from "../../views/bars.tsx";
import { type Filter, Filters } from "../../views/filters.tsx";
import { Icon } from "../../views/icons.tsx";
import type { Key } from "../../views/key-fields.tsx";
import { PageLinks } from "../../views/page-links.tsx";
import { Badge, type Column, Notice, Table, Time, Usd, Words } from "../../views/parts.tsx";
import { Budget, FRAME, KEYS_PATH, keyPath } from "./frame.tsx";

const PAGE_KEYS = 50;
const DAYS = 14;

/** A key with what it has spent lately; null where others have spent more than it, or it has spent nothing. */
interface UsedKey extends Key {
	used: UsageLine | null;
}

function nameOf({ name, last4 }: Key): string {
	return name ?? `unnamed …${last4}`;
}

const byName = (a: Key, b: Key) => nameOf(a).localeCompare(nameOf(b), "en");

/** What share of its budget a key has spent; 0 without one. */
function budgetShare({ budget_usd, spent_usd }: Key): number {
	return budget_usd ? (spent_usd ?? 0) / budget_usd : 0;
}

const CHOICE: RowChoice<UsedKey> = {
	searched: ({ name, last4, key_id, tags }) => [name, last4, key_id, ...tags],
	filters: {
		role: ({ role }, value) => role === value,
		tag: ({ tags }, value) => tags.includes(value),
		budget: (key, value) => {
			if (value === "none") return key.budget_usd === null;
			return value === "tight" ? budgetShare(key) >= 0.8 : key.budget_usd !== null;
		},
		used: ({ last_used_on }, value) => (value === "ever") === (last_used_on !== null),
	},
	orders: {
		spent: (a, b) => b.cost_month_usd - a.cost_month_usd || byName(a, b),
		name: byName,
		newest: (a, b) => b.created_at.localeCompare(a.created_at),
		last: (a, b) => (b.last_used_on ?? "").localeCompare(a.last_used_on ?? "") || byName(a, b),
		budget: (a, b) => budgetShare(b) - budgetShare(a) || byName(a, b),
	},
};

function filtersOf(keys: readonly Key[]): readonly Filter[] {
	const tags = [...new Set(keys.flatMap((key) => key.tags))].sort();
	return [
		{ name: "q", label: "Search", type: "text", placeholder: "name, tag or end" },
		{
			name: "role",
			label: "Role",
			options: [
				["agent", "agent"],
				["approver", "approver"],
				["owner", "owner"],
			],
		},
		{ name: "tag", label: "Tag", options: tags.map((tag) => [tag, tag] as const) },
		{
			name: "budget",
			label: "Budget",
			options: [
				["tight", "80 % spent or more"],
				["some", "has one"],
				["none", "has none"],
			],
		},
		{
			name: "used",
			label: "Used",
			options: [
				["ever", "has been used"],
				["never", "never"],
			],
		},
		{
			name: "order",
			label: "Order",
			none: "spent this month",
			options: [
				["name", "name"],
				["newest", "newest"],
				["last", "last used"],
				["budget", "share of budget"],
			],
		},
	];
}

function KeyCell({ item, isOwn }: { item: UsedKey; isOwn: boolean }) {
	return (
		<>
			<a href={keyPath(item.key_id)}>
				<Words text={nameOf(item)} />
			</a>{" "}
			{isOwn ? <Badge kind="good">this session</Badge> : null}
			<span class="hint">
				{item.role} <code>…{item.last4}</code>
			</span>
		</>
	);
}

function keyColumns({ session }: PageRequest): readonly Column<UsedKey>[] {
	return [
		{ label: "Key", cell: (item) => <KeyCell item={item} isOwn={item.key_id === session.keyId} /> },
		{
			label: "Tags",
			cell: ({ tags }) => (
				<span class="abilities">
					{tags.map((tag) => (
						<a class="badge plain" href={`${KEYS_PATH}?tag=${encodeURIComponent(tag)}`}>
							{tag}
						</a>
					))}
				</span>
			),
		},
		{ label: "Budget", cell: (item) => <Budget item={item} /> },
		{
			label: `${DAYS} days`,
			cell: ({ used, key_id }) =>
				used === null ? (
					<span class="faint">–</span>
				) : (
					<a href={`/console/requests?key_id=${encodeURIComponent(key_id)}`}>
						<Sparkline values={used.costs} label={`Requests: ${formatUsd(used.costUsd)} spent in ${DAYS} days`} />
					</a>
				),
		},
		{ label: "Today (UTC)", isNumeric: true, cell: ({ cost_today_usd }) => <Usd usd={cost_today_usd} /> },
		{ label: "Month", isNumeric: true, cell: ({ cost_month_usd }) => <Usd usd={cost_month_usd} /> },
		{ label: "In all", isNumeric: true, cell: ({ cost_total_usd }) => <Usd usd={cost_total_usd} /> },
		{
			label: "Last used",
			cell: ({ last_used_on, expires_at }) => (
				<>
					<span class="name">{last_used_on ?? "never"}</span>
					{expires_at === null ? null : (
						<span class="hint">
							ends <Time iso={expires_at} /> UTC
						</span>
					)}
				</>
			),
		},
	];
}

function KeyActions() {
	return (
		<a class="button" href={`${KEYS_PATH}/new`}>
			<Icon name="plus" />
			Make a key
		</a>
	);
}

/** Says to an agent why it finds no such action. */
function AgentNote() {
	return (
		<Notice kind="note" title="An agent's key may not change keys">
			<p>Sign in with an owner's key to make, change or revoke one.</p>
		</Notice>
	);
}

function KeysContent({ keys, request }: { keys: readonly UsedKey[]; request: PageRequest }) {
	const { query, session } = request;
	const chosen = chooseRows(keys, query, CHOICE);
	const part = pageRows(chosen, query, PAGE_KEYS);
	const counted = chosen.length === keys.length ? `${keys.length} keys` : `${chosen.length} of ${keys.length} keys`;
	return (
		<>
			{session.role === "owner" ? null : <AgentNote />}
			<Filters path={KEYS_PATH} query={query} filters={filtersOf(keys)} />
			<Table
				caption="Keys that are not deleted"
				rows={part.rows}
				columns={keyColumns(request)}
				empty={
					<p>
						No key matches. <a href={KEYS_PATH}>Show all</a>
					</p>
				}
			/>
			<PageLinks path={KEYS_PATH} query={query} part={part} counted={counted} />
		</>
	);
}

export const keysPage: ConsolePage = {
	id: "keys",
	method: "GET",
	path: KEYS_PATH,
	async handle(request): Promise<PageAnswer> {
		const { api, service, session } = request;
		const [list, lines] = await Promise.all([
			api.get<{ data: Key[] }>(`/v1/keys?limit=${ALL_KEYS}`),
			readUsageLines(api, "key", DAYS, service.nowMs),
		]);
		if (!list.ok) return failurePage({ ...FRAME, title: "Keys" }, list.failure);
		const keys = list.value.data.map((key) => ({ ...key, used: lines.get(key.key_id) ?? null }));
		return {
			...FRAME,
			title: "Keys",
			lead: "Give each application and agent a key of its own, with the budget that it may spend.",
			actions: session.role === "owner" ? <KeyActions /> : undefined,
			content: <KeysContent keys={keys} request={request} />,
		};
	},
};
