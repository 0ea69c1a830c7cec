// The list of keys with their budgets.
import { listPage } from "../../list-page.tsx";
import type { PageRequest } from "../../page.ts";
import { Icon } from "../../views/icons.tsx";
import type { Key } from "../../views/key-fields.tsx";
import { Badge, type Column, Notice, Time, Usd, Words } from "../../views/parts.tsx";
import { Budget, KEYS_PATH, keyPath } from "./frame.tsx";

const LISTED = 100;

function KeyName({ item }: { item: Key }) {
	return (
		<>
			<Words text={item.name ?? "unnamed"} /> <code class="name">…{item.last4}</code>
		</>
	);
}

function keyColumns({ session }: PageRequest): readonly Column<Key>[] {
	return [
		{
			label: "Key",
			cell: (item) => (
				<>
					<a href={keyPath(item.key_id)}>
						<KeyName item={item} />
					</a>{" "}
					{item.key_id === session.keyId ? <Badge kind="good">this session</Badge> : null}
				</>
			),
		},
		{ label: "Role", cell: ({ role }) => role },
		{ label: "Budget", cell: (item) => <Budget item={item} /> },
		{ label: "Today", isNumeric: true, cell: ({ cost_today_usd }) => <Usd usd={cost_today_usd} /> },
		{ label: "Month", isNumeric: true, cell: ({ cost_month_usd }) => <Usd usd={cost_month_usd} /> },
		{ label: "In all", isNumeric: true, cell: ({ cost_total_usd }) => <Usd usd={cost_total_usd} /> },
		{ label: "Last charged", cell: ({ last_used_on }) => last_used_on ?? "never" },
		{ label: "Ends", cell: ({ expires_at }) => (expires_at === null ? "never" : <Time iso={expires_at} />) },
	];
}

function KeyActions({ session }: PageRequest) {
	if (session.role !== "owner") return null;
	return (
		<a class="button" href={`${KEYS_PATH}/new`}>
			<Icon name="plus" />
			Make a key
		</a>
	);
}

/** Says to an agent why it finds no such action. */
function AgentNote({ session }: PageRequest) {
	if (session.role === "owner") return null;
	return (
		<Notice kind="note" title="An agent's key may not change keys">
			<p>Sign in with an owner's key to make, change or revoke one.</p>
		</Notice>
	);
}

export const keysPage = listPage<Key>({
	id: "keys",
	section: "keys",
	title: "Keys",
	path: KEYS_PATH,
	apiPath: "/v1/keys",
	apiMembers: { limit: LISTED },
	filters: [],
	noun: "key",
	lead: "Give each application and agent a key of its own, with the budget that it may spend.",
	actions: KeyActions,
	note: AgentNote,
	caption: "Keys that are not deleted, newest first",
	columns: keyColumns,
	empty: <p>No key.</p>,
});
