// A policy check in a list: what was asked, and why it was decided so, each on one line.
import type { Child } from "hono/jsx";
import { renderJson, showDirectionMarks } from "../json-text.ts";
import { payloadText, type SummedCheck, subjectOf } from "../policy-summary.ts";
import { CodeBlock, Words } from "./parts.tsx";

/** A check with what was recorded of it. */
interface RecordedCheck extends Pick<SummedCheck, "payload"> {
	id: string;
	risk_score?: number | undefined;
}

/** A line that is cut where its column ends; the whole text is its title. */
export function Line({ text, isCode = false }: { text: string; isCode?: boolean }) {
	const shown = showDirectionMarks(text.replaceAll(/\s+/g, " "));
	return (
		<span class="line" title={text}>
			<bdi>{isCode ? <code>{shown}</code> : shown}</bdi>
		</span>
	);
}

/** The lines of a row, which open to more. */
export function RowDetails({ lines, children }: { lines: Child; children?: Child }) {
	return (
		<details class="row-details">
			<summary>{lines}</summary>
			{children}
		</details>
	);
}

export function CheckLines({ payload }: Pick<SummedCheck, "payload">) {
	const { text, isCode, others } = subjectOf(payload);
	const reason = payloadText(payload, "reason");
	return (
		<>
			<Line text={others === 0 ? text : `${text}  (+ ${others} more)`} isCode={isCode} />
			{reason === null ? null : (
				<span class="hint">
					<Line text={reason} />
				</span>
			)}
		</>
	);
}

/** A check's lines; opened, the whole reason and all that was recorded. */
export function CheckDetails({ check, children }: { check: RecordedCheck; children?: Child }) {
	const { id, payload, risk_score } = check;
	return (
		<RowDetails lines={<CheckLines payload={payload} />}>
			<p>
				<Words text={payloadText(payload, "reason") ?? ""} />
			</p>
			{children}
			<p class="hint">
				Risk {risk_score ?? "unknown"} of 100, recorded as <code>{id}</code>
			</p>
			<CodeBlock label={`Payload of ${id}`} text={renderJson(payload)} />
		</RowDetails>
	);
}
