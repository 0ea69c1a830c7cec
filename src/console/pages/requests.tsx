// Requests: the list with its filters, and one with its decision, its cost and its receipt.
import type { z } from "zod";
import type { RequestKind } from "../../http/request-kind.ts";
import type { proofSchema } from "../../usage/proof-endpoints.edge.ts";
import type { requestDetailSchema, requestSchema } from "../../usage/request-views.ts";
import { failurePage } from "../failure-page.tsx";
import { formatDuration, formatExactUsd, formatShare } from "../format.ts";
import { listPage } from "../list-page.tsx";
import type { ConsolePage, PageAnswer } from "../page.ts";
import { TIME_FILTERS } from "../views/filters.tsx";
import {
	Badge,
	CodeBlock,
	type Column,
	Count,
	Definitions,
	Failure,
	Notice,
	Table,
	Time,
	Usd,
} from "../views/parts.tsx";

type ListedRequest = z.output<typeof requestSchema>;
type RequestDetail = z.output<typeof requestDetailSchema>;
type Proof = z.output<typeof proofSchema>;

const PATH = "/console/requests";
const LISTED = 50;

const KINDS: Readonly<Record<RequestKind, string>> = {
	chat: "Chat",
	skill: "Skill",
	orchestration: "Orchestration",
	code: "Code",
	agent: "Agent run",
};

function requestPath({ request_id, kind }: Pick<ListedRequest, "request_id" | "kind">): string {
	return `${kind === "agent" ? "/console/runs" : PATH}/${encodeURIComponent(request_id)}`;
}

/** What went differently from a complete answer of the model that was asked for. */
function Remarks({ request }: { request: ListedRequest }) {
	return (
		<>
			{request.fallback ? <Badge kind="warn">fallback</Badge> : null}{" "}
			{request.outcome === "complete" ? null : <Badge kind="warn">{request.outcome.replaceAll("_", " ")}</Badge>}{" "}
			{request.estimated ? <Badge kind="plain">estimated</Badge> : null}
		</>
	);
}

const COLUMNS: readonly Column<ListedRequest>[] = [
	{
		label: "Time (UTC)",
		cell: (request) => (
			<a href={requestPath(request)}>
				<Time iso={request.created_at} />
			</a>
		),
	},
	{ label: "Kind", cell: ({ kind }) => kind },
	{
		label: "Model",
		cell: (request) => (
			<>
				<span class="name">{request.model}</span> <Remarks request={request} />
			</>
		),
	},
	{ label: "Why", cell: ({ reason, strategy, policy, mode }) => reason ?? strategy ?? policy ?? mode },
	{ label: "Tokens", isNumeric: true, cell: ({ tokens }) => <Count count={tokens} /> },
	{ label: "Latency", isNumeric: true, cell: ({ latency_ms }) => formatDuration(latency_ms) },
	{ label: "Cost", isNumeric: true, cell: ({ cost_usd }) => <Usd usd={cost_usd} /> },
];

const listedPage = listPage<ListedRequest>({
	id: "requests",
	section: "requests",
	title: "Requests",
	path: PATH,
	apiPath: "/v1/requests",
	apiMembers: { limit: LISTED },
	filters: [
		{ name: "kind", label: "Kind", options: Object.entries(KINDS) },
		{ name: "model", label: "Model", type: "text" },
		{ name: "key_id", label: "Key id", type: "text" },
		...TIME_FILTERS,
	],
	noun: "request",
	lead: "What was asked, which model answered and why, and what it cost. Prompts are not kept.",
	caption: "Requests, newest first",
	columns: () => COLUMNS,
	empty: (
		<p>
			No request yet. Each appears here as soon as it is answered. <a href="/console/playground">Make one</a>
		</p>
	),
});

function Decision({ request }: { request: RequestDetail }) {
	return (
		<Definitions
			entries={[
				["Kind", request.kind],
				["Model asked for", request.requested_model ?? "left to routing"],
				[
					"Model that answered",
					<>
						{request.model} of {request.provider} <Remarks request={request} />
					</>,
				],
				["Why", request.reason],
				["Mode", request.mode],
				["Instead of", request.fallback_from],
				["Skill", request.skill_id],
				["Policy", request.policy],
				["Strategy", request.strategy],
				["Language", request.language],
				["Review passed", request.passed === null ? null : request.passed ? "yes" : "no"],
				["Confidence", request.confidence === null ? null : formatShare(request.confidence)],
				["Agreement", request.agreement === null ? null : formatShare(request.agreement)],
				["Arrived", <Time iso={request.created_at} />],
				["Latency", formatDuration(request.latency_ms)],
				[
					"Key",
					request.key_id === null ? null : (
						<a href={`/console/keys/${encodeURIComponent(request.key_id)}`}>
							<code>{request.key_id}</code>
						</a>
					),
				],
				["Config", request.config_digest === null ? null : <code>{request.config_digest}</code>],
				["Catalog", request.catalog_version],
			]}
		/>
	);
}

function Cost({ request }: { request: RequestDetail }) {
	return (
		<>
			<Definitions
				entries={[
					[
						"Cost",
						`${formatExactUsd(request.cost_usd)}${request.estimated ? " (some usage counts at its bound)" : ""}`,
					],
					["At most", request.bound_usd === null ? null : formatExactUsd(request.bound_usd)],
					["Input tokens", <Count count={request.input_tokens} />],
					["Output tokens", <Count count={request.output_tokens} />],
				]}
			/>
			<Table
				caption="Calls of models"
				rows={request.call_costs}
				empty="No model was called."
				columns={[
					{ label: "Model", cell: ({ model }) => model },
					{ label: "Provider", cell: ({ provider }) => provider },
					{ label: "Calls", isNumeric: true, cell: ({ calls }) => <Count count={calls} /> },
					{ label: "Tokens", isNumeric: true, cell: ({ tokens }) => <Count count={tokens} /> },
					{ label: "Cost", isNumeric: true, cell: ({ cost_usd }) => formatExactUsd(cost_usd) },
				]}
			/>
		</>
	);
}

/** Where the candidates are to be seen, of a request whose model was chosen for its prompt. */
function CandidatesHint({ request }: { request: RequestDetail }) {
	if (request.reason === null || request.requested_model !== null) return null;
	return (
		<p class="hint">
			The other candidates are not kept, nor is the prompt. The <a href="/console/playground">playground</a> shows the
			candidates for a prompt under today's catalog, without calling a model.
		</p>
	);
}

/** What checking a receipt found, in a sentence. */
function Verdict({ proof }: { proof: Proof }) {
	if (!proof.valid)
		return (
			<Notice kind="error" title="The receipt does not hold">
				<p>Its hash or its signature is not the one that belongs to its text.</p>
			</Notice>
		);
	return proof.signed ? (
		<Notice kind="success" title="The receipt holds">
			<p>Its hash was computed anew and its signature checked with the service's published key.</p>
		</Notice>
	) : (
		<Notice kind="warning" title="The receipt is not signed">
			<p>Its hash was computed anew. The service has no signing key.</p>
		</Notice>
	);
}

function Receipt({ proof }: { proof: Proof }) {
	return (
		<>
			<Verdict proof={proof} />
			<Definitions
				entries={[
					["Hash", <code>{proof.proof_hash}</code>],
					["Signature", proof.signature === null ? null : <code>{proof.signature}</code>],
					["Signing key", proof.key_id === null ? null : <code>{proof.key_id}</code>],
				]}
			/>
			<CodeBlock label="The receipt" text={JSON.stringify(proof.receipt, null, 2)} />
			<p>
				Anybody can check it: <a href={`/v1/proof/${encodeURIComponent(proof.request_id)}`}>as JSON</a>, or offline on{" "}
				<a href="/verify">the page that verifies</a>.
			</p>
		</>
	);
}

const detailPage: ConsolePage = {
	id: "request",
	method: "GET",
	path: `${PATH}/{request_id}`,
	async handle({ api, params }): Promise<PageAnswer> {
		const id = encodeURIComponent(params["request_id"] ?? "");
		const frame = { kind: "page", title: "Request", section: "requests" } as const;
		const request = await api.get<RequestDetail>(`/v1/requests/${id}`);
		if (!request.ok) return failurePage(frame, request.failure);
		const proof = await api.get<Proof>(`/v1/proof/${id}`);
		return {
			...frame,
			content: (
				<>
					<p class="lead">
						<code>{request.value.request_id}</code>
					</p>
					<h2>Decision</h2>
					<Decision request={request.value} />
					<CandidatesHint request={request.value} />
					<h2>Cost</h2>
					<Cost request={request.value} />
					<h2>Receipt</h2>
					{proof.ok ? <Receipt proof={proof.value} /> : <Failure failure={proof.failure} />}
				</>
			),
		};
	},
};

export const requestPages: readonly ConsolePage[] = [listedPage, detailPage];
