// One request: how it ended, the way it took, its decision, its cost, its receipt, and the code that makes it again.
import type { z } from "zod";
import type { proofSchema } from "../../../usage/proof-endpoints.edge.ts";
import { type Api, type ApiAnswer, withQuery } from "../../api.ts";
import { failurePage } from "../../failure-page.tsx";
import { formatCount, formatDuration, formatExactUsd, formatShare, formatUsd } from "../../format.ts";
import { showDirectionMarks } from "../../json-text.ts";
import { type KeyNames, readKeyNames } from "../../key-names.ts";
import type { ConsolePage, PageAnswer } from "../../page.ts";
import { readTimeZone } from "../../range.ts";
import { toRequestCode } from "../../request-code.ts";
import { toWay, type WayStep } from "../../request-way.ts";
import { describeToolCalls } from "../../tool-call-counts.ts";
import {
	CodeBlock,
	CopiedCode,
	CopyButton,
	Count,
	Definitions,
	Failure,
	Notice,
	type PlainTile,
	PlainTiles,
	Table,
	Time,
	Words,
} from "../../views/parts.tsx";
import { SessionLink } from "../../views/session-link.tsx";
import { KeyLink } from "../../views/who.tsx";
import { REQUESTS_PATH, requestKindName, requestPath, type WholeRequest } from "./frame.ts";
import { Remarks, RequestState } from "./state.tsx";

type Proof = z.output<typeof proofSchema>;

/** The texts of a request; null where none are kept. */
interface AnsweredTexts {
	input: string | null;
	output: string | null;
	/** Characters of the whole input. Of a long one, both ends are kept. */
	input_chars: number | null;
	expires_at: string | null;
}

function Tiles({ request }: { request: WholeRequest }) {
	const { cost_usd, latency_ms, first_token_ms, tokens_per_second, input_tokens, output_tokens, cached_tokens } =
		request;
	const { bound_usd } = request;
	const tiles: readonly PlainTile[] = [
		{
			label: "Cost",
			value: formatUsd(cost_usd),
			exact: formatExactUsd(cost_usd),
			hint: bound_usd === null ? "nothing was bound" : `at most ${formatUsd(bound_usd)} was possible`,
		},
		{
			label: "Latency",
			value: formatDuration(latency_ms),
			hint: first_token_ms === null ? "no token came" : `first token after ${formatDuration(first_token_ms)}`,
		},
		{
			label: "Input tokens",
			value: formatCount(input_tokens),
			hint: `${formatCount(cached_tokens)} of them from a cache`,
		},
		{
			label: "Output tokens",
			value: formatCount(output_tokens),
			hint: tokens_per_second === null ? "came as a whole" : `${formatCount(tokens_per_second)} a second`,
		},
	];
	return <PlainTiles tiles={tiles} />;
}

/** A step as a bar on the line of time. What it says stands in the row's other cells. */
function StepBar({ step, wholeMs }: { step: WayStep; wholeMs: number }) {
	const at = (ms: number) => (ms / wholeMs) * 100;
	const width = Math.max(0.6, at(step.ms));
	return (
		<svg class="way-bar" viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
			<rect
				class={`way-${step.isFailure ? "failed" : step.kind}`}
				x={Math.min(100 - width, at(step.startMs)).toFixed(2)}
				y="1"
				width={width.toFixed(2)}
				height="10"
			/>
			{step.firstTokenMs === null ? null : <path class="way-token" d={`M${at(step.firstTokenMs).toFixed(2)} 0v12`} />}
		</svg>
	);
}

/** What happened when, from the request's arrival to its receipt. */
function Waterfall({ request }: { request: WholeRequest }) {
	const { steps, wholeMs } = toWay(request.latency_ms, request.attempts, request.proof_hash !== null);
	return (
		<Table
			caption={`The way it took, ${formatDuration(wholeMs)} in all`}
			rows={steps}
			empty="Nothing is known of its way."
			columns={[
				{ label: "Step", cell: ({ label }) => <span class="name">{label}</span> },
				{
					label: "What came",
					cell: ({ result, isFailure }) => <span class={isFailure ? "name error" : "name"}>{result}</span>,
				},
				{ label: "When", isWide: true, cell: (step) => <StepBar step={step} wholeMs={wholeMs} /> },
				{ label: "After", isNumeric: true, cell: ({ startMs }) => formatDuration(startMs) },
				{
					label: "First token",
					isNumeric: true,
					cell: ({ firstTokenMs }) => (firstTokenMs === null ? "–" : formatDuration(firstTokenMs)),
				},
				{ label: "Took", isNumeric: true, cell: ({ ms }) => formatDuration(ms) },
			]}
		/>
	);
}

function FilterLink({ name, value }: { name: string; value: string }) {
	return (
		<a href={withQuery(REQUESTS_PATH, { [name]: value })}>
			<bdi>{showDirectionMarks(value)}</bdi>
		</a>
	);
}

function Metadata({ metadata }: Pick<WholeRequest, "metadata">) {
	return (
		<ul class="plain-list">
			{Object.entries(metadata).map(([name, value]) => (
				<li>
					<FilterLink name="metadata" value={`${name}=${value}`} />
				</li>
			))}
		</ul>
	);
}

interface PartProps {
	request: WholeRequest;
	names: KeyNames;
	zone: string;
}

function Decision({ request, names, zone }: PartProps) {
	const { model, provider, session_id, end_user, metadata } = request;
	return (
		<Definitions
			entries={[
				["Ended", <RequestState request={request} />],
				["Kind", requestKindName(request.kind)],
				["Model asked for", <Words text={request.requested_model ?? "left to routing"} />],
				[
					"Model that answered",
					model === null ? null : (
						<>
							{model} of {provider} <Remarks request={request} />
						</>
					),
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
				[`Arrived (${zone})`, <Time iso={request.created_at} zone={zone} />],
				["Key", request.key_id === null ? null : <KeyLink names={names} keyId={request.key_id} />],
				["Session", session_id === null ? null : <SessionLink id={session_id} />],
				["End user", end_user === null ? null : <FilterLink name="end_user" value={end_user} />],
				["Metadata", Object.keys(metadata).length === 0 ? null : <Metadata metadata={metadata} />],
				["Config", request.config_digest === null ? null : <code>{request.config_digest}</code>],
				["Catalog", request.catalog_version],
			]}
		/>
	);
}

function Cost({ request }: { request: WholeRequest }) {
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
function CandidatesHint({ request }: { request: WholeRequest }) {
	if (request.reason === null || request.requested_model !== null) return null;
	return (
		<p class="hint">
			The other candidates are not kept, nor is the prompt. The <a href="/console/playground">playground</a> shows the
			candidates for a prompt under today's catalog, without calling a model.
		</p>
	);
}

/** Where the script says what it found when it checked the receipt in the browser. */
function BrowserCheck({ requestId }: { requestId: string }) {
	return (
		<div class="browser-check" data-check={requestId} hidden>
			<p role="status" />
			<ul class="plain-list" />
		</div>
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
			{proof.signed ? <BrowserCheck requestId={proof.request_id} /> : null}
			<Definitions
				entries={[
					["Hash", <code>{proof.proof_hash}</code>],
					["Signature", proof.signature === null ? null : <code>{proof.signature}</code>],
					["Signing key", proof.key_id === null ? null : <code>{proof.key_id}</code>],
					["Calls of tools", describeToolCalls(proof.receipt["tool_calls"])],
				]}
			/>
			<details class="receipt-text">
				<summary>The receipt</summary>
				<CodeBlock label="The receipt" text={JSON.stringify(proof.receipt, null, 2)} />
			</details>
			<p>
				Anybody can check it: <a href={`/v1/proof/${encodeURIComponent(proof.request_id)}`}>as JSON</a>, or offline on{" "}
				<a href="/verify">the page that verifies</a>.
			</p>
		</>
	);
}

interface TextsProps {
	/** Null where they were not asked for. */
	texts: ApiAnswer<AnsweredTexts> | null;
	request: WholeRequest;
	zone: string;
}

/** Texts, where they are kept. They are read when somebody asks for them, because each look is recorded. */
function Texts({ texts, request, zone }: TextsProps) {
	if (texts === null)
		return (
			<p>
				Kept only where the service's operator and the key allow it. Each look is an event of the audit log.{" "}
				<a href={withQuery(requestPath(request), { texts: 1, time_zone: zone })}>Show the texts</a>
			</p>
		);
	if (!texts.ok) return <Failure failure={texts.failure} />;
	const { input, output, expires_at } = texts.value;
	if (expires_at === null) return <p>No texts of this request are kept.</p>;
	return (
		<>
			<h3>Input</h3>
			<CodeBlock label="The input" text={input ?? ""} />
			<h3>Output</h3>
			<CodeBlock label="The output" text={output ?? ""} />
			<p class="hint">
				Kept until <Time iso={expires_at} zone={zone} /> ({zone}). This look was recorded.
			</p>
		</>
	);
}

/** The mode that routed a request which named no model; null where none is to be asked for again. */
function routedMode({ requested_model, mode }: WholeRequest): string | null {
	return requested_model === null && mode !== null && ["agility", "balanced", "quality"].includes(mode) ? mode : null;
}

/** The body of a chat that asks for the same again. */
function toBody(request: WholeRequest, input: string | null): Record<string, unknown> {
	const mode = routedMode(request);
	const messages = [{ role: "user", content: input ?? "…" }];
	return { model: request.requested_model ?? "auto", ...(mode === null ? {} : { routing_mode: mode }), messages };
}

const LANGUAGES = [
	["curl", "curl"],
	["python", "Python"],
	["typescript", "TypeScript"],
] as const;

function Code({ origin, request, input }: { origin: string; request: WholeRequest; input: string | null }) {
	const code = toRequestCode(origin, toBody(request, input));
	return (
		<>
			{LANGUAGES.map(([language, label]) => (
				<details class="code-choice">
					<summary>{label}</summary>
					<CopiedCode id={`code-${language}`} label={`The request in ${label}`} text={code[language]} />
				</details>
			))}
			{input === null ? <p class="hint">The prompt is not kept with the request: put yours in its place.</p> : null}
		</>
	);
}

/** A prompt of more characters makes an address that browsers and servers cut. */
const MOST_PROMPT_CHARS = 4_000;

/** The playground with what is known of a request. */
function replayPath(request: WholeRequest, input: string | null): string {
	return withQuery("/console/playground", {
		model: request.requested_model ?? "auto",
		mode: routedMode(request),
		prompt: input !== null && input.length <= MOST_PROMPT_CHARS ? input : null,
	});
}

/** The input, unless its middle is not kept. */
function wholeInput({ input, input_chars }: AnsweredTexts): string | null {
	return input !== null && input.length === input_chars ? input : null;
}

/** Reads texts only if they are asked for. */
async function readTexts(api: Api, id: string, isAsked: boolean): Promise<ApiAnswer<AnsweredTexts> | null> {
	return isAsked ? api.get<AnsweredTexts>(`/v1/requests/${id}/texts`) : null;
}

function Problem({ request }: { request: WholeRequest }) {
	const { error, http_status, outcome, count } = request;
	if (error === null) return null;
	const isWhole = outcome === "failed" || outcome === "refused";
	return (
		<Notice
			kind={isWhole ? "error" : "warning"}
			title={`${isWhole ? "No answer" : "No whole answer"}${http_status === null ? "" : `: HTTP ${http_status}`}`}
		>
			<p>
				<bdi>{showDirectionMarks(error.message)}</bdi>
			</p>
			<p class="hint">
				Error <code>{error.code}</code>
				{count > 1 ? `, ${formatCount(count)} times within this minute` : ""}.{" "}
				<a href={withQuery(REQUESTS_PATH, { code: error.code })}>All with this error</a>
			</p>
		</Notice>
	);
}

/** Of what no provider was called for, there is none. */
function ReceiptPart({ request, proof }: { request: WholeRequest; proof: ApiAnswer<Proof> | null }) {
	if (request.proof_hash === null || proof === null)
		return <p class="hint">Nothing was billed, so there is no receipt.</p>;
	return proof.ok ? <Receipt proof={proof.value} /> : <Failure failure={proof.failure} />;
}

export const requestDetailPage: ConsolePage = {
	id: "request",
	method: "GET",
	path: `${REQUESTS_PATH}/{request_id}`,
	async handle({ api, params, query, service }): Promise<PageAnswer> {
		const id = encodeURIComponent(params["request_id"] ?? "");
		const frame = { kind: "page", title: "Request", section: "requests" } as const;
		const read = await api.get<WholeRequest>(`/v1/requests/${id}`);
		if (!read.ok) return failurePage(frame, read.failure);
		const request = read.value;
		const [proof, names, texts] = await Promise.all([
			request.proof_hash === null ? null : api.get<Proof>(`/v1/proof/${id}`),
			readKeyNames(api),
			readTexts(api, id, query.get("texts") === "1"),
		]);
		const zone = readTimeZone(query);
		const input = texts?.ok ? wholeInput(texts.value) : null;
		const isChat = request.kind === "chat";
		return {
			...frame,
			hasReceipt: proof?.ok === true && proof.value.signed,
			lead: (
				<>
					<code id="request-id">{request.request_id}</code> <CopyButton of="request-id" label="Copy the id" />
				</>
			),
			actions: isChat ? (
				<a class="button quiet" href={replayPath(request, input)}>
					Replay in the playground
				</a>
			) : null,
			content: (
				<>
					<Problem request={request} />
					<Tiles request={request} />
					<Waterfall request={request} />
					<h2>Decision</h2>
					<Decision request={request} names={names} zone={zone} />
					<CandidatesHint request={request} />
					<h2>Cost</h2>
					<Cost request={request} />
					<h2>Receipt</h2>
					<ReceiptPart request={request} proof={proof} />
					<h2>Texts</h2>
					<Texts texts={texts} request={request} zone={zone} />
					{isChat ? (
						<>
							<h2>Ask the same again</h2>
							<Code origin={service.origin} request={request} input={input} />
						</>
					) : null}
				</>
			),
		};
	},
};
