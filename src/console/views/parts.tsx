// What pages are made of: notices, failures, tables, definitions, fields, amounts, times, pagers.
import type { Child } from "hono/jsx";
import type { ApiFailure } from "../api.ts";
import { formatCount, formatExactUsd, formatTime, formatUsd } from "../format.ts";
import { showDirectionMarks } from "../json-text.ts";
import { Icon, type IconName } from "./icons.tsx";

type NoticeKind = "error" | "warning" | "success" | "note";

interface NoticeProps {
	kind: NoticeKind;
	title: string;
	/** The keyboard begins here: what the page answers to a form. */
	hasFocus?: boolean;
	children?: Child;
}

export function Notice({ kind, title, hasFocus, children }: NoticeProps) {
	return (
		<div
			class={`notice ${kind}`}
			role={kind === "error" ? "alert" : "status"}
			{...(hasFocus ? { tabindex: -1, autofocus: true } : {})}
		>
			<Icon name={kind} />
			<div>
				<strong>{title}</strong>
				{children}
			</div>
		</div>
	);
}

const FAILURE_TITLES: Record<number, string> = {
	403: "This key may not do that",
	404: "There is no such thing here",
	409: "Something has changed meanwhile",
	422: "The request was not valid",
	429: "Too many requests",
	503: "The service cannot answer right now",
};

/** Why the API refused, in its own words. */
export function Failure({ failure }: { failure: ApiFailure }) {
	const { message } = failure;
	// The message says the first of them.
	const issues = failure.issues.filter((issue) => !message.includes(issue.message));
	return (
		<Notice kind="error" title={FAILURE_TITLES[failure.status] ?? "The request failed"} hasFocus>
			<p>{message}</p>
			{issues.length === 0 ? null : (
				<ul>
					{issues.map((issue) => (
						<li>
							<code>{issue.path}</code> {issue.message}
						</li>
					))}
				</ul>
			)}
			<p class="hint">
				{failure.retryAfterSeconds === null ? null : `Try again in ${failure.retryAfterSeconds} s. `}
				{failure.requestId === "" ? null : (
					<>
						Request <code>{failure.requestId}</code>,{" "}
					</>
				)}
				error <code>{failure.code}</code>.
			</p>
		</Notice>
	);
}

/** An amount to read, with the exact one as its title. */
export function Usd({ usd }: { usd: number }) {
	return (
		<span class="number" title={`${formatExactUsd(usd)} USD`}>
			{formatUsd(usd)}
		</span>
	);
}

export function Count({ count }: { count: number }) {
	return <span class="number">{formatCount(count)}</span>;
}

/** A time in a zone; UTC where none is said. */
export function Time({ iso, zone }: { iso: string; zone?: string }) {
	return (
		<time datetime={iso} title={`${iso} (UTC)`}>
			{formatTime(iso, zone)}
		</time>
	);
}

/** Its elements have these roles by themselves until a style makes cards of the rows: then some browsers forget. */
const TABLE_ROLES = {
	table: "table",
	rows: "rowgroup",
	row: "row",
	columnHead: "columnheader",
	rowHead: "rowheader",
	cell: "cell",
} as const;

export interface Column<Row> {
	label: string;
	/** Right-aligned, for numbers. */
	isNumeric?: boolean;
	/** Takes the room that the others leave, and cuts its lines there. */
	isWide?: boolean;
	cell(row: Row): Child;
}

function columnClass({ isNumeric, isWide }: Pick<Column<never>, "isNumeric" | "isWide">): string | undefined {
	if (isWide) return "wide";
	return isNumeric ? "numeric" : undefined;
}

interface TableProps<Row> {
	caption: string;
	columns: readonly Column<Row>[];
	rows: readonly Row[];
	/** Instead of the table when there are no rows. */
	empty: Child;
}

/**
 * A table in a box of its own, which scrolls where it is wider than the page. The first column names the row.
 * On a phone each row is a card (style.css).
 */
export function Table<Row>({ caption, columns, rows, empty }: TableProps<Row>) {
	if (rows.length === 0) return <div class="empty">{empty}</div>;
	return (
		// A box that scrolls must be reachable by keyboard (WCAG 2.1.1).
		<section class="scroll" tabindex={0} aria-label={caption}>
			<table class="cards" role={TABLE_ROLES.table}>
				<caption>{caption}</caption>
				<thead role={TABLE_ROLES.rows}>
					<tr role={TABLE_ROLES.row}>
						{columns.map((column) => (
							<th role={TABLE_ROLES.columnHead} scope="col" class={columnClass(column)}>
								{column.label}
							</th>
						))}
					</tr>
				</thead>
				<tbody role={TABLE_ROLES.rows}>
					{rows.map((row) => (
						<tr role={TABLE_ROLES.row}>
							{columns.map(({ label, cell, ...column }, index) =>
								index === 0 ? (
									<th role={TABLE_ROLES.rowHead} scope="row" data-label={label} class={columnClass(column)}>
										{cell(row)}
									</th>
								) : (
									<td role={TABLE_ROLES.cell} data-label={label} class={columnClass(column)}>
										{cell(row)}
									</td>
								),
							)}
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

/** Terms with their descriptions. Entries without a description are left out. */
export function Definitions({ entries }: { entries: readonly (readonly [term: string, description: Child])[] }) {
	const shown = entries.filter(([, description]) => description !== null && description !== undefined);
	return (
		<dl class="definitions">
			{shown.map(([term, description]) => (
				<div>
					<dt>{term}</dt>
					<dd>{description}</dd>
				</div>
			))}
		</dl>
	);
}

interface FieldProps {
	name: string;
	label: string;
	hint?: string;
	error?: string | null;
	children: (attributes: { id: string; name: string; "aria-describedby"?: string; "aria-invalid"?: "true" }) => Child;
}

/** A labelled form field. The control is what `children` makes of the attributes. */
export function Field({ name, label, hint, error, children }: FieldProps) {
	const id = `field-${name}`;
	const described = [hint === undefined ? [] : [`${id}-hint`], error ? [`${id}-error`] : []].flat().join(" ");
	return (
		<div class="field">
			<label for={id}>{label}</label>
			{children({
				id,
				name,
				...(described === "" ? {} : { "aria-describedby": described }),
				...(error ? { "aria-invalid": "true" as const } : {}),
			})}
			{hint === undefined ? null : (
				<p class="hint" id={`${id}-hint`}>
					{hint}
				</p>
			)}
			{error ? (
				<p class="error" id={`${id}-error`}>
					{error}
				</p>
			) : null}
		</div>
	);
}

interface ChoicesProps {
	options: readonly (readonly [value: string, label: string])[];
	chosen: string | undefined;
}

/** The options of a `select`. */
export function Choices({ options, chosen }: ChoicesProps) {
	return (
		<>
			{options.map(([value, label]) => (
				<option value={value} selected={value === chosen}>
					{label}
				</option>
			))}
		</>
	);
}

/** Chooses among a few values. */
export function ChoiceField({ name, label, ...choices }: ChoicesProps & Pick<FieldProps, "name" | "label">) {
	return (
		<Field name={name} label={label}>
			{(attributes) => (
				<select {...attributes}>
					<Choices {...choices} />
				</select>
			)}
		</Field>
	);
}

interface PagerProps {
	path: string;
	/** The page's query, filters included. */
	query: URLSearchParams;
	nextCursor: string | null;
}

/** Links to the first and the next page of a list, with its filters. */
export function Pager({ path, query, nextCursor }: PagerProps) {
	const link = (cursor: string | null) => {
		const members = new URLSearchParams(query);
		members.delete("cursor");
		if (cursor !== null) members.set("cursor", cursor);
		return `${path}?${members}`;
	};
	const isFirst = !query.has("cursor");
	if (isFirst && nextCursor === null) return null;
	return (
		<nav class="pager" aria-label="Pages">
			{isFirst ? null : <a href={link(null)}>First page</a>}
			{nextCursor === null ? <span>End of the list</span> : <a href={link(nextCursor)}>Next page</a>}
		</nav>
	);
}

interface SearchedBackToProps {
	/** Null where the list's page is whole. */
	time: string | null | undefined;
	zone?: string;
}

/** Says where a search has stopped for now. */
export function SearchedBackTo({ time, zone = "UTC" }: SearchedBackToProps) {
	if (!time) return null;
	return (
		<Notice kind="note" title="There may be more further back">
			<p>
				Searched back to <Time iso={time} zone={zone} /> ({zone}). The next page goes on from there.
			</p>
		</Notice>
	);
}

/** Characters of a text that a list shows. */
const SHOWN_CHARS = 300;

/** What somebody wrote, in a list: kept apart from the text around it, and cut where it is long. */
export function Words({ text }: { text: string }) {
	const shown = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
	return <bdi class="words">{showDirectionMarks(shown)}</bdi>;
}

/** A word in a box: a status, a decision, a tier. */
export function Badge({ kind, children }: { kind: "good" | "bad" | "warn" | "plain"; children?: Child }) {
	return <span class={`badge ${kind}`}>{children}</span>;
}

/** Text as it is, with its lines; marks that turn its direction are shown. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
	return (
		<section class="code" tabindex={0} aria-label={label}>
			<pre>
				<code>{showDirectionMarks(text)}</code>
			</pre>
		</section>
	);
}

interface CopyButtonProps {
	/** The id of the element whose text is copied. */
	of: string;
	/** What is copied, for the button: `Copy the key`. */
	label: string;
}

/** Copies a text of the page, where there is a script. */
export function CopyButton({ of, label }: CopyButtonProps) {
	return (
		<span class="copy">
			<span id={`${of}-copied`} role="status" />
			<button type="button" class="quiet" data-copy={of} hidden>
				<Icon name="copy" />
				{label}
			</button>
		</span>
	);
}

interface CopiedCodeProps {
	/** Of the text's element; once in a page. */
	id: string;
	text: string;
	label: string;
}

/** A text to be copied, with its button. */
export function CopiedCode({ id, text, label }: CopiedCodeProps) {
	return (
		<div class="code-copy">
			<section class="code" tabindex={0} aria-label={label}>
				<pre>
					<code id={id}>{text}</code>
				</pre>
			</section>
			<CopyButton of={id} label="Copy" />
		</div>
	);
}

interface EmptyStateProps {
	icon: IconName;
	title: string;
	children?: Child;
}

/** Where there is nothing yet: what it would be, and how to begin. */
export function EmptyState({ icon, title, children }: EmptyStateProps) {
	return (
		<div class="empty-state">
			<Icon name={icon} />
			<h2>{title}</h2>
			{children}
		</div>
	);
}

export interface PlainTile {
	label: string;
	value: Child;
	/** The whole value, for who points at it. */
	exact?: string;
	hint?: Child;
}

/** A few numbers above a page, each with what is to be known of it. */
export function PlainTiles({ tiles }: { tiles: readonly PlainTile[] }) {
	return (
		<dl class="tiles">
			{tiles.map(({ label, value, exact, hint }) => (
				<div class="tile">
					<dt>{label}</dt>
					<dd title={exact}>{value}</dd>
					{hint === undefined ? null : <dd class="hint">{hint}</dd>}
				</div>
			))}
		</dl>
	);
}

interface CardProps {
	title: string;
	/** Beside the title. */
	aside?: Child;
	children?: Child;
}

/** A part of a page in a box, under a title. */
export function Card({ title, aside, children }: CardProps) {
	return (
		<section class="card" aria-label={title}>
			<div class="card-head">
				<h2>{title}</h2>
				{aside}
			</div>
			<div class="card-body">{children}</div>
		</section>
	);
}

/** How much of a limit is used. @param share of one; more than one is shown as full. */
export function Meter({ label, share, children }: { label: string; share: number; children?: Child }) {
	const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
	return (
		<div class="meter">
			<span>{children}</span>
			<progress max={100} value={percent} aria-label={label}>
				{percent} %
			</progress>
		</div>
	);
}
