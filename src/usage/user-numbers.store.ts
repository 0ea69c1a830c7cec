// Users by the number that ids of requests hold.
import { eq } from "drizzle-orm";
import { BoundedMap } from "../bounded-map.ts";
import type { Database } from "../db/client.edge.ts";
import { users } from "../db/schema.ts";

/** A number is one user's, but in a deployment that was restored meanwhile. */
const known = new BoundedMap<number, string>(10_000);

/** The user that had a number when D1 was last asked; undefined where this isolate has not asked. */
export function rememberedUserId(number: number): string | undefined {
	return known.get(number);
}

/** The id of the user with a number; undefined where there is none. */
export async function findUserId(db: Database, number: number): Promise<string | undefined> {
	const row = await db.select({ id: users.id }).from(users).where(eq(users.number, number)).get();
	if (row) known.set(number, row.id);
	else known.delete(number);
	return row?.id;
}
