// Users by the number that ids of requests hold.
import { eq } from "drizzle-orm";
import { BoundedMap } from "../bounded-map.ts";
import type { Database } from "../db/client.edge.ts";
import { users } from "../db/schema.ts";

/** A number is one user's for good. */
const known = new BoundedMap<number, string>(10_000);

/** The id of the user with a number; undefined where there is none. An isolate asks D1 once. */
export async function findUserId(db: Database, number: number): Promise<string | undefined> {
	const remembered = known.get(number);
	if (remembered !== undefined) return remembered;
	const row = await db.select({ id: users.id }).from(users).where(eq(users.number, number)).get();
	if (row) known.set(number, row.id);
	return row?.id;
}
