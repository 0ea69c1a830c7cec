// One workspace at a glance: the verdict on its chain, its risks, the last decisions and handoffs.
import type { z } from "zod";
import type { auditEventsSchema } from "../../../audit/endpoints.edge.ts";
import type { snapshotResultSchema } from "../../../workspace/schemas.ts";
import { joinAnswers, withQuery } from "../../api.ts";
import { parseChainFault } from "../../chain-fault.ts";
import { failurePage } from "../../failure-page.tsx";
import { formatShare } from "../../format.ts";
import type { ConsolePage, PageAnswer } from "../../page.ts";
import { RankedBars } from "../../views/chart.tsx";
import { CheckLines } from "../../views/check.tsx";
import { DecisionBadge, TierBadge } from "../../views/events.tsx";
import { Badge, Count, Notice, type PlainTile, PlainTiles, Table, Time, Words } from "../../views/parts.tsx";
import { type Manifest, WorkspaceLinks, workspacePath } from "./frame.tsx";

type Snapshot = z.output<typeof snapshotResultSchema>;
type Events = z.output<typeof auditEventsSchema>;

const SHOWN_HANDOFFS = 20;
const SHOWN_EVENTS = 20;

function Integrity({ snapshot }: { snapshot: Snapshot }) {
	const { integrity, workspace_id } = snapshot;
	const [first] = integrity.reasons;
	if (!integrity.ok)
		return (
			<Notice kind="error" title="The chain of handoffs is broken">
				<p>
					{first === undefined
						? "It does not verify."
						: `First at entry ${parseChainFault(first).position}: ${parseChainFault(first).text}.`}
				</p>
				<p>
					<a href={workspacePath(workspace_id, "/chain")}>See what is wrong with which entry</a>
				</p>
			</Notice>
		);
	if (snapshot.count === 0) return null;
	return (
		<Notice kind="success" title="The chain of handoffs is intact">
			<p>All {integrity.n} entries are as they were written, and in their order.</p>
		</Notice>
	);
}

function Tiles({ snapshot, manifest }: { snapshot: Snapshot; manifest: Manifest }) {
	const tiles: readonly PlainTile[] = [
		{ label: "Handoffs", value: <Count count={snapshot.count} /> },
		{ label: "Signed", value: snapshot.count === 0 ? "–" : formatShare(snapshot.signed_share) },
		{
			label: "Average risk of 100",
			value: snapshot.avg_risk_score === null ? "–" : Math.round(snapshot.avg_risk_score * 10) / 10,
		},
		{ label: "Manifest", value: manifest.version === null ? "built-in rules only" : `version ${manifest.version}` },
	];
	return <PlainTiles tiles={tiles} />;
}

function Risks({ distribution }: { distribution: Snapshot["risk_distribution"] }) {
	const tiers = Object.entries(distribution).filter(([, count]) => count > 0);
	return (
		<RankedBars
			title="Handoffs by risk"
			heads={["Tier", "Handoffs"]}
			bars={tiers.sort(([, a], [, b]) => b - a).map(([label, value]) => ({ label, value, shown: String(value) }))}
			empty="No handoff yet."
		/>
	);
}

function Decisions({ events }: { events: Events["data"] }) {
	return (
		<Table
			caption="Latest policy decisions, newest first"
			rows={events.filter(({ decision }) => decision !== undefined)}
			empty={
				<p>
					No recent policy check. <a href="/console/policy/check">Check an action</a>
				</p>
			}
			columns={[
				{
					label: "Asked, and why it was decided so",
					isWide: true,
					cell: ({ payload }) => <CheckLines payload={payload} />,
				},
				{ label: "Decision", cell: ({ decision }) => <DecisionBadge decision={decision ?? ""} /> },
				{ label: "Time (UTC)", cell: ({ created_at }) => <Time iso={created_at} /> },
			]}
		/>
	);
}

function Handoffs({ tail }: { tail: Snapshot["tail"] }) {
	return (
		<Table
			caption={`The last ${SHOWN_HANDOFFS} handoffs, oldest first`}
			rows={tail}
			empty={
				<p>
					Nothing was handed on yet. Agents do it by <code>POST /v1/handoff</code>.
				</p>
			}
			columns={[
				{ label: "Time (UTC)", cell: ({ created_at }) => <Time iso={created_at} /> },
				{ label: "Objective", cell: ({ objective }) => <Words text={objective} /> },
				{ label: "From", cell: ({ from_tool }) => <Words text={from_tool ?? "–"} /> },
				{ label: "To", cell: ({ to_tool }) => <Words text={to_tool ?? "–"} /> },
				{ label: "Risk", cell: ({ risk_tier }) => <TierBadge tier={risk_tier ?? "unknown"} /> },
				{
					label: "Signed",
					cell: ({ signed }) => <Badge kind={signed ? "good" : "plain"}>{signed ? "signed" : "not signed"}</Badge>,
				},
			]}
		/>
	);
}

function NothingKnown({ id }: { id: string }) {
	return (
		<Notice kind="note" title="There is no such workspace">
			<p>
				This account has nothing under <code>{id}</code>. A workspace begins with its first handoff, policy check, run
				or <a href={workspacePath(id, "/manifest")}>manifest</a>. <a href="/console/workspaces">All workspaces</a>
			</p>
		</Notice>
	);
}

export const workspacePage: ConsolePage = {
	id: "workspace",
	method: "GET",
	path: "/console/workspaces/{id}",
	async handle({ api, params: { id = "" } }): Promise<PageAnswer> {
		const part = encodeURIComponent(id);
		const answers = await Promise.all([
			api.get<Snapshot>(`/v1/workspace/${part}/snapshot?limit=${SHOWN_HANDOFFS}`),
			api.get<Manifest>(`/v1/workspace/${part}/manifest`),
			api.get<Events>(withQuery("/v1/audit/events", { workspace_id: id, limit: SHOWN_EVENTS })),
		]);
		const frame = { kind: "page", title: id, section: "workspaces" } as const;
		const joined = joinAnswers(...answers);
		if (!joined.ok) return failurePage(frame, joined.failure);
		const [snapshot, manifest, events] = joined.value;
		const isKnown = snapshot.count > 0 || manifest.version !== null || events.data.length > 0;
		if (!isKnown && snapshot.integrity.ok) return { ...frame, status: 404, content: <NothingKnown id={id} /> };
		return {
			...frame,
			content: (
				<>
					<p class="lead">The state of this workspace: its chain, its risks, and what was decided last.</p>
					<WorkspaceLinks id={id} page="" />
					<Integrity snapshot={snapshot} />
					<Tiles snapshot={snapshot} manifest={manifest} />
					<Risks distribution={snapshot.risk_distribution} />
					<h2>Decisions</h2>
					<Decisions events={events.data} />
					<h2>Handoffs</h2>
					<Handoffs tail={snapshot.tail} />
				</>
			),
		};
	},
};
