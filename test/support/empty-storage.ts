// Empties what the files before left in a runtime that test files share: each file starts as in a runtime of its own.
import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";

await reset();
// Now and then the runner's reset leaves the database as it was: a connection that is still in use holds it.
const { results } = await env.DB.prepare(
	`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`,
).all<{ name: string }>();
if (results.length > 0) {
	const statements = ["PRAGMA defer_foreign_keys = on", ...results.map(({ name }) => `DROP TABLE "${name}"`)];
	await env.DB.batch(statements.map((statement) => env.DB.prepare(statement)));
}
