// One run: its page while it goes and after, the part of it that changes, and what its forms do.
import type { z } from "zod";
import type { trajectorySchema } from "../../../agents/response.ts";
import type { ApiAnswer, ApiFailure } from "../../api.ts";
import { failurePage } from "../../failure-page.tsx";
import { fragmentResponse } from "../../fragment.tsx";
import type { ConsolePage, PageAnswer, PageRequest } from "../../page.ts";
import { Definitions, Failure, Notice } from "../../views/parts.tsx";
import { LiveRun, type Run } from "../../views/run.tsx";
import { RUNS_FRAME, RUNS_PATH, runApiPath, runPath } from "./frame.ts";
import { runStreamPage } from "./stream.tsx";

type Trajectory = z.output<typeof trajectorySchema>;

function Verification({ trajectory }: { trajectory: ApiAnswer<Trajectory> }) {
	if (!trajectory.ok) return <Failure failure={trajectory.failure} />;
	const { verification, trajectory_proof } = trajectory.value;
	return (
		<>
			{verification.valid ? (
				<Notice kind="success" title="The trajectory holds">
					<p>
						{verification.n_steps === 1
							? "The proof of its one step was computed anew and leads to the run's proof."
							: `The proofs of its ${verification.n_steps} steps were computed anew and lead to the run's proof.`}
					</p>
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
	const run = await request.api.get<Run>(runApiPath(request));
	if (!run.ok) return failurePage({ ...RUNS_FRAME, title: "Run" }, run.failure);
	const isOver = run.value.status !== "running";
	const trajectory = isOver ? await request.api.get<Trajectory>(runApiPath(request, "/trajectory")) : null;
	return {
		...RUNS_FRAME,
		title: "Run",
		status: failure?.status,
		content: (
			<>
				<p class="lead">
					<code>{run.value.run_id}</code>
				</p>
				{failure ? <Failure failure={failure} /> : null}
				{request.session.role === "approver" ? null : <RunForms run={run.value} />}
				<LiveRun run={run.value} />
				<h2>Verification</h2>
				{trajectory ? (
					<Verification trajectory={trajectory} />
				) : (
					<p class="hint">When the run has ended; reload the page then.</p>
				)}
				{run.value.sealed ? (
					<p>
						<a href={`/v1/proof/${encodeURIComponent(run.value.run_id)}`}>The receipt as JSON</a>
					</p>
				) : null}
			</>
		),
	};
}

const detailPage: ConsolePage = {
	id: "run",
	method: "GET",
	path: `${RUNS_PATH}/{run_id}`,
	handle: (request) => answerRunPage(request, null),
};

const livePage: ConsolePage = {
	id: "run_live",
	method: "GET",
	path: `${RUNS_PATH}/{run_id}/live`,
	async handle(request): Promise<PageAnswer> {
		const run = await request.api.get<Run>(runApiPath(request));
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
		path: `${RUNS_PATH}/{run_id}/${action}`,
		async handle(request): Promise<PageAnswer> {
			const done = await request.api.send("POST", runApiPath(request, `/${action}`), body);
			if (!done.ok) return answerRunPage(request, done.failure);
			return { kind: "redirect", to: runPath(request.params["run_id"] ?? "") };
		},
	};
}

export const runDetailPages: readonly ConsolePage[] = [
	detailPage,
	livePage,
	runStreamPage,
	actionPage("cancel"),
	actionPage("resume", { background: true }),
];
