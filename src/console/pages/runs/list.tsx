// The list of agent runs, with its filters.
import type { z } from "zod";
import type { runSummarySchema } from "../../../agents/response.ts";
import { listPage } from "../../list-page.tsx";
import { TIME_FILTERS } from "../../views/filters.tsx";
import { type Column, Count, EmptyState, Time, Words } from "../../views/parts.tsx";
import { type Run, RunSpend, RunStatus } from "../../views/run.tsx";
import { RUNS_PATH, runPath } from "./frame.ts";

type RunSummary = z.output<typeof runSummarySchema>;

const LISTED = 50;

/** As the API's filter takes them. */
const STATUSES: readonly Run["status"][] = [
	"running",
	"requires_action",
	"complete",
	"budget_exhausted",
	"max_steps_reached",
	"cancelled",
	"interrupted",
];
const STATUS_OPTIONS = STATUSES.map((status) => [status, status.replaceAll("_", " ")] as const);

const COLUMNS: readonly Column<RunSummary>[] = [
	{
		label: "Goal",
		isWide: true,
		cell: ({ run_id, goal }) => (
			<a class="line" href={runPath(run_id)} title={goal}>
				<Words text={goal || run_id} />
			</a>
		),
	},
	{ label: "Status", cell: ({ status }) => <RunStatus status={status} /> },
	{ label: "Steps", isNumeric: true, cell: ({ steps_taken }) => <Count count={steps_taken} /> },
	{ label: "Spent of the cap", cell: (run) => <RunSpend run={run} /> },
	{ label: "Begun (UTC)", cell: ({ created_at }) => <Time iso={created_at} /> },
];

export const runListPage = listPage<RunSummary>({
	id: "runs",
	section: "runs",
	title: "Agent runs",
	path: RUNS_PATH,
	apiPath: "/v1/agent/runs",
	apiMembers: { limit: LISTED },
	filters: [{ name: "status", label: "Status", options: STATUS_OPTIONS }, ...TIME_FILTERS],
	noun: "run",
	lead: "A run works off a goal in steps and never spends more than its cap.",
	actions: ({ session }) =>
		session.role === "approver" ? null : (
			<a class="button" href={`${RUNS_PATH}/new`}>
				Begin a run
			</a>
		),
	caption: "Runs, newest first",
	columns: () => COLUMNS,
	empty: (
		<EmptyState icon="runs" title="No run yet">
			<p>
				<a href={`${RUNS_PATH}/new`}>Begin one</a>, or POST to <code>/v1/agent/run</code>.
			</p>
		</EmptyState>
	),
});
