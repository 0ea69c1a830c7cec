// The inbox: what runs wait for, across all of them, and the forms that answer it.
import { type ApiFailure, withQuery } from "../../api.ts";
import { failurePage } from "../../failure-page.tsx";
import type { ConsolePage, PageAnswer, PageRequest, ShownPage } from "../../page.ts";
import { EmptyState, Notice, Pager, Table, Time } from "../../views/parts.tsx";
import { type FailedForm, PendingCard } from "../../views/pending.tsx";
import { type Pending, type ProgramEntry, readRunWaiting, readWaiting, type WaitingEntry } from "../../waiting.ts";
import { readWaitingForm } from "../../waiting-form.ts";
import { runPath } from "../runs/frame.ts";

const WAITING_PATH = "/console/waiting";
const FRAME = { kind: "page", section: "waiting", title: "Waiting" } as const;

const DONE_TITLES: Readonly<Record<string, string>> = {
	approve: "Approved",
	edit: "Approved as edited",
	reject: "Rejected",
	answer: "Answered",
	before: "Somebody had decided the same before you, and nothing has changed",
};

/** What the keys do, with a switch (WCAG 2.1.4). The script that takes them shows it. */
function Legend() {
	return (
		<div class="legend" id="inbox-keys" hidden>
			<button type="button" class="quiet" aria-pressed="true">
				Keys
			</button>
			<span>
				<kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>a</kbd> to Approve, <kbd>e</kbd> edit, <kbd>r</kbd> reject or
				answer, <kbd>Enter</kbd> does it, <kbd>Esc</kbd> goes back
			</span>
		</div>
	);
}

/** What stands on each card, in words. */
function Explanation() {
	return (
		<details class="hint">
			<summary>What decision and risk mean</summary>
			<p>
				The policy of the workspace gives each action a risk from 0 to 100 and names what counted. Below 31 an action
				runs without anybody being asked; <b>confirm</b> is 31 to 60, <b>approve</b> is 61 to 85, and both wait for a
				person; from 86 on it is denied and stands nowhere here. A rule about a tool, and text of others that the run
				has read, can have an action wait at any risk. A low risk is no promise: read the whole action, and whom it
				reaches.
			</p>
		</details>
	);
}

function ForPrograms({ entries }: { entries: readonly ProgramEntry[] }) {
	if (entries.length === 0) return null;
	return (
		<Table
			caption="Calls that wait for the program that began their run"
			rows={entries}
			empty=""
			columns={[
				{ label: "Tool", cell: ({ pending: { tool } }) => <code>{tool}</code> },
				{ label: "Run", cell: ({ run_id }) => <a href={runPath(run_id)}>{run_id}</a> },
				{ label: "Expires (UTC)", cell: ({ pending: { expires_at } }) => <Time iso={expires_at} /> },
			]}
		/>
	);
}

function hasCard(entries: readonly WaitingEntry[], { pendingId }: FailedForm): boolean {
	return entries.some(({ pending: { id } }) => id === pendingId);
}

/** A form that was sent about what does not wait any more has no card to be shown in. */
function FailureAbove({ failed, entries }: { failed: FailedForm | null; entries: readonly WaitingEntry[] }) {
	if (!failed || hasCard(entries, failed)) return null;
	const { decided, message } = failed.failure ?? { message: "Nothing of what you sent was taken" };
	if (decided)
		return (
			<Notice kind="error" title="It does not wait any more" hasFocus>
				<p>
					{DONE_TITLES[decided.decision]} by <code>{decided.key_id}</code> at <Time iso={decided.at} /> UTC. Nothing of
					your decision was taken. <a href={runPath(failed.runId)}>The run</a> says what became of it.
				</p>
			</Notice>
		);
	return (
		<Notice kind="error" title="It does not wait any more" hasFocus>
			<p>
				{message.replace(/\.$/, "")}. <a href={runPath(failed.runId)}>The run</a> says what became of it.
			</p>
		</Notice>
	);
}

/** The entries of a page. What was sent and not taken stands in its card, also where its run stands on another page by now. */
async function readEntries({ api, query }: PageRequest, failed: FailedForm | null): ReturnType<typeof readWaiting> {
	const runId = query.get("run");
	const list = runId === null ? await readWaiting(api, query.get("cursor")) : await readRunWaiting(api, runId);
	if (!list.ok || !failed || hasCard(list.value.entries, failed)) return list;
	const own = await readRunWaiting(api, failed.runId);
	const found = own.ok ? own.value.entries.filter(({ pending: { id } }) => id === failed.pendingId) : [];
	return { ok: true, value: { ...list.value, entries: [...found, ...list.value.entries] } };
}

async function showInbox(request: PageRequest, failed: FailedForm | null): Promise<ShownPage> {
	const { query, session, service } = request;
	const list = await readEntries(request, failed);
	if (!list.ok) return failurePage(FRAME, list.failure);
	const { entries, forPrograms, nextCursor, isCut } = list.value;
	const done = DONE_TITLES[query.get("done") ?? ""];
	return {
		...FRAME,
		lead: "Runs stop here until somebody has decided or answered. What is approved runs exactly once, exactly as it stands here.",
		status: failed?.failure?.status ?? (failed ? 422 : undefined),
		content: (
			<>
				{done === undefined ? null : <Notice kind="success" title={done} hasFocus />}
				<FailureAbove failed={failed} entries={entries} />
				{query.has("run") ? (
					<p class="hint">
						What one run waits for. <a href={WAITING_PATH}>All that waits</a>
					</p>
				) : null}
				{entries.length === 0 ? (
					<EmptyState icon="waiting" title="Nothing waits for you">
						<p>
							Calls that the policy leaves to a person, plans and questions of <a href="/console/runs">runs</a> stand
							here.
						</p>
					</EmptyState>
				) : (
					<>
						<Legend />
						<Explanation />
						{entries.map((entry) => (
							<PendingCard
								entry={entry}
								place={withQuery("", { run: query.get("run"), cursor: query.get("cursor") })}
								failed={failed?.pendingId === entry.pending.id ? failed : null}
								session={session}
								nowMs={service.nowMs}
							/>
						))}
					</>
				)}
				<ForPrograms entries={forPrograms} />
				{isCut ? (
					<p class="hint">More runs wait than stand here. The first to begin follow as these are answered.</p>
				) : null}
				<Pager path={WAITING_PATH} query={query} nextCursor={nextCursor} />
			</>
		),
	};
}

/** A form whose resolution was refused. What is wrong with an edit's arguments is said where they stand. */
function toFailedForm(failure: ApiFailure, { params, form }: PageRequest): FailedForm {
	const sent = { runId: params["run_id"] ?? "", pendingId: params["pending_id"] ?? "", form };
	const faults = failure.issues.flatMap(({ path, message }) => (path === "resolutions.0.arguments" ? [message] : []));
	if (faults.length === 0) return { ...sent, failure, fault: null };
	return { ...sent, failure: null, fault: { field: "arguments", faults } };
}

const inboxPage: ConsolePage = {
	id: "waiting",
	method: "GET",
	path: WAITING_PATH,
	handle: (request) => showInbox(request, null),
};

const resolvePage: ConsolePage = {
	id: "resolve_waiting",
	method: "POST",
	path: `${WAITING_PATH}/{run_id}/{pending_id}`,
	async handle(request): Promise<PageAnswer> {
		const { api, form, params, query } = request;
		const [runId = "", pendingId = ""] = [params["run_id"], params["pending_id"]];
		const read = readWaitingForm(pendingId, form);
		if (!read.ok) return showInbox(request, { runId, pendingId, form, failure: null, fault: read.fault });
		const path = `/v1/agent/${encodeURIComponent(runId)}`;
		const before = await api.get<{ pending?: Pending[] }>(path);
		const resolved = await api.send("POST", `${path}/resolve`, { resolutions: [read.value], background: true });
		if (!resolved.ok) return showInbox(request, toFailedForm(resolved.failure, request));
		// What somebody decided before is taken once more where it is the same: nobody should think that it was him.
		const wasOpen = !before.ok || before.value.pending?.some(({ id }) => id === pendingId);
		const done = wasOpen ? (form.get("decision") ?? "answer") : "before";
		return { kind: "redirect", to: withQuery(WAITING_PATH, { done, cursor: query.get("cursor") }) };
	},
};

export const waitingPages: readonly ConsolePage[] = [inboxPage, resolvePage];
