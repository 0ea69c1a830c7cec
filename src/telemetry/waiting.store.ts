// What runs of agents wait for in the whole deployment, from the rows that mirror them in D1.
import type { GaugePoint } from "./metric-points.ts";

/** As lists of runs show it; a kind of which nothing waits is 0. */
const KINDS = ["client_tool", "approval", "input", "plan"] as const;

/** The gauge of what waits, by kind. @throws what D1 throws. */
export async function readWaitingGauges(db: D1Database): Promise<GaugePoint[]> {
	// The status as a literal: so the partial index serves.
	const { results } = await db
		.prepare(
			`SELECT pending.value ->> '$.kind' AS kind, count(*) AS waiting
			FROM agent_runs, json_each(agent_runs.summary, '$.pending') AS pending
			WHERE agent_runs.status = 'requires_action' GROUP BY 1`,
		)
		.all<{ kind: string; waiting: number }>();
	const counts = new Map(results.map(({ kind, waiting }) => [kind, waiting]));
	return KINDS.map((kind) => ({
		kind: "gauge",
		metric: "svc.agent.pending",
		labels: { kind },
		value: counts.get(kind) ?? 0,
	}));
}
