// Keys as their owners see them, with what they have cost, and what is spent and held of their budgets now.
import type { ServiceContext } from "../account/context.ts";
import type { KeyCosts } from "../meter/key-budget.ts";
import { type ApiKey, toBudgetKeyId } from "./key.ts";
import { toKeyView } from "./schemas.ts";

/** Who reads keys. */
export interface KeyReader {
	userId: string;
	isOwner: boolean;
}

const NO_COSTS: KeyCosts = { todayNanoUsd: 0, monthNanoUsd: 0, totalNanoUsd: 0, lastUsedOn: null };

/** Views of one user's keys. Asks the meter once for all costs, and once more if any key has a budget. */
export async function viewKeys(
	{ meter }: Pick<ServiceContext, "meter">,
	{ userId, isOwner }: KeyReader,
	keys: readonly ApiKey[],
): Promise<ReturnType<typeof toKeyView>[]> {
	if (keys.length === 0) return [];
	const budgeted = keys.flatMap((key) => {
		const { budget } = key.options;
		return budget ? [{ key, query: { budgetKeyId: toBudgetKeyId(key), budget } }] : [];
	});
	const queries = budgeted.map(({ query }) => query);
	const own = meter(userId);
	const [costs, statuses] = await Promise.all([
		own.keyCosts(keys.map(toBudgetKeyId)),
		queries.length > 0 ? own.budgets(queries) : [],
	]);
	const byKey = new Map(budgeted.map(({ key }, at) => [key, statuses[at]]));
	return keys.map((key, at) =>
		toKeyView(key, { budget: byKey.get(key) ?? null, costs: costs[at] ?? NO_COSTS }, isOwner),
	);
}

/** The view of one key. */
export async function viewKey(
	context: Pick<ServiceContext, "meter">,
	key: ApiKey,
	isOwner: boolean,
): Promise<ReturnType<typeof toKeyView>> {
	const [view = toKeyView(key, { budget: null, costs: NO_COSTS }, isOwner)] = await viewKeys(
		context,
		{ userId: key.userId, isOwner },
		[key],
	);
	return view;
}
