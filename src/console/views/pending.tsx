// What a run waits for, as a card: the action in full, why it waits, and what may be done. Everything in it was written by others.
import { renderPlainJson, revealHidden } from "../../text/hidden-characters.ts";
import { describeLookAlike, findLookAlikesIn, isMixedDirection } from "../../text/look-alikes.ts";
import type { ApiFailure } from "../api.ts";
import { formatCount, formatDuration } from "../format.ts";
import type { Session } from "../session.ts";
import type { Pending, WaitingEntry } from "../waiting.ts";
import type { FormFault } from "../waiting-form.ts";
import { DecisionBadge } from "./events.tsx";
import { Badge, Failure, Notice, Time } from "./parts.tsx";

/** What somebody sent about a pending that was not taken. */
export interface FailedForm {
	runId: string;
	pendingId: string;
	form: URLSearchParams;
	failure: ApiFailure | null;
	fault: FormFault | null;
}

const KIND_NAMES: Readonly<Record<Pending["kind"], string>> = {
	approval: "Approval",
	plan: "Plan",
	input: "Question",
	client_tool: "Client tool",
};

/** A text that somebody wrote, with what is hidden in it made visible, kept apart from the text around it. */
function Revealed({ text }: { text: string }) {
	return <bdi>{revealHidden(text)}</bdi>;
}

/** Longer values have a box of their own. */
const MOST_INLINE_CHARS = 80;

/** A value whole: short ones on their line, lists of texts as lists, others in a box with their lines as they are. */
function Value({ name, value }: { name: string; value: unknown }) {
	if (Array.isArray(value) && value.length > 1 && value.every((item) => typeof item === "string"))
		return (
			<ol>
				{value.map((item) => (
					<li>
						<Value name={name} value={item} />
					</li>
				))}
			</ol>
		);
	const isText = typeof value === "string";
	const text = JSON.stringify(value);
	if (text.length <= MOST_INLINE_CHARS && !(isText && value.includes("\n")))
		return (
			<code class="value">
				<Revealed text={text} />
			</code>
		);
	const shown = isText ? revealHidden(value) : renderPlainJson(value);
	const lines = shown.split("\n").length;
	return (
		<>
			<section class="code" tabindex={0} aria-label={`Value of ${revealHidden(name)}`}>
				<pre>
					<code>{shown}</code>
				</pre>
			</section>
			<p class="hint">
				{isText ? `Text of ${formatCount(value.length)} characters` : "JSON"},{" "}
				{lines === 1 ? "1 line" : `${formatCount(lines)} lines`}, all in this box.
			</p>
		</>
	);
}

function Arguments({ pending }: { pending: Pending }) {
	const entries = Object.entries(pending.arguments ?? {});
	return (
		<>
			{entries.length === 0 ? (
				<p class="hint">It has no arguments.</p>
			) : (
				<dl class="definitions arguments">
					{entries.map(([name, value]) => (
						<div>
							<dt>
								<Revealed text={name} />
							</dt>
							<dd>
								<Value name={name} value={value} />
							</dd>
						</div>
					))}
				</dl>
			)}
			{isMixedDirection(pending.arguments) ? (
				<p class="hint">
					Some of it is read from right to left: numbers and marks beside it may be shown in another order than they
					have.
				</p>
			) : null}
			<details>
				<summary>The same as JSON</summary>
				<section class="code" tabindex={0} aria-label="Arguments as JSON">
					<pre>
						<code>{renderPlainJson(pending.arguments)}</code>
					</pre>
				</section>
			</details>
		</>
	);
}

/** What the model had read of others before it asked for this. */
function Taint({ pending: { tainted_by, unsourced } }: { pending: Pending }) {
	if (tainted_by.length === 0) return null;
	const values = tainted_by.flatMap(({ tool, values: found }) => found.map((each) => ({ tool, ...each })));
	return (
		<Notice kind="warning" title="The run had read what others wrote">
			<p>
				It came from{" "}
				{tainted_by.map(({ tool, call_id }, index) => (
					<>
						{index === 0 ? "" : ", "}
						<code title={call_id}>
							<Revealed text={tool} />
						</code>
					</>
				))}
				. {values.length === 0 ? "No value of this call stands only there." : "Only there stands:"}
			</p>
			{values.length === 0 ? null : (
				<ul>
					{values.map(({ kind, value, tool }) => (
						<li>
							{kind}{" "}
							<mark>
								<Revealed text={value} />
							</mark>{" "}
							from <Revealed text={tool} />
						</li>
					))}
				</ul>
			)}
			{unsourced.length === 0 ? null : (
				<>
					<p>In no text that the run was given, so put together by the model:</p>
					<ul>
						{unsourced.map(({ kind, value, tool }) => (
							<li>
								{kind}{" "}
								<mark>
									<Revealed text={value} />
								</mark>
								{tool === null ? null : (
									<>
										, perhaps from what <Revealed text={tool} /> returned
									</>
								)}
							</li>
						))}
					</ul>
				</>
			)}
		</Notice>
	);
}

/** More such words are told by their number. */
const SHOWN_LOOK_ALIKES = 20;

/** Words in which letters pass for others: no font shows them. */
function LookAlikes({ pending: { tool, arguments: given } }: { pending: Pending }) {
	const found = findLookAlikesIn([tool, given]);
	if (found.length === 0) return null;
	const more = found.length - SHOWN_LOOK_ALIKES;
	return (
		<Notice kind="warning" title="Some letters look like others">
			<ul>
				{found.slice(0, SHOWN_LOOK_ALIKES).map((each) => (
					<li>
						<mark>
							<Revealed text={each.word} />
						</mark>{" "}
						<bdi>{describeLookAlike(each)}</bdi>
					</li>
				))}
			</ul>
			{more > 0 ? <p>{more} more such words stand in it.</p> : null}
		</Notice>
	);
}

interface FormsProps {
	entry: WaitingEntry;
	/** The query of the page on which the forms stand: they lead back to it. */
	place: string;
	failed: FailedForm | null;
}

function formPath({ entry: { run, pending }, place }: FormsProps): string {
	return `/console/waiting/${encodeURIComponent(run.run_id)}/${encodeURIComponent(pending.id)}${place}`;
}

function Faults({ id, fault }: { id: string; fault: FormFault | null }) {
	if (!fault) return null;
	return (
		<ul class="error" id={id}>
			{fault.faults.map((text) => (
				<li>{text}</li>
			))}
		</ul>
	);
}

/** What an edit begins with: of a plan, what can be changed of it. */
function editableArguments({ kind, arguments: given }: Pending): unknown {
	return kind === "plan" ? { plan: given?.["plan"] } : given;
}

function DecisionForms(props: FormsProps) {
	const { entry, failed } = props;
	const { pending } = entry;
	const path = formPath(props);
	const isEdited = failed?.form.get("decision") === "edit";
	const fault = isEdited ? failed.fault : null;
	const what = pending.kind === "plan" ? "plan" : "call";
	const area = `edit-${pending.id}`;
	const reason = `reason-${pending.id}`;
	return (
		<div class="decisions">
			<form method="post" action={path}>
				<input type="hidden" name="decision" value="approve" />
				<button type="submit" data-approve>
					Approve
				</button>
			</form>
			<details data-edit open={isEdited}>
				<summary class="button quiet">Edit</summary>
				<form method="post" action={path}>
					<input type="hidden" name="decision" value="edit" />
					<label for={area}>Arguments of the {what} as one JSON object</label>
					<textarea
						id={area}
						name="arguments"
						rows={8}
						spellcheck={false}
						required
						{...(fault ? { "aria-invalid": "true", "aria-describedby": `${area}-faults`, autofocus: true } : {})}
					>
						{isEdited ? (failed.form.get("arguments") ?? "") : renderPlainJson(editableArguments(pending))}
					</textarea>
					<Faults id={`${area}-faults`} fault={fault} />
					<button type="submit">Approve the edited {what}</button>
					<p class="hint">The policy judges it anew. What it denies is not taken.</p>
				</form>
			</details>
			<details data-reject>
				<summary class="button quiet">Reject</summary>
				<form method="post" action={path}>
					<input type="hidden" name="decision" value="reject" />
					<label for={reason}>Why</label>
					<input id={reason} type="text" name="reason" maxlength={1_000} autocomplete="off" />
					<p class="hint">The model reads it. It may stay empty.</p>
					<button type="submit" class="danger">
						Reject the {what}
					</button>
				</form>
			</details>
		</div>
	);
}

function AnswerForm(props: FormsProps) {
	const { entry, failed } = props;
	const { pending } = entry;
	const field = `answer-${pending.id}`;
	const given = pending.arguments?.["choices"];
	const choices = Array.isArray(given) ? given.map(String) : [];
	const fault = failed?.fault ?? null;
	return (
		<form class="answer" method="post" action={formPath(props)}>
			<input type="hidden" name="decision" value="answer" />
			{choices.length === 0 ? null : (
				<fieldset>
					<legend>One of</legend>
					{choices.map((choice) => (
						<label class="choice">
							<input type="radio" name="choice" value={choice} /> <Revealed text={choice} />
						</label>
					))}
				</fieldset>
			)}
			<label for={field}>{choices.length === 0 ? "Answer" : "Or in your own words"}</label>
			<textarea
				id={field}
				name="answer"
				rows={2}
				data-answer
				{...(fault ? { "aria-invalid": "true", "aria-describedby": `${field}-faults`, autofocus: true } : {})}
			/>
			<Faults id={`${field}-faults`} fault={fault} />
			<button type="submit">Answer</button>
		</form>
	);
}

/** Why a key of this role decides nothing here; null where it may. Which owner's key may, the service says when it is asked. */
function roleRefusal({ role }: Session, { kind }: Pending): string | null {
	if (kind === "input")
		return role === "approver"
			? "An answer takes the key that began the run, or an owner's; this key is an approver's."
			: null;
	return role === "agent"
		? "It takes an owner's or approver's key that neither began the run nor comes from the key that did; this key's role is agent."
		: null;
}

function Forms({ session, ...props }: FormsProps & { session: Session }) {
	const { pending } = props.entry;
	const refusal = roleRefusal(session, pending);
	if (refusal !== null)
		return (
			<Notice kind="note" title="This key may not decide">
				<p>{refusal}</p>
			</Notice>
		);
	return pending.kind === "input" ? <AnswerForm {...props} /> : <DecisionForms {...props} />;
}

/** How long it still waits, in words. */
function remainingTime(expiresAt: string, nowMs: number): string {
	const leftMs = Date.parse(expiresAt) - nowMs;
	if (leftMs <= 0) return "now";
	const minutes = Math.ceil(leftMs / 60_000);
	if (minutes < 120) return `in ${formatDuration(minutes * 60_000).replace(/ 0 s$/, "")}`;
	const hours = Math.round(minutes / 60);
	return hours < 48 ? `in ${hours} h` : `in ${Math.round(hours / 24)} days`;
}

/** Characters of a goal that name a run. */
const SHOWN_GOAL_CHARS = 120;

function clipGoal(goal: string): string {
	return goal.length > SHOWN_GOAL_CHARS ? `${goal.slice(0, SHOWN_GOAL_CHARS - 1)}…` : goal;
}

/** The id of a pending's card, for links. */
function pendingAnchor(id: string): string {
	return `waiting-${id}`;
}

interface PendingCardProps extends FormsProps {
	session: Session;
	nowMs: number;
}

export function PendingCard({ entry, place, failed, session, nowMs }: PendingCardProps) {
	const { run, pending } = entry;
	const { id, kind, tool, policy, action_digest, expires_at } = pending;
	const question = kind === "input" ? pending.arguments?.["question"] : undefined;
	return (
		<article
			class="card pending"
			id={pendingAnchor(id)}
			tabindex={0}
			data-pending
			aria-label={`${KIND_NAMES[kind]}${tool === null ? "" : ` of ${tool}`}`}
		>
			<div class="card-head">
				<h2>
					{KIND_NAMES[kind]}
					{tool === null || kind === "input" ? null : (
						<>
							{" of "}
							<code>
								<Revealed text={tool} />
							</code>
						</>
					)}
				</h2>
				<span class="facts">
					{policy ? (
						<>
							<DecisionBadge decision={policy.decision} />
							<span>risk {policy.risk_score} of 100</span>
						</>
					) : null}
					<span>
						expires <Time iso={expires_at} /> UTC, {remainingTime(expires_at, nowMs)}
					</span>
				</span>
			</div>
			<div class="card-body">
				{failed?.failure ? <Failure failure={failed.failure} /> : null}
				<p class="hint">
					For the run{" "}
					<a href={`/console/runs/${encodeURIComponent(run.run_id)}`}>
						<Revealed text={clipGoal(run.goal ?? run.run_id)} />
					</a>
					{run.workspace_id === undefined ? null : (
						<>
							{" "}
							in workspace <code>{run.workspace_id}</code>
						</>
					)}
				</p>
				{policy && policy.reason !== "" ? (
					<p>
						<Revealed text={policy.reason} />
					</p>
				) : null}
				<Taint pending={pending} />
				<LookAlikes pending={pending} />
				{typeof question === "string" ? (
					<p class="question">
						<Revealed text={question} />
					</p>
				) : (
					<Arguments pending={pending} />
				)}
				<Forms entry={entry} place={place} failed={failed} session={session} />
				<p class="hint">
					<code>{id}</code>
					{action_digest === null ? null : (
						<>
							, action <code>{action_digest}</code>
						</>
					)}
					{policy ? (
						<>
							, recorded as <code>{policy.event_id}</code>
						</>
					) : null}
				</p>
			</div>
		</article>
	);
}

/** A run's pendings on its own page: what they are, and where they are answered. */
export function PendingList({ runId, pendings }: { runId: string; pendings: readonly Pending[] }) {
	return (
		<ul class="plain-list pendings">
			{pendings.map(({ id, kind, tool, expires_at }) => (
				<li>
					<Badge kind="warn">{KIND_NAMES[kind]}</Badge>{" "}
					{tool === null ? null : (
						<code>
							<Revealed text={tool} />
						</code>
					)}{" "}
					until <Time iso={expires_at} /> UTC{" "}
					{kind === "client_tool" ? (
						<span class="hint">The program that began the run runs it.</span>
					) : (
						<a href={`/console/waiting?run=${encodeURIComponent(runId)}#${pendingAnchor(id)}`}>See and answer</a>
					)}
				</li>
			))}
		</ul>
	);
}
