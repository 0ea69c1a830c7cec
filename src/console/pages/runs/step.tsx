// The text that a step of a run wrote, and of one with tools what was called, decided and answered.
import type { z } from "zod";
import type { stepTextSchema } from "../../../agents/response.ts";
import { renderPlainJson } from "../../../text/hidden-characters.ts";
import { failurePage } from "../../failure-page.tsx";
import { showDirectionMarks } from "../../json-text.ts";
import type { ConsolePage, PageAnswer } from "../../page.ts";
import { Badge, CodeBlock, Definitions, Notice, Time } from "../../views/parts.tsx";
import { RUNS_FRAME, RUNS_PATH, runApiPath, runPath } from "./frame.ts";

type StepText = z.output<typeof stepTextSchema>;
type StepCall = NonNullable<StepText["calls"]>[number];

const CALL_KINDS: Readonly<Partial<Record<StepCall["state"], "good" | "warn" | "bad">>> = {
	done: "good",
	denied: "bad",
	rejected: "bad",
	failed: "warn",
	expired: "warn",
};

const DECISIONS = { approve: "approved", edit: "approved as edited", reject: "rejected" } as const;

/** What a person decided on a call, in a sentence. */
function Approval({ approval }: { approval: NonNullable<StepCall["approval"]> }) {
	const { decision, key_id, at, self_approval, reason } = approval;
	return (
		<>
			{DECISIONS[decision]} by <code>{key_id}</code>
			{self_approval ? ", of the run's own side," : ""} at <Time iso={at} /> UTC
			{reason === undefined ? null : (
				<>
					: <bdi>{showDirectionMarks(reason)}</bdi>
				</>
			)}
		</>
	);
}

/** A text of a call, under a heading that says what it is. */
function CallText({ callId, title, text }: { callId: string; title: string; text: string }) {
	return (
		<>
			<h4>{title}</h4>
			<CodeBlock label={`${title} of ${callId}`} text={text} />
		</>
	);
}

function Call({ call }: { call: StepCall }) {
	const { id, tool, turn, state, decision, reason, risk_score, action_digest, approval, result } = call;
	return (
		<section>
			<h3>
				<bdi>{showDirectionMarks(tool)}</bdi> <Badge kind={CALL_KINDS[state] ?? "plain"}>{state}</Badge>
			</h3>
			<Definitions
				entries={[
					["Call", <code>{id}</code>],
					["Turn", turn],
					["Policy", decision === null ? "not judged" : `${decision}, risk ${risk_score}: ${reason}`],
					["Decided", approval === null ? null : <Approval approval={approval} />],
					["Action", action_digest === null ? null : <code>{action_digest}</code>],
				]}
			/>
			{call.truncated ? <Notice kind="warning" title="Not all of its texts are kept" /> : null}
			<CallText callId={id} title="Arguments" text={renderPlainJson(call.arguments)} />
			{result === null ? null : (
				<CallText callId={id} title={call.is_error ? "Why there is no result" : "Result"} text={result} />
			)}
		</section>
	);
}

function Calls({ calls }: { calls: readonly StepCall[] }) {
	return (
		<>
			<h2>Calls of tools</h2>
			{calls.length === 0 ? <p class="hint">None.</p> : calls.map((call) => <Call call={call} />)}
		</>
	);
}

export const runStepPage: ConsolePage = {
	id: "run_step",
	method: "GET",
	path: `${RUNS_PATH}/{run_id}/steps/{index}`,
	async handle(request): Promise<PageAnswer> {
		const { params, api } = request;
		const step = await api.get<StepText>(runApiPath(request, `/steps/${encodeURIComponent(params["index"] ?? "")}`));
		const title = `Step ${params["index"] ?? ""}`;
		if (!step.ok) return failurePage({ ...RUNS_FRAME, title }, step.failure);
		const { run_id, role, subtask, text, truncated, output_hash, input_hash, calls } = step.value;
		return {
			...RUNS_FRAME,
			title,
			content: (
				<>
					<Definitions
						entries={[
							["Run", <a href={runPath(run_id)}>{run_id}</a>],
							["Role", role],
							["Purpose", subtask],
							["Hash of the text", output_hash === null ? "once the step has ended" : <code>{output_hash}</code>],
							["Hash of the exchange", input_hash === undefined ? null : <code>{input_hash}</code>],
						]}
					/>
					{truncated ? <Notice kind="warning" title="The text is longer; this is its beginning" /> : null}
					<CodeBlock label="The step's text" text={text} />
					{calls ? <Calls calls={calls} /> : null}
				</>
			),
		};
	},
};
