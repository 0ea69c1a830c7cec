// What a call costs in D1: its statements with their query plans and the rows that each reads.
import { env } from "cloudflare:workers";
import { vi } from "vitest";

export interface D1Statement {
	sql: string;
	rowsRead: number;
	/** The details of the plan, joined by `; `. */
	plan: string;
}

/** Runs each statement of a call again by itself. */
export async function statementsOf(work: () => Promise<unknown>): Promise<D1Statement[]> {
	const prepare = env.DB.prepare.bind(env.DB);
	const made: { sql: string; parameters: unknown[] }[] = [];
	const spy = vi.spyOn(env.DB, "prepare").mockImplementation((sql) => {
		const statement = prepare(sql);
		const bind = statement.bind.bind(statement);
		statement.bind = (...parameters) => {
			made.push({ sql, parameters });
			return bind(...parameters);
		};
		return statement;
	});
	await work();
	spy.mockRestore();
	return Promise.all(
		made.map(async ({ sql, parameters }) => {
			const { meta } = await env.DB.prepare(sql)
				.bind(...parameters)
				.run();
			const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
				.bind(...parameters)
				.all<{ detail: string }>();
			return { sql, rowsRead: meta.rows_read, plan: results.map(({ detail }) => detail).join("; ") };
		}),
	);
}
