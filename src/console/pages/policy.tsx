// Policy checks: how actions were decided and why, and a form that checks one.
import type { z } from "zod";
import type { auditEventsSchema } from "../../audit/endpoints.edge.ts";
import { AGENTS } from "../../hooks/agents.ts";
import type { policyDecisionSchema } from "../../policy/endpoints.edge.ts";
import { type Api, type ApiAnswer, withQuery } from "../api.ts";
import { formatCount, MS_PER_DAY } from "../format.ts";
import { actorLabel, type KeyNames, keyOptions, readKeyNames } from "../key-names.ts";
import { listPage } from "../list-page.tsx";
import type { ConsolePage, PageAnswer, PageRequest } from "../page.ts";
import { countByDay, countByName, payloadText } from "../policy-summary.ts";
import { DayBars, ShareBars } from "../views/bars.tsx";
import { CheckDetails, CheckLines } from "../views/check.tsx";
import { DecisionBadge, EVENT_FILTERS, EventOrigin, WorkspaceLink } from "../views/events.tsx";
import type { Filter } from "../views/filters.tsx";
import {
	Card,
	ChoiceField,
	type Column,
	EmptyState,
	Failure,
	Field,
	Notice,
	Table,
	Time,
	Words,
} from "../views/parts.tsx";
import { Actor } from "../views/who.tsx";

type Event = z.output<typeof auditEventsSchema>["data"][number];
type Decision = z.output<typeof policyDecisionSchema>;

const POLICY_PATH = "/console/policy";
const CHECK_PATH = "/console/policy/check";
/** By what else checks are found: who asked. */
const POLICY_FILTERS: readonly Filter[] = [
	...EVENT_FILTERS,
	{ name: "agent", label: "Agent", options: AGENTS.map((agent) => [agent, agent] as const) },
	{ name: "session_id", label: "Session", type: "text" },
];
const ACTION_KINDS = ["edit", "refactor", "deploy", "review", "setup", "delete"].map((kind) => [kind, kind] as const);

/** Days that the page sums up. */
const SUMMED_DAYS = 30;
/** The most denied checks that it reads for that, in pages of the API's largest size. */
const SUMMED_PAGES = 3;
const PAGE_EVENTS = 200;
/** Checks that are named among those which were left to a person. */
const NAMED_WAITING = 3;

interface EventsPart {
	next_cursor: string | null;
	data: Event[];
}

/** Denied checks, newest first. */
interface Denied {
	checks: Event[];
	/** Whether there are more than were read. */
	hasMore: boolean;
}

/** @returns null where the API does not answer. */
async function readDenied(api: Api, since: string): Promise<Denied | null> {
	const checks: Event[] = [];
	let cursor: string | null = null;
	for (let page = 0; page < SUMMED_PAGES; page++) {
		const members: Record<string, string | number | null> = { decision: "deny", since, limit: PAGE_EVENTS, cursor };
		const part: ApiAnswer<EventsPart> = await api.get<EventsPart>(withQuery("/v1/audit/events", members));
		if (!part.ok) return page === 0 ? null : { checks, hasMore: true };
		checks.push(...part.value.data);
		cursor = part.value.next_cursor;
		if (cursor === null) return { checks, hasMore: false };
	}
	return { checks, hasMore: cursor !== null };
}

/** Checks of the last day that were left to a person. */
async function readWaiting(api: Api, since: string): Promise<Event[]> {
	const read = async (decision: string) => {
		const members = { decision, since, limit: NAMED_WAITING };
		const part = await api.get<EventsPart>(withQuery("/v1/audit/events", members));
		return part.ok ? part.value.data : [];
	};
	const found = await Promise.all([read("confirm"), read("approve")]);
	return found
		.flat()
		.sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
		.slice(0, NAMED_WAITING);
}

interface Summary {
	names: KeyNames;
	/** Null where they could not be read. */
	denied: Denied | null;
	waiting: Event[];
	nowMs: number;
}

/** What stands beside the list; on a further page of it nothing but the names of keys. */
async function loadSummary({ api, query, service }: PageRequest): Promise<Summary> {
	const { nowMs } = service;
	const sinceMs = nowMs - (SUMMED_DAYS - 1) * MS_PER_DAY;
	const since = (ms: number) => new Date(ms).toISOString();
	const isFirst = !query.has("cursor");
	const [names, denied, waiting] = await Promise.all([
		readKeyNames(api),
		isFirst ? readDenied(api, since(sinceMs).slice(0, 10)) : { checks: [], hasMore: false },
		isFirst ? readWaiting(api, since(nowMs - MS_PER_DAY)) : [],
	]);
	return { names, denied, waiting, nowMs };
}

function filterLink(name: string, value: string): string {
	return withQuery(POLICY_PATH, { decision: "deny", [name]: value });
}

function DeniedCard({ denied, nowMs }: Pick<Summary, "nowMs"> & { denied: Denied }) {
	const { checks, hasMore } = denied;
	return (
		<Card
			title="Denied by day"
			aside={
				<span class="faint">
					{hasMore ? "the last " : ""}
					{formatCount(checks.length)} in {SUMMED_DAYS} days
				</span>
			}
		>
			<DayBars title="Denied checks" noun="denied" days={countByDay(checks, SUMMED_DAYS, nowMs)} />
		</Card>
	);
}

function WhereCard({ denied, names }: Pick<Summary, "names"> & { denied: Denied }) {
	const { checks } = denied;
	const workspaces = countByName(checks, ({ workspace_id }) => workspace_id);
	const actors = countByName(checks, ({ actor }) => actor);
	const agents = countByName(checks, ({ payload }) => payloadText(payload, "agent"));
	return (
		<Card title="Where, and by whom">
			<div class="thirds">
				<div>
					<h3>Workspace</h3>
					<ShareBars
						empty="None."
						rows={workspaces.map(({ name, count }) => ({
							count,
							label: (
								<a href={filterLink("workspace_id", name)}>
									<Words text={name} />
								</a>
							),
						}))}
					/>
				</div>
				<div>
					<h3>Key</h3>
					<ShareBars
						empty="None."
						rows={actors.map(({ name, count }) => ({
							count,
							label: (
								<a href={filterLink("actor", name)}>
									<Words text={actorLabel(names, name)} />
								</a>
							),
						}))}
					/>
				</div>
				<div>
					<h3>Agent</h3>
					<ShareBars
						empty={checks.length === 0 ? "None." : "By the interface alone."}
						rows={agents.map(({ name, count }) => ({ count, label: <a href={filterLink("agent", name)}>{name}</a> }))}
					/>
				</div>
			</div>
		</Card>
	);
}

/** What was left to a person: the agent waits, or went on once somebody had said yes. */
function WaitingCard({ waiting, names }: Pick<Summary, "waiting" | "names">) {
	if (waiting.length === 0) return null;
	return (
		<Card title="Left to a person" aside={<span class="faint">in the last 24 hours</span>}>
			<ul class="waiting">
				{waiting.map(({ payload, decision, actor, workspace_id, created_at }) => (
					<li>
						<DecisionBadge decision={decision ?? ""} />
						<div>
							<CheckLines payload={payload} />
						</div>
						<span class="faint">
							<Actor names={names} actor={actor} /> in <Words text={workspace_id ?? ""} />, <Time iso={created_at} />{" "}
							UTC
						</span>
					</li>
				))}
			</ul>
			<p class="hint">
				What an agent heard was that a person decides. <a href={`${POLICY_PATH}?decision=approve`}>To approve</a>,{" "}
				<a href={`${POLICY_PATH}?decision=confirm`}>to confirm</a>.
			</p>
		</Card>
	);
}

/** The cards above the list: only where it is not narrowed, which they are not. */
function SummaryCards({ query }: PageRequest, { denied, waiting, names, nowMs }: Summary) {
	if (query.size > 0 || (denied?.checks.length === 0 && waiting.length === 0)) return null;
	return (
		<>
			{denied === null ? null : (
				<div class="columns even">
					<DeniedCard denied={denied} nowMs={nowMs} />
					<WhereCard denied={denied} names={names} />
				</div>
			)}
			<WaitingCard waiting={waiting} names={names} />
		</>
	);
}

function NoChecks() {
	return (
		<EmptyState icon="policy" title="Nothing was checked yet">
			<p>
				Let coding agents ask before they act, by <a href="/docs/reference/tools#hooks">their hook</a> or{" "}
				<code>POST /v1/policy/check</code>.
			</p>
			<p>
				<a class="button" href={CHECK_PATH}>
					Check an action here
				</a>
			</p>
		</EmptyState>
	);
}

function checkColumns(_: PageRequest, { names }: Summary): readonly Column<Event>[] {
	return [
		{
			label: "Asked, and why it was decided so",
			isWide: true,
			cell: (event) => <CheckDetails check={event} />,
		},
		{ label: "Decision", cell: ({ decision }) => <DecisionBadge decision={decision ?? "unknown"} /> },
		{
			label: "Who",
			cell: ({ actor, payload }) => (
				<>
					<Actor names={names} actor={actor} />
					<EventOrigin payload={payload} />
				</>
			),
		},
		{ label: "Workspace", cell: ({ workspace_id }) => <WorkspaceLink id={workspace_id ?? ""} /> },
		{ label: "Time (UTC)", cell: ({ created_at }) => <Time iso={created_at} /> },
	];
}

const policyPage = listPage<Event, Summary>({
	id: "policy",
	section: "policy",
	title: "Policy",
	path: POLICY_PATH,
	apiPath: "/v1/audit/events",
	apiMembers: { event_type: "policy_check" },
	load: loadSummary,
	filters: POLICY_FILTERS,
	options: ({ names }) => ({ actor: keyOptions(names, (keyId) => `key:${keyId}`) }),
	noun: "check",
	lead: "What agents asked to do, how it was decided, and why.",
	actions: () => (
		<a class="button" href={CHECK_PATH}>
			Check an action
		</a>
	),
	note: SummaryCards,
	caption: "Policy checks, newest first",
	columns: checkColumns,
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
			<ChoiceField
				name="action_kind"
				label="Kind"
				options={[["", "not said"], ...ACTION_KINDS]}
				chosen={value("action_kind")}
			/>
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
