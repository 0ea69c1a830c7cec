// The playground: a chat that streams, and why its model was chosen. An estimate of the choice calls no model.
import type { Child } from "hono/jsx";
import type { z } from "zod";
import type { routePreviewSchema } from "../../chat/route-preview.edge.ts";
import type { ApiAnswer } from "../api.ts";
import { toChatBody } from "../chat-form.ts";
import { formatCount, formatDuration, formatExactUsd, formatShare } from "../format.ts";
import { PAGE_HEADERS } from "../headers.ts";
import { showDirectionMarks } from "../json-text.ts";
import type { ConsolePage, PageAnswer, PageRequest, ShownPage } from "../page.ts";
import { toRequestCode } from "../request-code.ts";
import { Icon } from "../views/icons.tsx";
import { Markdown } from "../views/markdown.tsx";
import { Badge, CodeBlock, CopiedCode, Definitions, Failure, Field, Table } from "../views/parts.tsx";

type RoutePreview = z.output<typeof routePreviewSchema>;

const PATH = "/console/playground";
const MODES = ["", "agility", "balanced", "quality"] as const;

interface AnsweredTool {
	id: string;
	function: { name: string; arguments: string };
}

/** What the page shows of a chat's answer. */
interface ChatAnswer {
	id: string;
	model: string;
	choices: { message: { content: string | null; tool_calls?: AnsweredTool[] }; finish_reason: string }[];
	usage: { prompt_tokens: number; completion_tokens: number };
	svc: { routing: { reason: string; mode: string; provider: string }; cost: { total_usd: number }; latency_ms: number };
}

/** A message of the conversation so far, as far as it is shown. */
interface ShownMessage {
	role: string;
	text: string;
}

/** The text of a message's content, in which images and files are named. */
function contentText(content: unknown): string {
	if (typeof content === "string") return content;
	if (!Array.isArray(content)) return "";
	const parts = content as { type?: string; text?: string }[];
	return parts
		.map(({ type, text }) => (type === "text" ? (text ?? "") : type === "file" ? "(file)" : "(image)"))
		.join("\n");
}

/** What was said before, of what a chat request holds. */
function shownMessages(body: Record<string, unknown>): ShownMessage[] {
	const messages = Array.isArray(body["messages"]) ? (body["messages"] as { role?: unknown; content?: unknown }[]) : [];
	return messages
		.filter(({ role }) => role !== "system")
		.map(({ role, content }) => ({ role: String(role), text: contentText(content) }));
}

function Message({ role, text }: ShownMessage) {
	return role === "assistant" ? (
		<div class="answer">
			<Markdown text={text} />
		</div>
	) : (
		<div class="said">
			<p class="unseen">{role === "tool" ? "The tool answered" : "You"}</p>
			<bdi>{showDirectionMarks(text)}</bdi>
		</div>
	);
}

/** What a model wants to be called, for who has no script to answer it with. */
function ToolCalls({ calls }: { calls: readonly AnsweredTool[] }) {
	return (
		<>
			{calls.map(({ id, function: { name, arguments: given } }) => (
				<div class="tool-call">
					<p>
						Calls <code>{name}</code>
					</p>
					<CodeBlock label={`Arguments of ${id}`} text={given} />
				</div>
			))}
		</>
	);
}

function Answer({ answer }: { answer: ChatAnswer }) {
	const { id, model, choices, usage, svc } = answer;
	const message = choices[0]?.message;
	return (
		<div class="answer">
			<p class="answer-head">
				<strong>{model}</strong> <span class="faint">of {svc.routing.provider}</span>
			</p>
			<Markdown text={message?.content ?? ""} />
			<ToolCalls calls={message?.tool_calls ?? []} />
			<p class="answer-facts">
				<span>{formatExactUsd(svc.cost.total_usd)}</span>
				<span>{formatDuration(svc.latency_ms)}</span>
				<span>
					{formatCount(usage.prompt_tokens)} → {formatCount(usage.completion_tokens)} tokens
				</span>
				<span>{choices[0]?.finish_reason}</span>
				<a href={`/console/requests/${encodeURIComponent(id)}`}>Decision, cost and receipt</a>
			</p>
			<p class="hint">{svc.routing.reason}</p>
		</div>
	);
}

/** The conversation with an answer, as the next form brings it. */
function continued(body: Record<string, unknown>, { choices }: ChatAnswer): string {
	const messages = (body["messages"] as { role?: unknown }[]).filter(({ role }) => role !== "system");
	return JSON.stringify([...messages, { role: "assistant", ...choices[0]?.message }]);
}

interface Talk {
	values: URLSearchParams;
	/** What was said before, for a form that goes on with it. */
	conversation?: string;
	/** What is shown of it. */
	turns?: Child;
	models: readonly string[];
}

function Settings({ values, models }: Pick<Talk, "values" | "models">) {
	const value = (name: string) => values.get(name) ?? "";
	return (
		<section class="card settings" aria-label="Settings">
			<div class="card-body">
				<datalist id="models">
					{["auto", ...models].map((id) => (
						<option value={id} />
					))}
				</datalist>
				<Field name="model" label="Model">
					{(attributes) => (
						<input {...attributes} type="text" list="models" value={value("model") || "auto"} maxlength={100} />
					)}
				</Field>
				<div class="needs-script">
					<Field name="compare" label="Beside it" hint="A second model answers the same. Empty: none.">
						{(attributes) => (
							<input {...attributes} type="text" list="models" value={value("compare")} maxlength={100} />
						)}
					</Field>
				</div>
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
				<div class="pair">
					<Field name="max_tokens" label="Output tokens">
						{(attributes) => <input {...attributes} type="number" min="1" value={value("max_tokens")} />}
					</Field>
					<Field name="max_cost" label="USD at most">
						{(attributes) => <input {...attributes} type="number" min="0" step="any" value={value("max_cost")} />}
					</Field>
				</div>
				<Field name="system" label="System message">
					{(attributes) => (
						<textarea {...attributes} rows={3}>
							{value("system")}
						</textarea>
					)}
				</Field>
				<Field name="tools" label="Tools as JSON" hint="A list, as the interface takes it. Empty: none.">
					{(attributes) => (
						<textarea {...attributes} rows={4} spellcheck={false} placeholder={TOOL_EXAMPLE}>
							{value("tools")}
						</textarea>
					)}
				</Field>
			</div>
		</section>
	);
}

const TOOL_EXAMPLE = `[{"type":"function","function":{"name":"weather",
  "parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}]`;

function Composer({ values }: Pick<Talk, "values">) {
	return (
		<div class="composer">
			<Field name="prompt" label="Prompt">
				{(attributes) => (
					<textarea {...attributes} rows={3} placeholder="Ask something">
						{values.get("prompt") ?? ""}
					</textarea>
				)}
			</Field>
			<ul class="attached" id="attached" aria-label="Attached files" />
			<div class="actions">
				<button type="submit">Send</button>
				<button type="submit" class="quiet" formaction={`${PATH}/estimate`}>
					Show the choice only
				</button>
				<button type="button" class="quiet" id="stop" hidden>
					Stop
				</button>
				<span class="needs-script file">
					<label class="button quiet" for="images">
						<Icon name="plus" />
						Images, PDF
					</label>
					<input type="file" id="images" accept="image/*,application/pdf" multiple />
				</span>
				<a class="begin-anew" href={PATH}>
					New conversation
				</a>
			</div>
			<p id="stream-state" class="hint" role="status" aria-live="polite" />
		</div>
	);
}

/** The request as code, once there is one. A script keeps it up to date. */
function RequestCode({ code }: { code: ReturnType<typeof toRequestCode> | null }) {
	const texts = [
		["curl", "curl", code?.curl],
		["python", "Python", code?.python],
		["typescript", "TypeScript", code?.typescript],
	] as const;
	return (
		<details id="request-code" class="request-code" hidden={code === null}>
			<summary>The request as code</summary>
			{texts.map(([language, label, text]) => (
				<>
					<h3>{label}</h3>
					<CopiedCode id={`code-${language}`} label={`The request in ${label}`} text={text ?? ""} />
				</>
			))}
		</details>
	);
}

function TalkForm({
	talk,
	code,
	origin,
}: {
	talk: Talk;
	code: ReturnType<typeof toRequestCode> | null;
	origin: string;
}) {
	const { values, conversation, turns, models } = talk;
	return (
		<form
			method="post"
			action={PATH}
			id="playground"
			class="playground"
			data-stream={`${PATH}/stream`}
			data-origin={origin}
		>
			<input type="hidden" name="conversation" value={conversation ?? ""} />
			<div class="talk">
				<section id="turns" class="turns" aria-label="Conversation" tabindex={0}>
					{turns ?? (
						<p class="turns-empty">
							Each prompt is a request like any other: it is routed, spends money of this session's key, and has a
							receipt. Showing the choice calls no model.
						</p>
					)}
				</section>
				<Composer values={values} />
				<RequestCode code={code} />
			</div>
			<Settings values={values} models={models} />
		</form>
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

interface Outcome {
	talk?: Pick<Talk, "conversation" | "turns">;
	code?: ReturnType<typeof toRequestCode>;
	/** What stands below the form. */
	below?: Child;
}

/** @param answer to what the form asked for; null where nothing was asked. */
async function playgroundPage(
	{ api, service }: PageRequest,
	values: URLSearchParams,
	answer: ApiAnswer<Outcome> | null,
): Promise<ShownPage> {
	const list = await api.get<{ data: { id: string; available: boolean }[] }>("/v1/models");
	const models = list.ok ? list.value.data.filter(({ available }) => available).map(({ id }) => id) : [];
	const failure = answer?.ok === false ? answer.failure : null;
	const outcome = answer?.ok ? answer.value : {};
	return {
		kind: "page",
		title: "Playground",
		section: "playground",
		lead: "Talk to any model, or two side by side, and see what each answer cost.",
		hasConversation: true,
		status: failure?.status,
		content: (
			<>
				{failure ? <Failure failure={failure} /> : null}
				<TalkForm talk={{ values, models, ...outcome.talk }} code={outcome.code ?? null} origin={service.origin} />
				{outcome.below}
			</>
		),
	};
}

const showPage: ConsolePage = {
	id: "playground",
	method: "GET",
	path: PATH,
	handle: (request) => playgroundPage(request, request.query, null),
};

/** A page that shows what the API answers to the form's request. */
function outcomePage<T>(
	page: Pick<ConsolePage, "id" | "path">,
	apiPath: string,
	show: (value: T, body: Record<string, unknown>, request: PageRequest) => Outcome,
): ConsolePage {
	return {
		...page,
		method: "POST",
		async handle(request): Promise<PageAnswer> {
			const { api, form } = request;
			const body = toChatBody(form);
			const answer = await api.send<T>("POST", apiPath, body);
			const values = new URLSearchParams(form);
			if (answer.ok && page.path === PATH) values.delete("prompt");
			return playgroundPage(
				request,
				values,
				answer.ok ? { ok: true, value: show(answer.value, body, request) } : answer,
			);
		},
	};
}

const sendPage = outcomePage<ChatAnswer>(
	{ id: "playground_send", path: PATH },
	"/v1/chat/completions",
	(answer, body, { service }) => ({
		talk: {
			conversation: continued(body, answer),
			turns: (
				<>
					{shownMessages(body).map(Message)}
					<Answer answer={answer} />
				</>
			),
		},
		code: toRequestCode(service.origin, body),
	}),
);

const estimatePage = outcomePage<RoutePreview>(
	{ id: "playground_estimate", path: `${PATH}/estimate` },
	"/v1/route",
	(preview, body, { form }) => ({
		below: <Preview preview={preview} />,
		talk: {
			conversation: form.get("conversation") ?? "",
			turns: form.get("conversation") ? shownMessages(body).slice(0, -1).map(Message) : undefined,
		},
	}),
);

/** The API's own stream, or its error as JSON, for the page's script. */
const streamPage: ConsolePage = {
	id: "playground_stream",
	method: "POST",
	path: `${PATH}/stream`,
	async handle({ api, form }): Promise<PageAnswer> {
		const response = await api.open("POST", "/v1/chat/completions", {
			...toChatBody(form),
			stream: true,
			stream_options: { include_usage: true },
		});
		const headers = new Headers(PAGE_HEADERS);
		for (const name of ["content-type", "retry-after", "x-request-id"]) {
			const value = response.headers.get(name);
			if (value !== null) headers.set(name, value);
		}
		return { kind: "response", response: new Response(response.body, { status: response.status, headers }) };
	},
};

export const playgroundPages: readonly ConsolePage[] = [showPage, sendPage, estimatePage, streamPage];
