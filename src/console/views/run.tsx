// A run as it stands: the part of its page that changes while it runs.
import type { z } from "zod";
import type { runSchema } from "../../agents/response.ts";
import { formatCount, formatExactUsd, formatShare } from "../format.ts";
import { showDirectionMarks } from "../json-text.ts";
import { describeToolCalls } from "../tool-call-counts.ts";
import { Badge, CodeBlock, Definitions, Meter, Notice, Table, Time } from "./parts.tsx";
import { PendingList } from "./pending.tsx";

export type Run = z.output<typeof runSchema>;

const STATUS_KINDS: Readonly<Partial<Record<Run["status"], "good" | "warn" | "bad">>> = {
	complete: "good",
	interrupted: "warn",
	running: "warn",
	requires_action: "warn",
	cancelled: "bad",
};

export function RunStatus({ status }: Pick<Run, "status">) {
	return <Badge kind={STATUS_KINDS[status] ?? "plain"}>{status.replaceAll("_", " ")}</Badge>;
}

/** What was spent of what it may spend. */
export function RunSpend({ run }: { run: Pick<Run, "run_id" | "cost_consumed_usd" | "max_cost_usd"> }) {
	const { run_id, cost_consumed_usd, max_cost_usd } = run;
	return (
		<Meter label={`Spent of the cap of ${run_id}`} share={max_cost_usd === 0 ? 1 : cost_consumed_usd / max_cost_usd}>
			{formatExactUsd(cost_consumed_usd)} of {formatExactUsd(max_cost_usd)}
		</Meter>
	);
}

function Alerts({ alerts }: Pick<Run, "alerts">) {
	return (
		<Table
			caption="Alerts"
			rows={alerts}
			empty="No alert."
			columns={[
				{ label: "Level", cell: ({ level }) => <Badge kind={level === "CRITICAL" ? "bad" : "warn"}>{level}</Badge> },
				{ label: "Before step", isNumeric: true, cell: ({ step_index }) => step_index },
				{ label: "Consumed", isNumeric: true, cell: ({ consumed_share }) => formatShare(consumed_share) },
				{ label: "Intensity then", cell: ({ intensity }) => intensity },
				{ label: "What", cell: ({ message }) => message },
			]}
		/>
	);
}

function Steps({ run }: { run: Run }) {
	return (
		<Table
			caption={`Steps, ${run.steps_taken} in all`}
			rows={run.steps}
			empty="No step has ended yet."
			columns={[
				{
					label: "Step",
					cell: ({ index }) => <a href={`/console/runs/${encodeURIComponent(run.run_id)}/steps/${index}`}>{index}</a>,
				},
				{ label: "Role", cell: ({ role }) => role },
				{ label: "Model", cell: ({ model }) => <span class="name">{model}</span> },
				{ label: "Intensity", cell: ({ intensity }) => intensity },
				{ label: "Strategy", cell: ({ strategy }) => strategy },
				{ label: "Confidence", isNumeric: true, cell: ({ confidence }) => formatShare(confidence) },
				{
					label: "Tokens",
					isNumeric: true,
					cell: ({ tokens, input_tokens }) =>
						tokens === undefined
							? ""
							: `${formatCount(input_tokens ?? 0)} in, ${formatCount(tokens - (input_tokens ?? 0))} out`,
				},
				{ label: "Cost", isNumeric: true, cell: ({ cost_usd }) => formatExactUsd(cost_usd) },
				{ label: "Ended (UTC)", cell: ({ timestamp }) => <Time iso={timestamp} /> },
			]}
		/>
	);
}

/** Where a script gets this part as it changes, and where it asks for it again. It does while the run has not ended. */
function livePaths(runId: string) {
	const path = `/console/runs/${encodeURIComponent(runId)}`;
	return { "data-stream": `${path}/stream`, "data-live": `${path}/live` };
}

export function LiveRun({ run }: { run: Run }) {
	const isRunning = run.status === "running";
	return (
		<div id="live" {...(isRunning ? livePaths(run.run_id) : {})}>
			<p role="status" aria-live="polite">
				<RunStatus status={run.status} />{" "}
				{isRunning
					? `${run.steps_taken} ${run.steps_taken === 1 ? "step" : "steps"} so far`
					: (run.final_message ?? "")}
			</p>
			{run.pending === undefined ? null : (
				<>
					<h2>It waits for</h2>
					<PendingList runId={run.run_id} pendings={run.pending} />
					{run.pending.every(({ kind }) => kind === "plan") ? null : (
						<p>
							<a href={`/console/runs/${encodeURIComponent(run.run_id)}/steps/${run.steps.length}`}>
								Calls of the step under way
							</a>
						</p>
					)}
				</>
			)}
			<RunSpend run={run} />
			<Definitions
				entries={[
					["Begun (UTC)", <Time iso={run.created_at} />],
					["Policy", run.policy],
					["Strategy", run.strategy],
					["Left", formatExactUsd(run.remaining_usd)],
					[
						"Cap",
						run.budget.limited_by === "key_budget"
							? "what the key's budget left when it began"
							: `at most ${formatExactUsd(run.budget.tier_limit_usd)} on the plan ${run.budget.plan}`,
					],
					["Calls of tools", describeToolCalls(run.tool_calls)],
					["Approvals", run.self_approval ? "the run's own side may decide: its request asked for that" : null],
					["Receipt", run.sealed ? "signed" : "not yet: a run is signed when it ends for good"],
				]}
			/>
			{run.goal === undefined ? null : (
				<>
					<h2>Goal</h2>
					<CodeBlock label="Goal" text={run.goal} />
				</>
			)}
			<h2>Plan</h2>
			{run.plan.length === 0 ? (
				<p class="hint">No plan yet.</p>
			) : (
				<ol>
					{run.plan.map((part) => (
						<li>
							<bdi>{showDirectionMarks(part)}</bdi>
						</li>
					))}
				</ol>
			)}
			<h2>Steps</h2>
			<Steps run={run} />
			<Alerts alerts={run.alerts} />
			<h2>Output</h2>
			{run.truncated ? (
				<Notice kind="warning" title="The output is cut">
					<p>The output limit ended it, and nobody could complete it.</p>
				</Notice>
			) : null}
			{run.output === "" ? <p class="hint">No output yet.</p> : <CodeBlock label="Output" text={run.output} />}
		</div>
	);
}
