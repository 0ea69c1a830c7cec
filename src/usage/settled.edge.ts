// A settled request of a user's: as the meter has it, or as it is stranded in D1 where the meter does not have it yet or is away.
import type { ServiceContext } from "../account/context.ts";
import { StorageUnavailableError } from "../failure.ts";
import type { Settlement } from "../meter/settlement.ts";
import { findStranded } from "../meter/stranded.store.ts";

export type SettledContext = Pick<ServiceContext, "db" | "meter" | "timings">;

/**
 * Asks a user's meter about a request, and D1 where that says `open`, or is away.
 * @param ask the meter's answer.
 * @param fromStranded the same answer of a stranded settlement.
 * @throws StorageUnavailableError when the meter is away and D1 has no settlement, or is away too.
 */
export async function findSettled<Answer, Found extends Answer>(
	{ db, timings }: SettledContext,
	{ userId, requestId }: { userId: string; requestId: string },
	ask: () => Promise<Answer | "open" | null>,
	fromStranded: (settlement: Settlement) => Found,
): Promise<Answer | null> {
	const stranded = async () => {
		const settlement = await timings.measure("d1", () => findStranded(db, requestId));
		return settlement?.usage.user_id === userId ? fromStranded(settlement) : null;
	};
	try {
		const found = await ask();
		return found === "open" ? stranded() : (found as Answer | null);
	} catch (error) {
		if (!(error instanceof StorageUnavailableError)) throw error;
		const found = await stranded();
		if (found) return found;
		throw error;
	}
}
