// A policy check in a list: what was asked, and why it was decided so, each on one line.
import type { Child } from "hono/jsx";
import { showDirectionMarks } from "../json-text.ts";
import { payloadText, type SummedCheck, subjectOf } from "../policy-summary.ts";

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
