// Keys as their owners see them, with what is spent and held of their budgets now.
import type { ServiceContext } from "../account/context.ts";
import { type ApiKey, toBudgetKeyId } from "./key.ts";
import { toKeyView } from "./schemas.ts";

/** Who reads keys. */
export interface KeyReader {
	userId: string;
	isOwner: boolean;
}

/** Views of one user's keys. Asks the meter once, and only if any of them has a budget. */
export async function viewKeys(
	{ meter }: Pick<ServiceContext, "meter">,
	{ userId, isOwner }: KeyReader,
	keys: readonly ApiKey[],
): Promise<ReturnType<typeof toKeyView>[]> {
	const budgeted = keys.flatMap((key) => {
		const { budget } = key.options;
		return budget ? [{ key, query: { budgetKeyId: toBudgetKeyId(key), budget } }] : [];
	});
	const queries = budgeted.map(({ query }) => query);
	const statuses = queries.length > 0 ? await meter(userId).budgets(queries) : [];
	const byKey = new Map(budgeted.map(({ key }, at) => [key, statuses[at]]));
	return keys.map((key) => toKeyView(key, byKey.get(key) ?? null, isOwner));
}

/** The view of one key. */
export async function viewKey(
	context: Pick<ServiceContext, "meter">,
	key: ApiKey,
	isOwner: boolean,
): Promise<ReturnType<typeof toKeyView>> {
	const [view = toKeyView(key, null, isOwner)] = await viewKeys(context, { userId: key.userId, isOwner }, [key]);
	return view;
}
