// The table of a StoredResponses object. Only ids and numbers in it are readable.
import type { TableSchema } from "../durable/migrations.edge.ts";

export const STORED_RESPONSE_TABLES: TableSchema = {
	name: "stored responses",
	steps: [
		// In the order of ids, which is that of time. Without a rowid, a response is one row written, not two.
		(sql) =>
			sql.exec(`
				CREATE TABLE responses (id TEXT PRIMARY KEY, previous_id TEXT, bytes INTEGER NOT NULL, response BLOB NOT NULL,
					input BLOB NOT NULL, output BLOB NOT NULL) WITHOUT ROWID;
			`),
		// The API key that made it; null in responses from before this column.
		(sql) => sql.exec("ALTER TABLE responses ADD COLUMN key_id TEXT"),
	],
};
