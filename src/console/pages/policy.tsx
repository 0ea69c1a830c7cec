// Policy checks: how actions were decided and why, and a form that checks one.
import type { z } from "zod";
import type { auditEventsSchema } from "../../audit/endpoints.edge.ts";
import type { policyDecisionSchema } from "../../policy/endpoints.edge.ts";
import type { ApiAnswer } from "../api.ts";
import { renderJson } from "../json-text.ts";
import { listPage } from "../list-page.tsx";
import type { ConsolePage, PageAnswer } from "../page.ts";
import { DecisionBadge, EVENT_FILTERS, WorkspaceLink } from "../views/events.tsx";
import { Choices, CodeBlock, type Column, Failure, Field, Notice, Table, Time, Words } from "../views/parts.tsx";

type Event = z.output<typeof auditEventsSchema>["data"][number];
type Decision = z.output<typeof policyDecisionSchema>;

const CHECK_PATH = "/console/policy/check";
const ACTION_KINDS = ["edit", "refactor", "deploy", "review", "setup", "delete"].map((kind) => [kind, kind] as const);

/** A member of a payload as text; empty where it is none. */
function textMember({ payload }: Event, name: string): string {
	const value = payload[name];
	return typeof value === "string" ? value : "";
}

function Factors({ payload }: Event) {
	const factors = Array.isArray(payload["factors"]) ? payload["factors"].map(String) : [];
	if (factors.length === 0) return <>none</>;
	return (
		<ul class="plain-list">
			{factors.map((factor) => (
				<li class="name">{factor.replaceAll("_", " ")}</li>
			))}
		</ul>
	);
}

function NoChecks() {
	return (
		<p>
			Nothing was checked yet. <a href={CHECK_PATH}>Check an action here</a>, or let agents ask{" "}
			<code>POST /v1/policy/check</code> before they act.
		</p>
	);
}

const COLUMNS: readonly Column<Event>[] = [
	{ label: "Time (UTC)", cell: ({ created_at }) => <Time iso={created_at} /> },
	{ label: "Decision", cell: ({ decision }) => <DecisionBadge decision={decision ?? "unknown"} /> },
	{ label: "Risk", isNumeric: true, cell: ({ risk_score }) => risk_score ?? "–" },
	{ label: "Workspace", cell: ({ workspace_id }) => <WorkspaceLink id={workspace_id ?? ""} /> },
	{
		label: "Action and reason",
		cell: (event) => (
			<>
				<Words text={textMember(event, "action")} />
				<p class="hint">
					<Words text={textMember(event, "reason")} />
				</p>
			</>
		),
	},
	{ label: "Factors", cell: Factors },
	{
		label: "Details",
		cell: ({ id, payload }) => (
			<details>
				<summary>Show</summary>
				<CodeBlock label={`Payload of ${id}`} text={renderJson(payload)} />
			</details>
		),
	},
];

const policyPage = listPage<Event>({
	id: "policy",
	section: "policy",
	title: "Policy checks",
	path: "/console/policy",
	apiPath: "/v1/audit/events",
	apiMembers: { event_type: "policy_check" },
	filters: EVENT_FILTERS,
	noun: "check",
	lead: "What agents asked to do, how it was decided, and why.",
	actions: () => (
		<a class="button" href={CHECK_PATH}>
			Check an action
		</a>
	),
	caption: "Policy checks, newest first",
	columns: () => COLUMNS,
	empty: <NoChecks />,
});

/** The lines of a field that are not blank. */
function fieldLines(form: URLSearchParams, name: string): string[] {
	const lines = (form.get(name) ?? "").split(/\r?\n/);
	return lines.filter((line) => line.trim() !== "");
}

function toCheck(form: URLSearchParams) {
	return {
		workspace_id: (form.get("workspace_id") ?? "").trim(),
		action: form.get("action") ?? "",
		action_kind: form.get("action_kind") || null,
		files_affected: fieldLines(form, "files_affected"),
		commands: fieldLines(form, "commands"),
	};
}

function CheckForm({ form }: { form: URLSearchParams }) {
	const value = (name: string) => form.get(name) ?? "";
	return (
		<form method="post" action={CHECK_PATH}>
			<Field name="workspace_id" label="Workspace" hint="The one whose manifest decides.">
				{(attributes) => <input {...attributes} required value={value("workspace_id")} spellcheck={false} />}
			</Field>
			<Field name="action" label="Action, in words">
				{(attributes) => <input {...attributes} required value={value("action")} />}
			</Field>
			<Field name="action_kind" label="Kind">
				{(attributes) => (
					<select {...attributes}>
						<Choices options={[["", "not said"], ...ACTION_KINDS]} chosen={value("action_kind")} />
					</select>
				)}
			</Field>
			<Field name="files_affected" label="Files" hint="One path a line.">
				{(attributes) => (
					<textarea {...attributes} rows={4} spellcheck={false}>
						{value("files_affected")}
					</textarea>
				)}
			</Field>
			<Field name="commands" label="Commands" hint="One a line, as a shell would get them.">
				{(attributes) => (
					<textarea {...attributes} rows={4} spellcheck={false}>
						{value("commands")}
					</textarea>
				)}
			</Field>
			<button type="submit">Check and record</button>
		</form>
	);
}

const NOTICE_KINDS = { allow: "success", confirm: "warning", approve: "warning", deny: "error" } as const;

function Verdict({ verdict }: { verdict: Decision }) {
	return (
		<>
			<Notice kind={NOTICE_KINDS[verdict.decision]} title={`Decision: ${verdict.decision}`}>
				<p>{verdict.reason}</p>
				<p class="hint">
					Risk {verdict.risk_score} of 100, recorded as <code>{verdict.event_id}</code>.
				</p>
			</Notice>
			<Table
				caption="Factors of the decision"
				rows={verdict.factors}
				empty="There are no factors."
				columns={[
					{ label: "Factor", cell: ({ label }) => label },
					{ label: "Applies", cell: ({ triggered }) => (triggered ? <strong>yes</strong> : "no") },
					{ label: "Weight", isNumeric: true, cell: ({ weight }) => weight },
				]}
			/>
		</>
	);
}

function checkAnswer(form: URLSearchParams, answer: ApiAnswer<Decision> | null): PageAnswer {
	return {
		kind: "page",
		title: "Check an action",
		section: "policy",
		status: answer === null || answer.ok ? 200 : answer.failure.status,
		content: (
			<>
				<p class="lead">
					Asks what the policy of a workspace says to an action. Nothing is carried out. The check is recorded in the
					audit log, as an agent's would be.
				</p>
				{answer === null ? null : answer.ok ? <Verdict verdict={answer.value} /> : <Failure failure={answer.failure} />}
				<CheckForm form={form} />
			</>
		),
	};
}

const checkFormPage: ConsolePage = {
	id: "policy_check_form",
	method: "GET",
	path: CHECK_PATH,
	handle: async ({ query }) => checkAnswer(query, null),
};

const checkPage: ConsolePage = {
	id: "policy_check",
	method: "POST",
	path: CHECK_PATH,
	handle: async ({ api, form }) =>
		checkAnswer(form, await api.send<Decision>("POST", "/v1/policy/check", toCheck(form))),
};

export const policyPages: readonly ConsolePage[] = [checkFormPage, checkPage, policyPage];
