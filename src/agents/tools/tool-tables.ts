// The tables of a run's turns and calls, by name. Only a run with tools has them: each table costs rows in every object that makes it.
export const TOOL_TABLES = {
	turns: `CREATE TABLE turns (step INTEGER NOT NULL, turn INTEGER NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (step, turn))
		WITHOUT ROWID`,
	tool_calls: `CREATE TABLE tool_calls (n INTEGER PRIMARY KEY, id TEXT NOT NULL, body TEXT NOT NULL, arguments BLOB NOT NULL,
		result BLOB, whole BLOB)`,
};
