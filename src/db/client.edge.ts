// The Drizzle client over the D1 binding.
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";

export type Database = DrizzleD1Database;

const clients = new WeakMap<D1Database, Database>();

/** The client of a D1 binding, built once per isolate. */
export function database(binding: D1Database): Database {
	const known = clients.get(binding);
	if (known) return known;
	const client = drizzle(binding);
	clients.set(binding, client);
	return client;
}
