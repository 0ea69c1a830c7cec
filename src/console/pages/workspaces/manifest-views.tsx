// A manifest as text, differences of two, and what a change weakens.
import type { z } from "zod";
import type { WorkspaceManifest } from "../../../policy/manifest.ts";
import { findWeakenings, type Weakening } from "../../../policy/weakening.ts";
import type { readinessResultSchema } from "../../../workspace/schemas.ts";
import { renderJson } from "../../json-text.ts";
import { type DiffLine, diffLines } from "../../line-diff.ts";
import { Badge, Notice, Table } from "../../views/parts.tsx";

export type Readiness = z.output<typeof readinessResultSchema>;

export function renderManifest(manifest: WorkspaceManifest): string {
	return renderJson(manifest);
}

const SIGNS = { same: " ", removed: "-", added: "+" } as const;

function Line({ line: { kind, text } }: { line: DiffLine }) {
	const shown = `${SIGNS[kind]} ${text}\n`;
	if (kind === "added") return <ins class="added">{shown}</ins>;
	if (kind === "removed") return <del class="removed">{shown}</del>;
	return <span>{shown}</span>;
}

interface ManifestDiffProps {
	before: WorkspaceManifest;
	after: WorkspaceManifest;
}

/** The lines that differ, with the others around them. */
export function ManifestDiff({ before, after }: ManifestDiffProps) {
	const lines = diffLines(renderManifest(before), renderManifest(after));
	if (lines.every(({ kind }) => kind === "same")) return <p class="empty">There is no difference.</p>;
	return (
		<section class="code diff" tabindex={0} aria-label="Differences, line by line">
			<pre>
				<code>
					{lines.map((line) => (
						<Line line={line} />
					))}
				</code>
			</pre>
		</section>
	);
}

function WeakeningText({ weakening: { member, removed, added } }: { weakening: Weakening }) {
	const entry = removed ?? added;
	if (removed !== undefined && added !== undefined)
		return (
			<>
				{member} is <code>{renderJson(added)}</code> and no longer <code>{renderJson(removed)}</code>
			</>
		);
	if (entry === undefined) return `${member} is off`;
	return (
		<>
			<code>{renderJson(entry)}</code> is {removed === undefined ? "new" : "no longer"} in {member}
		</>
	);
}

/** What agents may do after a change that they might not before. */
export function Weakenings({ before, after }: ManifestDiffProps) {
	const weakenings = findWeakenings(before, after);
	if (weakenings.length === 0) return <p class="hint">Nothing in it weakens the policy, as far as its entries tell.</p>;
	return (
		<Notice kind="warning" title="This weakens the policy">
			<ul>
				{weakenings.map((weakening) => (
					<li>
						<WeakeningText weakening={weakening} />
					</li>
				))}
			</ul>
		</Notice>
	);
}

/** The readiness score with its checks and advice. */
export function ReadinessResult({ readiness }: { readiness: Readiness }) {
	const advice = new Map(readiness.recommendations.map(({ id, rec }) => [id, rec]));
	return (
		<>
			<Notice kind="note" title={`Readiness: ${readiness.score} of 100, ${readiness.rating}`} />
			<Table
				caption="Checks of readiness"
				rows={readiness.checks}
				empty="There are no checks."
				columns={[
					{ label: "Check", cell: ({ label }) => label },
					{
						label: "Result",
						cell: ({ passed }) => <Badge kind={passed ? "good" : "warn"}>{passed ? "passed" : "missing"}</Badge>,
					},
					{ label: "Weight", isNumeric: true, cell: ({ weight }) => weight },
					{ label: "Advice", cell: ({ id }) => advice.get(id) ?? "" },
				]}
			/>
		</>
	);
}
