// The Drizzle client over the D1 binding.
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import * as schema from "./schema.ts";

export type Database = DrizzleD1Database<typeof schema>;

/** A client for one D1 binding. */
export function database(binding: D1Database): Database {
	return drizzle(binding, { schema });
}
