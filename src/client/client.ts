// The client: one method for each thing that the service does and OpenAI's library does not, typed from the list of endpoints.
import { agentMethods } from "./agents.ts";
import { type CompletionChunk, readChunks } from "./chat.ts";
import { SvcError } from "./errors.ts";
import { collectAll, followList, readAllPages } from "./pages.ts";
import { followWork, readWork, type WorkEvent } from "./progress.ts";
import { chainReader, entryReader, proofReader } from "./proofs.ts";
import { type ConnectionOptions, environmentVariables, toConnection } from "./settings.ts";
import {
	type CallSettings,
	type EndpointAnswer,
	type EndpointArguments,
	type EndpointBody,
	type EndpointId,
	type EndpointQuery,
	Transport,
} from "./transport.ts";

export interface ClientOptions extends ConnectionOptions {
	/** Further tries after the first one, where one can help. Default 2. */
	maxRetries?: number;
	/** Most milliseconds until an answer begins. Default ten minutes. */
	timeoutMs?: number;
	/** Sent with every request. */
	headers?: Record<string, string>;
	/** Default: the global one. */
	fetch?: typeof fetch;
}

const DEFAULT_RETRIES = 2;
const DEFAULT_TIMEOUT_MS = 600_000;
const DEFAULT_FOLLOW_MS = 2_000;

type RunBody = EndpointBody<"start_agent_run">;

/** A run under a key of its own, so that a request that is sent again joins it and spends nothing. */
function withRunKey(body: RunBody): RunBody {
	return { ...body, idempotency_key: body.idempotency_key ?? crypto.randomUUID() };
}

function toTransport({ maxRetries, timeoutMs, headers, fetch, ...connection }: ClientOptions): Transport {
	return new Transport({
		...toConnection(connection, environmentVariables()),
		maxRetries: maxRetries ?? DEFAULT_RETRIES,
		timeoutMs: timeoutMs ?? DEFAULT_TIMEOUT_MS,
		headers: headers ?? {},
		// Called as a function of its own: Workers and browsers refuse one that is called as a member.
		fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
	});
}

/** Agent runs: goals that are worked on in steps under a ceiling of cost. */
function runMethods(transport: Transport) {
	return {
		/** Works on a goal and answers with the run at its end; with `background: true` at once. */
		start: (body: RunBody, settings: CallSettings = {}) =>
			transport.call("start_agent_run", { body: withRunKey(body) }, { ...settings, isRepeatable: true }),
		/** Works on a goal and reports each step; a connection that breaks joins the run again. */
		stream: (body: RunBody, settings: CallSettings = {}): AsyncGenerator<WorkEvent<"start_agent_run">> =>
			followWork(transport, "start_agent_run", { body: { ...withRunKey(body), stream: true } }, settings),
		/** A run as it stands. */
		get: (runId: string, settings?: CallSettings) =>
			transport.call("get_agent_run", { params: { run_id: runId } }, settings),
		/** What happens in a run, until it is over, waits or is interrupted; nothing is changed by that. First the run as it is (`type: run`). */
		watch: (runId: string, settings: CallSettings = {}): AsyncGenerator<WorkEvent<"watch_agent_run">> =>
			followWork(transport, "watch_agent_run", { params: { run_id: runId } }, settings),
		/** All runs, newest first. */
		list: (query: EndpointQuery<"list_agent_runs"> = {}, settings?: CallSettings) =>
			readAllPages((cursor = query.cursor) =>
				transport.call("list_agent_runs", { query: { ...query, ...(cursor ? { cursor } : {}) } }, settings),
			),
		/** The steps with their proofs; `full` with what verifies them. */
		trajectory: (runId: string, full = false, settings?: CallSettings) =>
			transport.call("get_agent_trajectory", { params: { run_id: runId }, query: { full } }, settings),
		/** A step with the text that it wrote, and of one with tools what was called, decided and answered. */
		step: (runId: string, index: number, settings?: CallSettings) =>
			transport.call("get_agent_step", { params: { run_id: runId, index: String(index) } }, settings),
		/** Has a run make no further call; what it has cost stays charged. */
		cancel: (runId: string, settings: CallSettings = {}) =>
			transport.call("cancel_agent_run", { params: { run_id: runId } }, { ...settings, isRepeatable: true }),
		/** Lets an interrupted run go on, and reports each step. */
		resume: (runId: string, settings: CallSettings = {}): AsyncGenerator<WorkEvent<"resume_agent_run">> =>
			followWork(transport, "resume_agent_run", { params: { run_id: runId }, body: { stream: true } }, settings),
		/** Answers what a run waits for. The same answers again change nothing. */
		resolve: (runId: string, body: EndpointBody<"resolve_agent_run">, settings: CallSettings = {}) =>
			transport.call("resolve_agent_run", { params: { run_id: runId }, body }, { ...settings, isRepeatable: true }),
	};
}

/** Handoffs: a signed chain for each workspace. */
function handoffMethods(transport: Transport) {
	return {
		create: (body: EndpointBody<"create_handoff">, settings?: CallSettings) =>
			transport.call("create_handoff", { body }, settings),
		get: (handoffId: string, settings?: CallSettings) =>
			transport.call("get_handoff", { params: { handoff_id: handoffId } }, settings),
		/** A page of a chain, with the service's verdict on all of it. */
		chain: (workspaceId: string, query: EndpointQuery<"get_handoff_chain"> = {}, settings?: CallSettings) =>
			transport.call("get_handoff_chain", { params: { workspace_id: workspaceId }, query }, settings),
		/** A signed note on a chain's size and root. */
		checkpoint: (workspaceId: string, settings?: CallSettings) =>
			transport.text("get_handoff_checkpoint", { params: { workspace_id: workspaceId } }, settings),
		/** That an entry is in the chain, or that a longer chain begins with a shorter one. */
		treeProof: (workspaceId: string, query: EndpointQuery<"get_handoff_proof">, settings?: CallSettings) =>
			transport.call("get_handoff_proof", { params: { workspace_id: workspaceId }, query }, settings),
		/** Reads a whole chain and verifies it on this machine. */
		verify: chainReader(transport),
		/** Verifies that one handoff is in the tree that its workspace's current checkpoint signs, without reading the chain. */
		verifyEntry: entryReader(transport),
	};
}

type PolicyAnswer = EndpointAnswer<"check_policy">;

const DECISIONS: Readonly<Record<PolicyAnswer["decision"], true>> = {
	allow: true,
	confirm: true,
	approve: true,
	deny: true,
};

/** @throws SvcError for a decision of another name: no word that nobody knows is a permission. */
function checkDecision(answer: PolicyAnswer): PolicyAnswer {
	if (typeof answer.decision === "string" && Object.hasOwn(DECISIONS, answer.decision)) return answer;
	const given = JSON.stringify(answer.decision);
	throw new SvcError({
		code: "invalid_answer",
		message: `the answer's decision is ${given}, which is none of ${Object.keys(DECISIONS).join(", ")}`,
		status: 200,
	});
}

/** A hook's answer. An empty one permits, so it must be of the service and have its form. */
async function readHookAnswer(response: Response): Promise<EndpointAnswer<"hook_codex">> {
	const { status, headers } = response;
	const requestId = headers.get("x-request-id");
	const answer: unknown = await response.json().catch(() => null);
	const isAnswer = typeof answer === "object" && answer !== null && !Array.isArray(answer);
	const output: unknown = isAnswer ? Reflect.get(answer, "hookSpecificOutput") : null;
	const decision = typeof output === "object" && output !== null && Reflect.get(output, "permissionDecision");
	if (requestId === null || !isAnswer || (output !== undefined && decision !== "ask" && decision !== "deny"))
		throw new SvcError({
			code: "invalid_answer",
			message: "the answer is no decision of the service",
			status,
			requestId,
		});
	// The boundary: the form was checked above.
	return answer as EndpointAnswer<"hook_codex">;
}

/** Decisions about actions, and the record of them. */
function governanceMethods(transport: Transport) {
	const auditPage = (query: EndpointQuery<"list_audit_events">, settings?: CallSettings) =>
		transport.call("list_audit_events", { query }, settings);
	return {
		policy: {
			/** Whether an action may go ahead; recorded in the audit log. @throws SvcError also for an answer without a known decision */
			check: async (body: EndpointBody<"check_policy">, settings?: CallSettings) =>
				checkDecision(await transport.call("check_policy", { body }, settings)),
			/** The risk of an action under the built-in rules; not recorded. */
			score: (body: EndpointBody<"score_risk">, settings?: CallSettings) =>
				transport.call("score_risk", { body }, settings),
		},
		hooks: {
			/**
			 * What a coding agent's hook answers to its input; `{}` where the agent goes on under its own rules.
			 * @throws SvcError also for an answer that is not this service's, as a proxy's `{}` is not
			 */
			ask: async (
				agent: "claude-code" | "codex",
				input: EndpointBody<"hook_codex">,
				query: EndpointQuery<"hook_codex">,
				settings?: CallSettings,
			): Promise<EndpointAnswer<"hook_codex">> => {
				const id = agent === "codex" ? "hook_codex" : "hook_claude_code";
				return readHookAnswer(await transport.send(id, { query, body: input }, settings));
			},
		},
		audit: {
			/** A page of events, newest first. */
			page: auditPage,
			/** All events, newest first. */
			list: (query: EndpointQuery<"list_audit_events"> = {}, settings?: CallSettings) =>
				readAllPages((cursor = query.cursor) => auditPage({ ...query, ...(cursor ? { cursor } : {}) }, settings)),
			/** The newest events, oldest first, and then those that come. It ends by its signal, or when the loop is left. */
			follow: (
				query: Omit<EndpointQuery<"list_audit_events">, "cursor" | "until" | "since"> = {},
				{ everyMs = DEFAULT_FOLLOW_MS, ...settings }: CallSettings & { everyMs?: number } = {},
			) =>
				followList(
					async (since) =>
						since === undefined
							? (await auditPage(query, settings)).data
							: collectAll(
									readAllPages((cursor) => auditPage({ ...query, since, ...(cursor ? { cursor } : {}) }, settings)),
								),
					{ everyMs, ...settings },
				),
		},
		workspaces: {
			list: (settings?: CallSettings) =>
				readAllPages((cursor) => transport.call("list_workspaces", { query: cursor ? { cursor } : {} }, settings)),
			manifest: (workspaceId: string, settings?: CallSettings) =>
				transport.call("get_workspace_manifest", { params: { workspace_id: workspaceId } }, settings),
			putManifest: (workspaceId: string, body: EndpointBody<"put_workspace_manifest">, settings?: CallSettings) =>
				transport.call("put_workspace_manifest", { params: { workspace_id: workspaceId }, body }, settings),
			readiness: (body: EndpointBody<"check_workspace_readiness">, settings?: CallSettings) =>
				transport.call("check_workspace_readiness", { body }, settings),
			snapshot: (workspaceId: string, query: EndpointQuery<"get_workspace_snapshot"> = {}, settings?: CallSettings) =>
				transport.call("get_workspace_snapshot", { params: { workspace_id: workspaceId }, query }, settings),
		},
	};
}

/** The caller's keys. */
function keyMethods(transport: Transport) {
	return {
		list: (settings?: CallSettings) =>
			readAllPages((cursor) => transport.call("list_keys", { query: cursor ? { cursor } : {} }, settings)),
		/** Makes a key. Its answer alone shows it. */
		create: (body: EndpointBody<"create_key"> = {}, settings?: CallSettings) =>
			transport.call("create_key", { body }, settings),
		change: (keyId: string, body: EndpointBody<"change_key">, settings?: CallSettings) =>
			transport.call("change_key", { params: { key_id: keyId }, body }, settings),
		/** Makes a key that replaces another. Its answer alone shows it. */
		rotate: (keyId: string, body: EndpointBody<"rotate_key"> = {}, settings?: CallSettings) =>
			transport.call("rotate_key", { params: { key_id: keyId }, body }, settings),
		delete: (keyId: string, settings?: CallSettings) =>
			transport.call("delete_key", { params: { key_id: keyId } }, settings),
	};
}

/** Routing configs. */
function configMethods(transport: Transport) {
	return {
		validate: (body: EndpointBody<"validate_brain_config">, settings?: CallSettings) =>
			transport.call("validate_brain_config", { body }, settings),
		share: (body: EndpointBody<"create_brain_share">, settings?: CallSettings) =>
			transport.call("create_brain_share", { body }, settings),
		shared: (shareId: string, settings?: CallSettings) =>
			transport.call("get_brain_share", { params: { share_id: shareId } }, settings),
	};
}

/**
 * A client of a service.
 * @param options what is missing comes from the environment, as {@link ConnectionOptions} says.
 * @throws TypeError for an address that is none.
 */
export function createClient(options: ClientOptions = {}) {
	const transport = toTransport(options);
	return {
		/** Address of the service, without a version. */
		origin: transport.origin,
		/** Any endpoint by its id, for what has no method. @throws SvcError as every method does */
		call: <Id extends EndpointId>(
			id: Id,
			given: EndpointArguments<Id>,
			settings?: CallSettings,
		): Promise<EndpointAnswer<Id>> => transport.call(id, given, settings),
		/** A chat completion. */
		chat: (body: EndpointBody<"create_chat_completion">, settings?: CallSettings) =>
			transport.call("create_chat_completion", { body }, settings),
		/** The same in chunks. */
		chatStream: (
			body: EndpointBody<"create_chat_completion">,
			settings?: CallSettings,
		): AsyncGenerator<CompletionChunk> =>
			readChunks(transport, "create_chat_completion", { body: { ...body, stream: true } }, settings),
		/** A chat completion under a skill's instructions, in chunks. */
		skillStream: (
			skillId: string,
			body: EndpointBody<"invoke_skill">,
			settings?: CallSettings,
		): AsyncGenerator<CompletionChunk> =>
			readChunks(
				transport,
				"invoke_skill",
				{ params: { skill_id: skillId }, body: { ...body, stream: true } },
				settings,
			),
		/** Which model would answer, and why; no model is called. */
		route: (body: EndpointBody<"preview_route">, settings?: CallSettings) =>
			transport.call("preview_route", { body }, settings),
		/** One answer by several calls. */
		orchestrate: (body: EndpointBody<"orchestrate">, settings?: CallSettings) =>
			transport.call("orchestrate", { body }, settings),
		/** The same with its progress. */
		orchestrateStream: (body: EndpointBody<"orchestrate">, settings?: CallSettings) =>
			readWork(transport, "orchestrate", { body: { ...body, stream: true } }, settings),
		/** Code that is written, reviewed and repaired. */
		code: (body: EndpointBody<"write_code">, settings?: CallSettings) =>
			transport.call("write_code", { body }, settings),
		/** The same with its progress. */
		codeStream: (body: EndpointBody<"write_code">, settings?: CallSettings) =>
			readWork(transport, "write_code", { body: { ...body, stream: true } }, settings),
		runs: runMethods(transport),
		agents: agentMethods(transport),
		handoffs: handoffMethods(transport),
		...governanceMethods(transport),
		proofs: proofReader(transport),
		keys: keyMethods(transport),
		configs: configMethods(transport),
		/** What the caller has used, and its limits; with `group_by` by key, tag, model or day. */
		usage: (query: EndpointQuery<"get_usage"> = {}, settings?: CallSettings) =>
			transport.call("get_usage", { query }, settings),
		/** What the same tokens would have cost at a baseline model. */
		savings: (query: EndpointQuery<"get_savings"> = {}, settings?: CallSettings) =>
			transport.call("get_savings", { query }, settings),
		models: (settings?: CallSettings) => transport.call("list_models", {}, settings),
		skills: (settings?: CallSettings) => transport.call("list_skills", {}, settings),
		/** A rating of an answer, by its request id. */
		feedback: (body: EndpointBody<"give_feedback">, settings?: CallSettings) =>
			transport.call("give_feedback", { body }, settings),
		/** Whether the service works. */
		health: (settings?: CallSettings) => transport.call("health", {}, settings),
	};
}

/** What {@link createClient} makes. */
export type SvcClient = ReturnType<typeof createClient>;
