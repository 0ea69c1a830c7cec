// The chain of a workspace's handoffs, drawn entry by entry, with what is wrong where it is broken.
import type { z } from "zod";
import type { handoffChainSchema } from "../../../ledger/endpoints.edge.ts";
import { withQuery } from "../../api.ts";
import { type ChainFault, parseChainFault } from "../../chain-fault.ts";
import { failurePage } from "../../failure-page.tsx";
import { PAGE_HEADERS } from "../../headers.ts";
import { showDirectionMarks } from "../../json-text.ts";
import type { ConsolePage, PageAnswer } from "../../page.ts";
import { TierBadge } from "../../views/events.tsx";
import { Badge, CodeBlock, Definitions, Notice, Time, Words } from "../../views/parts.tsx";
import { WorkspaceLinks, workspacePath } from "./frame.tsx";

type Chain = z.output<typeof handoffChainSchema>;
type Handoff = Chain["data"][number];

const PAGE_ENTRIES = 20;

/** A whole number of a query; null where it is none. */
function wholeNumber(query: URLSearchParams, name: string): number | null {
	const text = query.get(name) ?? "";
	return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function itemTexts(items: Handoff["risks"]): string | null {
	return items.length === 0
		? null
		: showDirectionMarks(items.map(({ id, description }) => `${id}: ${description}`).join("; "));
}

function listText(texts: readonly string[]): string | null {
	return texts.length === 0 ? null : showDirectionMarks(texts.join(", "));
}

function EntryDetails({ entry }: { entry: Handoff }) {
	const proof = withQuery(`${workspacePath(entry.workspace_id, "/chain")}/proof`, { index: entry.seq });
	return (
		<details>
			<summary>Contents and signature of entry {entry.seq}</summary>
			<Definitions
				entries={[
					["Id", <code>{entry.id}</code>],
					["Kind", entry.action_kind],
					["Files", listText(entry.files_touched)],
					["Constraints", listText(entry.constraints)],
					["Risks", itemTexts(entry.risks)],
					["Checked", itemTexts(entry.validation)],
					["Next", listText(entry.recommended_next_action === null ? [] : [entry.recommended_next_action])],
					["Risk factors", listText(entry.risk.factors)],
					["Signature", entry.signature === null ? null : <code>{entry.signature}</code>],
					["Key", entry.key_id === null ? null : <code>{entry.key_id}</code>],
					["Proof", <a href={proof}>Proof that it is in the chain (JSON)</a>],
				]}
			/>
			<CodeBlock label={`Signed text of entry ${entry.seq}`} text={entry.subject} />
		</details>
	);
}

/** Who handed on to whom, as far as they were named. */
function Tools({ entry: { from_tool, to_tool } }: { entry: Handoff }) {
	if (from_tool === null && to_tool === null) return null;
	return (
		<>
			{from_tool === null ? null : (
				<>
					from <Words text={from_tool} />{" "}
				</>
			)}
			{to_tool === null ? null : (
				<>
					to <Words text={to_tool} />{" "}
				</>
			)}
			·{" "}
		</>
	);
}

function Entry({ entry, faults }: { entry: Handoff; faults: readonly ChainFault[] }) {
	const isBroken = faults.length > 0;
	return (
		<li class={isBroken ? "broken" : undefined} id={`entry-${entry.seq}`}>
			<h2>
				Entry {entry.seq} {isBroken ? <Badge kind="bad">broken</Badge> : <Badge kind="good">holds</Badge>}{" "}
				<TierBadge tier={entry.risk.tier} />
			</h2>
			<p>
				<bdi>{showDirectionMarks(entry.objective)}</bdi>
			</p>
			<p class="hint">
				<Time iso={entry.created_at} /> UTC · <Tools entry={entry} />
				{entry.signed ? "signed" : "not signed"}
			</p>
			{isBroken ? (
				<ul class="error">
					{faults.map(({ text }) => (
						<li>{text}</li>
					))}
				</ul>
			) : null}
			<Definitions
				entries={[
					["Hash", <code>{entry.hash}</code>],
					["Follows", entry.prev_hash === null ? "nothing: the first entry" : <code>{entry.prev_hash}</code>],
				]}
			/>
			<EntryDetails entry={entry} />
		</li>
	);
}

function Verdict({ chain, path }: { chain: Chain; path: string }) {
	const { verification: verdict, count } = chain;
	if (verdict.ok)
		return count === 0 ? null : (
			<Notice kind="success" title="The chain is intact">
				<p>
					All {count} entries are as they were written and in their order
					{verdict.signing_enabled ? ", and the signatures hold" : ""}. This was checked just now.
				</p>
			</Notice>
		);
	const first = verdict.first_broken_index ?? 0;
	// Entries before the first fault are in their places, so that their numbers are their positions.
	const nearFirst = first < 2 ? path : withQuery(path, { after: first - 2, at: first - 1 });
	return (
		<Notice kind="error" title="The chain is broken">
			<p>
				{verdict.reasons.length} {verdict.reasons.length === 1 ? "fault" : "faults"}. Entries before position {first}{" "}
				hold; what follows was changed outside the service and cannot be relied on.
			</p>
			<ul>
				{verdict.reasons.map(parseChainFault).map(({ position, text }) => (
					<li>
						{position < count ? `Position ${position}` : "End of the chain"}: {text}
					</li>
				))}
			</ul>
			<p>
				<a href={nearFirst}>Go to the first broken entry</a>
			</p>
		</Notice>
	);
}

interface ChainEntriesProps {
	chain: Chain;
	/** Position of the page's first entry in the whole chain. */
	start: number;
}

function ChainEntries({ chain, start }: ChainEntriesProps) {
	if (chain.data.length === 0)
		return (
			<div class="empty">
				{start > 0
					? "The chain has no entries after this."
					: "Nothing was handed on yet. Agents do it by POST /v1/handoff."}
			</div>
		);
	const faults = chain.verification.reasons.map(parseChainFault);
	return (
		<ol class="chain" start={start}>
			{chain.data.map((entry, index) => (
				<Entry entry={entry} faults={faults.filter(({ position }) => position === start + index)} />
			))}
		</ol>
	);
}

interface ChainPagerProps extends ChainEntriesProps {
	path: string;
}

function ChainPager({ chain, start, path }: ChainPagerProps) {
	const last = chain.data.at(-1);
	if (start === 0 && !chain.has_more) return null;
	return (
		<nav class="pager" aria-label="Pages">
			{start === 0 ? null : <a href={path}>First entries</a>}
			{chain.has_more && last ? (
				<a href={withQuery(path, { after: last.seq, at: start + chain.data.length })}>Next entries</a>
			) : (
				<span>End of the chain</span>
			)}
		</nav>
	);
}

const chainPage: ConsolePage = {
	id: "workspace_chain",
	method: "GET",
	path: "/console/workspaces/{id}/chain",
	async handle({ api, params: { id = "" }, query }): Promise<PageAnswer> {
		const path = workspacePath(id, "/chain");
		const after = wholeNumber(query, "after");
		const start = wholeNumber(query, "at") ?? (after === null ? 0 : after + 1);
		const members = { limit: PAGE_ENTRIES, after };
		const chain = await api.get<Chain>(withQuery(`/v1/handoff/chain/${encodeURIComponent(id)}`, members));
		const frame = { kind: "page", title: `Chain of ${id}`, section: "workspaces" } as const;
		if (!chain.ok) return failurePage(frame, chain.failure);
		const part = { chain: chain.value, path };
		return {
			...frame,
			content: (
				<>
					<p class="lead">Every handoff names the hash of the one before, so that a change to any of them shows.</p>
					<WorkspaceLinks id={id} page="/chain" />
					<Verdict {...part} />
					<ChainEntries {...part} start={start} />
					<ChainPager {...part} start={start} />
					<p class="hint">
						For auditors: the <a href={`${path}/checkpoint`}>signed checkpoint</a> of the whole chain and the service's{" "}
						<a href="/v1/proof/pubkey">public key</a>; check a saved chain at <a href="/verify">/verify</a>.
					</p>
				</>
			),
		};
	},
};

const proofPage: ConsolePage = {
	id: "workspace_chain_proof",
	method: "GET",
	path: "/console/workspaces/{id}/chain/proof",
	async handle({ api, params: { id = "" }, query }): Promise<PageAnswer> {
		const path = withQuery(`/v1/handoff/chain/${encodeURIComponent(id)}/proof`, { index: query.get("index") });
		const proof = await api.get<Record<string, unknown>>(path);
		if (!proof.ok) return failurePage({ title: "Proof", section: "workspaces" }, proof.failure);
		const headers = { ...PAGE_HEADERS, "content-type": "application/json" };
		return { kind: "response", response: new Response(JSON.stringify(proof.value, null, 2), { headers }) };
	},
};

const checkpointPage: ConsolePage = {
	id: "workspace_checkpoint",
	method: "GET",
	path: "/console/workspaces/{id}/chain/checkpoint",
	async handle({ api, params: { id = "" } }): Promise<PageAnswer> {
		const path = `/v1/handoff/chain/${encodeURIComponent(id)}/checkpoint`;
		const response = await api.open("GET", path);
		if (!response.ok) {
			const refused = await api.get<unknown>(path);
			if (!refused.ok) return failurePage({ title: "Checkpoint", section: "workspaces" }, refused.failure);
		}
		const headers = { ...PAGE_HEADERS, "content-type": "text/plain; charset=utf-8" };
		return { kind: "response", response: new Response(await response.text(), { status: response.status, headers }) };
	},
};

export const chainPages: readonly ConsolePage[] = [chainPage, proofPage, checkpointPage];
