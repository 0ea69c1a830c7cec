// Hooks of coding agents over HTTP: a call of a tool is decided on before it runs, and recorded after.
import { ulid } from "ulid";
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { toActor, toPlainEvent } from "../audit/event.ts";
import { recordAuditEvent } from "../audit/owners.edge.ts";
import { redactSecrets } from "../compliance/audit-secrets.ts";
import { type Failure, fail, ok, type Result } from "../failure.ts";
import type { Endpoint, JsonResult } from "../http/endpoint.ts";
import { workspaceIdSchema } from "../ids.ts";
import { loadDetector } from "../load-detector.ts";
import { eventBytes } from "../meter/stored-bytes.ts";
import type { LoadPolicyEngine } from "../policy/engine.ts";
import { findManifest } from "../policy/manifests.store.ts";
import { countCheck, decideAndRecord } from "../policy/record-check.edge.ts";
import { isAbsolutePath } from "../policy/workspace-path.ts";
import { canonicalJson } from "../proof/canonical.ts";
import type { Agent } from "./agents.ts";
import {
	type HookAnswer,
	type HookCall,
	type HookInput,
	hookAnswerSchema,
	hookInputSchema,
	NO_OBJECTION,
	readEventKind,
	toEventOrigin,
	toHookAnswer,
	toHookCall,
} from "./hook-input.ts";
import { reduceToolRecord, toToolRecord } from "./tool-record.ts";
import { toJudgedUse, toToolName } from "./tool-use.ts";

/** Whose hook it is, and where it is judged. */
interface HookPlace {
	agent: Agent;
	workspaceId: string;
	/** Absolute; undefined for the directory that the agent works in. */
	root: string | undefined;
}

function missing(member: string): Failure {
	const message = member === "tool_input" ? "must be an object" : "is missing";
	return { reason: "invalid_request", issues: [{ path: member, message }] };
}

/** Keeps a call with the workspace's events. */
async function recordTool(
	context: KeyContext,
	input: HookInput,
	{ agent, workspaceId }: HookPlace,
): Promise<Result<null>> {
	const { account, settings } = context;
	const redact = (text: string) => redactSecrets(text, settings);
	const record = await toToolRecord({ input: input.tool_input, response: input.tool_response }, redact);
	const origin = toEventOrigin(agent, input);
	const about = {
		...origin,
		hook_event: input.hook_event_name,
		tool: input.tool_name ?? null,
		tool_use_id: input.tool_use_id ?? null,
	};
	const whole = canonicalJson({ ...about, ...record });
	const reduced = canonicalJson({ ...about, ...reduceToolRecord(record) });
	const counted = await context.store({
		rollingBytes: eventBytes(whole),
		keptBytes: 0,
		reducedRollingBytes: eventBytes(reduced),
	});
	if (!counted.ok) return counted;
	const payload = counted.value.isReduced ? reduced : whole;
	const nowMs = Date.now();
	const owner = { user_id: account.userId, workspace_id: workspaceId, actor: toActor(account) };
	const event = toPlainEvent({ ...owner, event_type: "tool_recorded", payload }, ulid(nowMs), nowMs);
	await recordAuditEvent(context, { kind: "workspace", id: workspaceId }, { ...event, ...origin });
	return ok(null);
}

/** Decides on a call before it runs. */
async function decideOnCall(
	context: KeyContext,
	loadEngine: LoadPolicyEngine,
	input: HookInput,
	call: HookCall,
	{ agent, workspaceId, root = call.folder }: HookPlace,
): Promise<JsonResult<HookAnswer>> {
	const { account, db, timings } = context;
	const { secretSpans } = await loadDetector();
	const use = toJudgedUse(call, { root, findSecrets: secretSpans });
	if (use === "harmless") return recordOnly(context, input, { agent, workspaceId, root });
	const { tool, ...effect } = use;
	const check = { workspace_id: workspaceId, ...effect };
	const manifest = timings.measure("d1", () => findManifest(db, { userId: account.userId, workspaceId }));
	const [admitted, stored] = await Promise.allSettled([countCheck(context, check), manifest]);
	if (admitted.status === "rejected") throw admitted.reason;
	if (!admitted.value.ok) return admitted.value;
	if (stored.status === "rejected") throw stored.reason;
	const payload = { tool: toToolName(call.tool), tool_use_id: input.tool_use_id ?? null };
	const called = { tool, origin: toEventOrigin(agent, input), payload };
	const counted = { check, rendered: admitted.value.value };
	const { decided } = await decideAndRecord(context, loadEngine, counted, stored.value, called);
	return ok(toHookAnswer(agent, decided.decision, decided.reason));
}

async function recordOnly(context: KeyContext, input: HookInput, place: HookPlace): Promise<JsonResult<HookAnswer>> {
	const taken = await context.admitRecord();
	if (!taken.ok) return taken;
	if (readEventKind(input) === "other") return ok(NO_OBJECTION);
	const recorded = await recordTool(context, input, place);
	return recorded.ok ? ok(NO_OBJECTION) : recorded;
}

const querySchema = z.lazy(() =>
	z.object({
		workspace: workspaceIdSchema.describe("The workspace whose manifest is the policy."),
		root: z
			.string()
			.max(4_096, "must have at most 4096 characters")
			.refine(isAbsolutePath, "must be an absolute path")
			.optional()
			.describe("The workspace's root: paths in it are named from there. Default: where the agent works."),
	}),
);

const NAMES: Readonly<Record<Agent, string>> = { "claude-code": "Claude Code", codex: "Codex" };

const hookEndpoint = (agent: Agent, id: string, description: string, loadEngine: LoadPolicyEngine) =>
	endpoint({
		id,
		method: "POST",
		path: `/v1/hooks/${agent}`,
		access: "key",
		admission: "event",
		// A tool may be given, or may answer, an image.
		bodyLimit: "chat",
		toolGroup: null,
		command: `hook ${agent}`,
		summary: `Decides on what ${NAMES[agent]} is about to do, and records what it has done, as its hook.`,
		description,
		query: querySchema,
		body: hookInputSchema,
		result: hookAnswerSchema,
		ids: {
			workspace: { chosenIn: "put_workspace_manifest", argument: "workspace_id" },
			session_id: { chosenIn: id },
		},
		example: {
			query: { workspace: "order-service", root: "/home/ada/order-service" },
			body: {
				hook_event_name: "PreToolUse",
				session_id: "672c9498-463e-4a91-a1ba-92205a2e7848",
				cwd: "/home/ada/order-service",
				permission_mode: "default",
				tool_name: "Bash",
				tool_input: { command: "npm install -g left-pad" },
			},
		},
		async handle({ query, body, context }) {
			const place = { agent, workspaceId: query.workspace, root: query.root };
			if (readEventKind(body) !== "decide") return recordOnly(context, body, place);
			const call = toHookCall(body);
			return typeof call === "string" ? fail(missing(call)) : decideOnCall(context, loadEngine, body, call, place);
		},
	});

export function hookEndpoints(loadEngine: LoadPolicyEngine): readonly Endpoint[] {
	return [
		hookEndpoint(
			"claude-code",
			"hook_claude_code",
			"It takes the input of Claude Code's HTTP hook. `{}` lets the agent go on under its own rules.",
			loadEngine,
		),
		hookEndpoint(
			"codex",
			"hook_codex",
			"It takes what Codex writes to its command hook, and answers what the hook prints. Codex cannot ask, so what a person must decide is denied.",
			loadEngine,
		),
	];
}
