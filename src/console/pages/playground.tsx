// The playground: a chat that streams, and why its model was chosen. An estimate of the choice calls no model.
import type { Child } from "hono/jsx";
import type { z } from "zod";
import type { routePreviewSchema } from "../../chat/route-preview.edge.ts";
import type { ApiAnswer } from "../api.ts";
import { readNumber } from "../form-values.ts";
import { formatDuration, formatExactUsd, formatShare } from "../format.ts";
import { PAGE_HEADERS } from "../headers.ts";
import type { ConsolePage, PageAnswer, ShownPage } from "../page.ts";
import { Badge, CodeBlock, Definitions, Failure, Field, Notice, Table } from "../views/parts.tsx";

type RoutePreview = z.output<typeof routePreviewSchema>;

const PATH = "/console/playground";
const MODES = ["", "agility", "balanced", "quality"] as const;

/** What the page shows of a chat's answer. */
interface ChatAnswer {
	id: string;
	model: string;
	choices: { message: { content: string | null }; finish_reason: string }[];
	svc: { routing: { reason: string; mode: string; provider: string }; cost: { total_usd: number } };
}

/** The chat request that the form stands for. */
export function toChatBody(form: URLSearchParams): Record<string, unknown> {
	const text = (name: string) => (form.get(name) ?? "").trim();
	const system = form.get("system") ?? "";
	const maxCost = readNumber(form, "max_cost");
	const maxTokens = readNumber(form, "max_tokens");
	return {
		model: text("model") || "auto",
		...(text("mode") === "" ? {} : { routing_mode: text("mode") }),
		...(maxTokens === null ? {} : { max_tokens: maxTokens }),
		...(maxCost === null ? {} : { brain_config: { max_cost: maxCost } }),
		messages: [
			...(system.trim() === "" ? [] : [{ role: "system", content: system }]),
			{ role: "user", content: form.get("prompt") ?? "" },
		],
	};
}

function PromptForm({ values }: { values: URLSearchParams }) {
	const value = (name: string) => values.get(name) ?? "";
	return (
		<form method="post" action={PATH} id="playground" data-stream={`${PATH}/stream`}>
			<Field name="prompt" label="Prompt">
				{(attributes) => (
					<textarea {...attributes} rows={6} required>
						{value("prompt")}
					</textarea>
				)}
			</Field>
			<Field name="system" label="System message" hint="Empty: none.">
				{(attributes) => (
					<textarea {...attributes} rows={2}>
						{value("system")}
					</textarea>
				)}
			</Field>
			<div class="filters">
				<Field name="model" label="Model">
					{(attributes) => <input {...attributes} type="text" value={value("model") || "auto"} maxlength={100} />}
				</Field>
				<Field name="mode" label="Mode">
					{(attributes) => (
						<select {...attributes}>
							{MODES.map((mode) => (
								<option value={mode} selected={mode === value("mode")}>
									{mode || "by the prompt"}
								</option>
							))}
						</select>
					)}
				</Field>
				<Field name="max_tokens" label="Output tokens">
					{(attributes) => <input {...attributes} type="number" min="1" value={value("max_tokens")} />}
				</Field>
				<Field name="max_cost" label="USD at most">
					{(attributes) => <input {...attributes} type="number" min="0" step="any" value={value("max_cost")} />}
				</Field>
			</div>
			<p class="actions">
				<button type="submit">Send</button>
				<button type="submit" class="quiet" formaction={`${PATH}/estimate`}>
					Show the choice only
				</button>
				<button type="button" class="quiet" id="stop" hidden>
					Stop
				</button>
			</p>
		</form>
	);
}

/** Where a script writes what streams. */
function StreamPlaces() {
	return (
		<section id="streamed" aria-label="Answer" hidden>
			<h2>Answer</h2>
			<p id="stream-state" role="status" aria-live="polite" />
			<section class="code" tabindex={0} aria-label="The answer's text">
				<pre>
					<code id="stream-text" />
				</pre>
			</section>
			<dl class="definitions" id="stream-facts" />
			<p>
				<a id="stream-link" href="/console/requests" hidden>
					Decision, cost and receipt
				</a>
			</p>
		</section>
	);
}

function Answer({ answer }: { answer: ChatAnswer }) {
	const { id, model, choices, svc } = answer;
	return (
		<>
			<h2>Answer</h2>
			<CodeBlock label="The answer's text" text={choices[0]?.message.content ?? ""} />
			<Definitions
				entries={[
					["Model", `${model} of ${svc.routing.provider}`],
					["Why", svc.routing.reason],
					["Cost", formatExactUsd(svc.cost.total_usd)],
					["Finish reason", choices[0]?.finish_reason ?? ""],
				]}
			/>
			<p>
				<a href={`/console/requests/${encodeURIComponent(id)}`}>Decision, cost and receipt</a>
			</p>
		</>
	);
}

function Preview({ preview }: { preview: RoutePreview }) {
	const signals = Object.entries(preview.signals_detected).flatMap(([name, isThere]) => (isThere ? [name] : []));
	return (
		<>
			<h2>The choice</h2>
			<Definitions
				entries={[
					["Model", `${preview.model_display} of ${preview.provider}`],
					["Why", preview.reason],
					["Mode", preview.mode],
					["Seen in the prompt", signals.join(", ") || "nothing in particular"],
					["Rule of the config", preview.matched_rule],
					["Expected cost", formatExactUsd(preview.estimated_cost.total_usd)],
				]}
			/>
			<Table
				caption="Candidates, best first"
				rows={preview.candidates}
				empty="No model is eligible."
				columns={[
					{
						label: "Model",
						cell: ({ model, source }) => (
							<>
								<span class="name">{model}</span>{" "}
								{source === "operator" ? <Badge kind="plain">operator's</Badge> : null}
							</>
						),
					},
					{ label: "Provider", cell: ({ provider }) => provider },
					{ label: "Tier", cell: ({ tier }) => tier },
					{ label: "Score", isNumeric: true, cell: ({ score }) => score.toFixed(3) },
					{ label: "Quality", isNumeric: true, cell: ({ expected_quality }) => formatShare(expected_quality) },
					{ label: "Cost", isNumeric: true, cell: ({ estimated_cost_usd }) => formatExactUsd(estimated_cost_usd) },
					{ label: "Latency", isNumeric: true, cell: ({ expected_latency_ms }) => formatDuration(expected_latency_ms) },
				]}
			/>
			<Table
				caption="Left out"
				rows={Object.entries(preview.excluded)}
				empty="No model was left out."
				columns={[
					{ label: "Model", cell: ([model]) => <span class="name">{model}</span> },
					{ label: "Why", cell: ([, reasons]) => reasons.join("; ") },
				]}
			/>
		</>
	);
}

/** @param outcome of what the form asked for: what to show, or why there is nothing. */
function playgroundPage(values: URLSearchParams, outcome: ApiAnswer<Child> | null): ShownPage {
	const failure = outcome?.ok === false ? outcome.failure : null;
	return {
		kind: "page",
		title: "Playground",
		section: "playground",
		status: failure?.status,
		content: (
			<>
				<Notice kind="note" title="Sending spends your money">
					<p>It is a request like any other, with this session's key. Showing the choice calls no model.</p>
				</Notice>
				{failure ? <Failure failure={failure} /> : null}
				<PromptForm values={values} />
				<StreamPlaces />
				{outcome?.ok ? outcome.value : null}
			</>
		),
	};
}

const showPage: ConsolePage = {
	id: "playground",
	method: "GET",
	path: PATH,
	handle: async ({ query }) => playgroundPage(query, null),
};

/** A page that shows what the API answers to the form's request. */
function outcomePage<T>(
	page: Pick<ConsolePage, "id" | "path">,
	apiPath: string,
	show: (value: T) => Child,
): ConsolePage {
	return {
		...page,
		method: "POST",
		async handle({ api, form }): Promise<PageAnswer> {
			const answer = await api.send<T>("POST", apiPath, toChatBody(form));
			return playgroundPage(form, answer.ok ? { ok: true, value: show(answer.value) } : answer);
		},
	};
}

const sendPage = outcomePage<ChatAnswer>({ id: "playground_send", path: PATH }, "/v1/chat/completions", (answer) => (
	<Answer answer={answer} />
));

const estimatePage = outcomePage<RoutePreview>(
	{ id: "playground_estimate", path: `${PATH}/estimate` },
	"/v1/route",
	(preview) => <Preview preview={preview} />,
);

/** The API's own stream, or its error as JSON, for the page's script. */
const streamPage: ConsolePage = {
	id: "playground_stream",
	method: "POST",
	path: `${PATH}/stream`,
	async handle({ api, form }): Promise<PageAnswer> {
		const response = await api.open("POST", "/v1/chat/completions", { ...toChatBody(form), stream: true });
		const headers = new Headers(PAGE_HEADERS);
		for (const name of ["content-type", "retry-after", "x-request-id"]) {
			const value = response.headers.get(name);
			if (value !== null) headers.set(name, value);
		}
		return { kind: "response", response: new Response(response.body, { status: response.status, headers }) };
	},
};

export const playgroundPages: readonly ConsolePage[] = [showPage, sendPage, estimatePage, streamPage];
