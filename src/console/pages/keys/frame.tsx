// What the pages of keys share: their paths, and a key's budget.
import { formatExactUsd, formatUsd } from "../../format.ts";
import type { Key } from "../../views/key-fields.tsx";
import { Meter } from "../../views/parts.tsx";

export const KEYS_PATH = "/console/keys";
export const FRAME = { kind: "page", section: "keys" } as const;

export function keyPath(keyId: string): string {
	return `${KEYS_PATH}/${encodeURIComponent(keyId)}`;
}

/** What a key has spent of its budget. */
export function Budget({ item }: { item: Key }) {
	const { budget_usd, spent_usd, held_usd, budget_period } = item;
	if (budget_usd === null || spent_usd === null) return <>none</>;
	const used = spent_usd + (held_usd ?? 0);
	return (
		<Meter label={`Budget of ${item.name ?? item.last4}`} share={budget_usd === 0 ? 1 : used / budget_usd}>
			<span title={`${formatExactUsd(spent_usd)} of ${formatExactUsd(budget_usd)}`}>
				{formatUsd(spent_usd)} of {formatUsd(budget_usd)} ({budget_period ?? "total"})
			</span>
			{held_usd ? `, ${formatUsd(held_usd)} held` : ""}
		</Meter>
	);
}
