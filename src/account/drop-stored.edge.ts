// Tells the meter what was deleted, so that it counts no more.
import { logError } from "../http/log.edge.ts";
import type { StoredDeletion } from "../meter/stored-bytes.ts";
import type { ServiceContext } from "./context.ts";

/**
 * What was deleted counts no more. Never throws: what is lost here is counted anew one day.
 * @param id names the deletion, which counts once.
 */
export async function dropStored(
	id: string,
	userId: string,
	deletion: StoredDeletion,
	{ meter }: Pick<ServiceContext, "meter">,
): Promise<void> {
	try {
		await meter(userId).dropStored(id, userId, deletion);
	} catch (error) {
		logError("stored_bytes_not_given_back", error, { deletion: id });
	}
}
