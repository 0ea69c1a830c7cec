// Agent runs: the list, one run while it goes and after, its steps' texts, and the form that begins one.
import type { z } from "zod";
import type { runSummarySchema, startedRunSchema, stepTextSchema, trajectorySchema } from "../../agents/response.ts";
import type { ApiAnswer, ApiFailure } from "../api.ts";
import { failurePage } from "../failure-page.tsx";
import { readNumber } from "../form-values.ts";
import { fragmentResponse } from "../fragment.tsx";
import { listPage } from "../list-page.tsx";
import type { ConsolePage, PageAnswer, PageRequest, ShownPage } from "../page.ts";
import { TIME_FILTERS } from "../views/filters.tsx";
import { CodeBlock, type Column, Count, Definitions, Failure, Field, Notice, Time, Words } from "../views/parts.tsx";
import { LiveRun, type Run, RunSpend, RunStatus } from "../views/run.tsx";

type RunSummary = z.output<typeof runSummarySchema>;
type StartedRun = z.output<typeof startedRunSchema>;
type StepText = z.output<typeof stepTextSchema>;
type Trajectory = z.output<typeof trajectorySchema>;

const PATH = "/console/runs";
const LISTED = 50;
const FRAME = { kind: "page", section: "runs" } as const;

/** As the API's filter takes them. */
const STATUSES: readonly Run["status"][] = [
	"running",
	"complete",
	"budget_exhausted",
	"max_steps_reached",
	"cancelled",
	"interrupted",
];
const STATUS_OPTIONS = STATUSES.map((status) => [status, status.replaceAll("_", " ")] as const);

function runPath(runId: string): string {
	return `${PATH}/${encodeURIComponent(runId)}`;
}

function apiPath({ params }: PageRequest, rest = ""): string {
	return `/v1/agent/${encodeURIComponent(params["run_id"] ?? "")}${rest}`;
}

const COLUMNS: readonly Column<RunSummary>[] = [
	{
		label: "Begun (UTC)",
		cell: ({ run_id, created_at }) => (
			<a href={runPath(run_id)}>
				<Time iso={created_at} />
			</a>
		),
	},
	{ label: "Goal", cell: ({ goal }) => <Words text={goal} /> },
	{ label: "Status", cell: ({ status }) => <RunStatus status={status} /> },
	{ label: "Steps", isNumeric: true, cell: ({ steps_taken }) => <Count count={steps_taken} /> },
	{ label: "Spent of the cap", cell: (run) => <RunSpend run={run} /> },
];

const listedPage = listPage<RunSummary>({
	id: "runs",
	section: "runs",
	title: "Agent runs",
	path: PATH,
	apiPath: "/v1/agent/runs",
	apiMembers: { limit: LISTED },
	filters: [{ name: "status", label: "Status", options: STATUS_OPTIONS }, ...TIME_FILTERS],
	noun: "run",
	lead: "A run works off a goal in steps and never spends more than its cap.",
	actions: () => (
		<p class="actions">
			<a class="button" href={`${PATH}/new`}>
				Begin a run
			</a>
		</p>
	),
	caption: "Runs, newest first",
	columns: () => COLUMNS,
	empty: (
		<p>
			No run yet. <a href={`${PATH}/new`}>Begin one</a>, or POST to <code>/v1/agent/run</code>.
		</p>
	),
});

/** The form that begins a run. A form that is sent twice begins one run: it carries the run's idempotency key. */
function newRunPage(values: URLSearchParams, requestId: string, failure: ApiFailure | null): ShownPage {
	const value = (name: string) => values.get(name) ?? "";
	const errorAt = (name: string) => failure?.issues.find(({ path }) => path === name)?.message ?? null;
	return {
		...FRAME,
		title: "Begin a run",
		status: failure?.status,
		content: (
			<>
				<Notice kind="note" title="A run spends money">
					<p>It calls models until the goal is reached or the cap is. It can be cancelled on its page.</p>
				</Notice>
				{failure ? <Failure failure={failure} /> : null}
				<form method="post" action={`${PATH}/new`}>
					<input type="hidden" name="idempotency_key" value={value("idempotency_key") || `console-${requestId}`} />
					<Field name="goal" label="Goal" error={errorAt("goal")}>
						{(attributes) => (
							<textarea {...attributes} rows={5} required>
								{value("goal")}
							</textarea>
						)}
					</Field>
					<Field
						name="max_cost_usd"
						label="Cap in USD"
						hint="It never spends more. Empty: the plan's cap."
						error={errorAt("max_cost_usd")}
					>
						{(attributes) => (
							<input
								{...attributes}
								type="number"
								step="any"
								min="0"
								value={value("max_cost_usd")}
								autocomplete="off"
							/>
						)}
					</Field>
					<Field
						name="max_steps"
						label="Steps at most"
						hint="Plan and final step included."
						error={errorAt("max_steps")}
					>
						{(attributes) => <input {...attributes} type="number" min="1" value={value("max_steps")} />}
					</Field>
					<Field name="policy" label="Policy" error={errorAt("policy")}>
						{(attributes) => (
							<select {...attributes}>
								{["balanced", "efficiency", "depth"].map((policy) => (
									<option value={policy} selected={policy === value("policy")}>
										{policy}
									</option>
								))}
							</select>
						)}
					</Field>
					<Field
						name="workspace_id"
						label="Workspace"
						hint="Where its audit events belong. Empty: none."
						error={errorAt("workspace_id")}
					>
						{(attributes) => <input {...attributes} type="text" value={value("workspace_id")} maxlength={128} />}
					</Field>
					<button type="submit">Begin the run</button>
				</form>
			</>
		),
	};
}

const newPage: ConsolePage = {
	id: "new_run",
	method: "GET",
	path: `${PATH}/new`,
	handle: async ({ query, service }) => newRunPage(query, service.requestId, null),
};

const beginPage: ConsolePage = {
	id: "begin_run",
	method: "POST",
	path: `${PATH}/new`,
	async handle({ api, form, service }): Promise<PageAnswer> {
		const started = await api.send<StartedRun>("POST", "/v1/agent/run", {
			goal: form.get("goal"),
			max_cost_usd: readNumber(form, "max_cost_usd"),
			max_steps: readNumber(form, "max_steps"),
			policy: form.get("policy") || null,
			workspace_id: form.get("workspace_id") || null,
			idempotency_key: form.get("idempotency_key") || null,
			background: true,
		});
		if (started.ok) return { kind: "redirect", to: runPath(started.value.run_id) };
		return newRunPage(form, service.requestId, started.failure);
	},
};

function Verification({ trajectory }: { trajectory: ApiAnswer<Trajectory> }) {
	if (!trajectory.ok) return <Failure failure={trajectory.failure} />;
	const { verification, trajectory_proof } = trajectory.value;
	return (
		<>
			{verification.valid ? (
				<Notice kind="success" title="The trajectory holds">
					<p>The proofs of its {verification.n_steps} steps were computed anew and lead to the run's proof.</p>
				</Notice>
			) : (
				<Notice kind="error" title="The trajectory does not hold">
					<p>Steps whose proofs differ: {verification.mismatched_steps.join(", ") || "none; the run's own does"}.</p>
				</Notice>
			)}
			<Definitions
				entries={[
					["Proof of the run", <code>{trajectory_proof}</code>],
					["Computed anew", <code>{verification.recomputed_proof}</code>],
				]}
			/>
		</>
	);
}

function RunForms({ run }: { run: Run }) {
	const path = runPath(run.run_id);
	if (run.sealed) return null;
	return (
		<div class="actions">
			{run.status === "interrupted" ? (
				<form method="post" action={`${path}/resume`}>
					<button type="submit">Resume the run</button>
					<p class="hint">It may spend what is left of its cap.</p>
				</form>
			) : null}
			<form method="post" action={`${path}/cancel`}>
				<button type="submit" class="danger">
					Cancel the run
				</button>
			</form>
		</div>
	);
}

/** A run's page. @param failure of what a form asked for. */
async function answerRunPage(request: PageRequest, failure: ApiFailure | null): Promise<PageAnswer> {
	const run = await request.api.get<Run>(apiPath(request));
	if (!run.ok) return failurePage({ ...FRAME, title: "Run" }, run.failure);
	const isOver = run.value.status !== "running";
	const trajectory = isOver ? await request.api.get<Trajectory>(apiPath(request, "/trajectory")) : null;
	return {
		...FRAME,
		title: "Run",
		status: failure?.status,
		content: (
			<>
				<p class="lead">
					<code>{run.value.run_id}</code>
				</p>
				{failure ? <Failure failure={failure} /> : null}
				<RunForms run={run.value} />
				<LiveRun run={run.value} />
				<h2>Verification</h2>
				{trajectory ? (
					<Verification trajectory={trajectory} />
				) : (
					<p class="hint">When the run has ended; reload the page then.</p>
				)}
				<p>
					<a href={`/v1/proof/${encodeURIComponent(run.value.run_id)}`}>The receipt as JSON</a>, once it is signed.
				</p>
			</>
		),
	};
}

const detailPage: ConsolePage = {
	id: "run",
	method: "GET",
	path: `${PATH}/{run_id}`,
	handle: (request) => answerRunPage(request, null),
};

const livePage: ConsolePage = {
	id: "run_live",
	method: "GET",
	path: `${PATH}/{run_id}/live`,
	async handle(request): Promise<PageAnswer> {
		const run = await request.api.get<Run>(apiPath(request));
		if (run.ok) return { kind: "response", response: fragmentResponse(<LiveRun run={run.value} />) };
		const { failure } = run;
		const headers: Record<string, string> =
			failure.retryAfterSeconds === null ? {} : { "retry-after": String(failure.retryAfterSeconds) };
		return { kind: "response", response: fragmentResponse(<Failure failure={failure} />, failure.status, headers) };
	},
};

function actionPage(action: "cancel" | "resume", body?: object): ConsolePage {
	return {
		id: `run_${action}`,
		method: "POST",
		path: `${PATH}/{run_id}/${action}`,
		async handle(request): Promise<PageAnswer> {
			const done = await request.api.send("POST", apiPath(request, `/${action}`), body);
			if (!done.ok) return answerRunPage(request, done.failure);
			return { kind: "redirect", to: runPath(request.params["run_id"] ?? "") };
		},
	};
}

const stepPage: ConsolePage = {
	id: "run_step",
	method: "GET",
	path: `${PATH}/{run_id}/steps/{index}`,
	async handle(request): Promise<PageAnswer> {
		const { params, api } = request;
		const step = await api.get<StepText>(apiPath(request, `/steps/${encodeURIComponent(params["index"] ?? "")}`));
		const title = `Step ${params["index"] ?? ""}`;
		if (!step.ok) return failurePage({ ...FRAME, title }, step.failure);
		const { run_id, role, subtask, text, truncated, output_hash } = step.value;
		return {
			...FRAME,
			title,
			content: (
				<>
					<Definitions
						entries={[
							["Run", <a href={runPath(run_id)}>{run_id}</a>],
							["Role", role],
							["Purpose", subtask],
							["Hash of the text", <code>{output_hash}</code>],
						]}
					/>
					{truncated ? <Notice kind="warning" title="The text is longer; this is its beginning" /> : null}
					<CodeBlock label="The step's text" text={text} />
				</>
			),
		};
	},
};

export const runPages: readonly ConsolePage[] = [
	listedPage,
	newPage,
	beginPage,
	detailPage,
	livePage,
	actionPage("cancel"),
	actionPage("resume", { background: true }),
	stepPage,
];
