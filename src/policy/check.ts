// The request body of a policy check (docs/reference/policy.md, "Policy"), and the audit event of its decision. Pure.

import { utf8ToBytes } from "@noble/hashes/utils.js";
import * as z from "zod";
import type { AuditEventRow } from "../audit/event.ts";
import { clip } from "../clip.ts";
import { workspaceIdSchema } from "../ids.ts";
import { canonicalJson } from "../proof/canonical.ts";
import { type Hash, hashObject, hashText } from "../proof/hash.ts";
import type { PolicyDecision, PolicyInput } from "./decide.ts";

const POLICY_ACTION_KINDS = ["edit", "refactor", "deploy", "review", "setup", "delete"] as const;

export const MAX_ACTION_CHARS = 10_000;
const MAX_CONTEXT_BYTES = 65_536;

function jsonByteLength(value: unknown): number {
	return utf8ToBytes(JSON.stringify(value)).length;
}

export const MAX_PATHS = 10_000;
/**
 * The analysis examines ten times as many simple commands, so ordinary lines of a few commands each are never too many.
 */
export const MAX_COMMANDS = 2_000;

/** A list of texts. The error of a longer list names the limit. */
export function textListSchema(most: number) {
	return z.array(z.string()).max(most, `must have at most ${most} entries`);
}

/** Unknown members are ignored. Null means absent. */
export const policyCheckSchema = z.lazy(() =>
	z.object({
		workspace_id: workspaceIdSchema.describe("The workspace whose manifest is the policy."),
		action: z
			.string()
			.max(MAX_ACTION_CHARS, `must have at most ${MAX_ACTION_CHARS} characters`)
			.refine((text) => text.trim() !== "", "must not be blank")
			.describe("What is about to be done, in words."),
		action_kind: z.enum(POLICY_ACTION_KINDS).nullish().describe("By default its words tell."),
		files_affected: textListSchema(MAX_PATHS).nullish().describe("Files, held against `protected_paths`."),
		commands: textListSchema(MAX_COMMANDS)
			.nullish()
			.describe("Commands as a shell would get them, held against `forbidden_commands`."),
		estimated_cost_usd: z
			.number()
			.min(0, "must not be negative")
			.nullish()
			.describe("Held against five envelopes of the plan."),
		context: z
			.record(z.string(), z.unknown(), "must be an object")
			.refine((context) => jsonByteLength(context) <= MAX_CONTEXT_BYTES, `must have at most ${MAX_CONTEXT_BYTES} bytes`)
			.nullish()
			.describe("Any object, kept with the decision."),
	}),
);

export type PolicyCheck = z.output<typeof policyCheckSchema>;

/** Converts a request body to what is decided on. Absent lists become empty. */
export function toPolicyInput(check: PolicyCheck): PolicyInput {
	return {
		action: check.action,
		action_kind: check.action_kind ?? undefined,
		files_affected: check.files_affected ?? [],
		commands: check.commands ?? [],
		estimated_cost_usd: check.estimated_cost_usd ?? undefined,
	};
}

/** D1 takes rows of 2 MB. A larger payload is cut, and marked as `truncated`. */
const MAX_PAYLOAD_BYTES = 262_144;
/** Entries of a list, and characters of a text, in a cut payload. */
const MAX_CUT_ENTRIES = 50;
const MAX_CUT_CHARS = 500;

/** JSON of a check without its context where the quota of stored bytes is full. A larger one is cut. */
const MAX_REDUCED_BYTES = 4_096;
const MAX_REDUCED_ENTRIES = 5;
const MAX_REDUCED_CHARS = 200;

interface Cut {
	entries: number;
	chars: number;
}

function clipEntries(texts: readonly string[], { entries, chars }: Cut): string[] {
	return texts.slice(0, entries).map((text) => clip(text, chars));
}

/** What an event says of a context that it does not keep. */
export interface ContextDigest {
	/** H of its canonical JSON. */
	hash: Hash;
	/** Of its canonical JSON. */
	bytes: number;
}

function digestContext(context: Record<string, unknown>): ContextDigest {
	const text = canonicalJson(context);
	return { hash: hashText(text), bytes: utf8ToBytes(text).length };
}

/** A check as its audit event keeps it. */
export interface RenderedCheck {
	action: string;
	action_kind: string | null;
	files_affected: string[];
	commands: string[];
	estimated_cost_usd: number | null;
	context: Record<string, unknown> | null;
	truncated: boolean;
	/** The quota of stored bytes was full, and something is not kept. */
	reduced?: "storage_quota_exceeded";
	/** Of a context that is not kept. */
	context_digest?: ContextDigest;
}

/** Renders a check for its audit event: whole, or cut when it is too large to keep. @param mostBytes of JSON. */
export function renderCheck(check: PolicyCheck, mostBytes = MAX_PAYLOAD_BYTES): RenderedCheck {
	const whole = {
		action: check.action,
		action_kind: check.action_kind ?? null,
		files_affected: check.files_affected ?? [],
		commands: check.commands ?? [],
		estimated_cost_usd: check.estimated_cost_usd ?? null,
		context: check.context ?? null,
		truncated: false,
	};
	return jsonByteLength(whole) <= mostBytes
		? whole
		: cutCheck(whole, { entries: MAX_CUT_ENTRIES, chars: MAX_CUT_CHARS });
}

function cutCheck(check: RenderedCheck, cut: Cut): RenderedCheck {
	return {
		...check,
		action: clip(check.action, MAX_CUT_CHARS),
		files_affected: clipEntries(check.files_affected, cut),
		commands: clipEntries(check.commands, cut),
		truncated: true,
	};
}

/** A rendered check as it is kept where the quota of stored bytes is full: a context as its digest, long texts in part. */
export function reduceCheck(rendered: RenderedCheck): RenderedCheck {
	const { context, ...others } = rendered;
	const isLong = jsonByteLength(others) > MAX_REDUCED_BYTES;
	if (context === null && !isLong) return rendered;
	const reduced: RenderedCheck = {
		...rendered,
		context: null,
		...(context === null ? {} : { context_digest: digestContext(context) }),
		reduced: "storage_quota_exceeded",
	};
	return isLong ? cutCheck(reduced, { entries: MAX_REDUCED_ENTRIES, chars: MAX_REDUCED_CHARS }) : reduced;
}

/** What is decided on a check, in bytes of its event. */
const MAX_DECISION_BYTES = 1_024;

/** What the event of a check counts as. */
export function checkBytes(rendered: RenderedCheck): number {
	return jsonByteLength(rendered) + MAX_DECISION_BYTES;
}

/** The hash of the whole check, also where the event holds a cut one. */
function hashCheck({
	workspace_id,
	action,
	action_kind,
	files_affected,
	commands,
	estimated_cost_usd,
	context,
}: PolicyCheck) {
	return hashObject({
		type: "svc.policy_check.v1",
		workspace_id,
		action,
		action_kind: action_kind ?? null,
		files_affected: files_affected ?? [],
		commands: commands ?? [],
		estimated_cost_usd: estimated_cost_usd ?? null,
		context: context ?? null,
	});
}

/**
 * The audit event of a decision.
 * @param manifestDigest The digest of the manifest in force.
 * @param rendered the check as it is kept.
 * @param extra Members that stand in the payload besides those of the check.
 */
export function toPolicyCheckEvent(
	check: PolicyCheck,
	decided: PolicyDecision,
	manifestDigest: string,
	envelope: Omit<AuditEventRow, "workspace_id" | "event_type" | "decision" | "risk_score" | "risk_tier" | "payload">,
	rendered: RenderedCheck = renderCheck(check),
	extra: Readonly<Record<string, string | null>> = {},
): AuditEventRow {
	const { decision, risk_score, risk_tier, reason, factors } = decided;
	const payload = {
		...extra,
		...rendered,
		input_hash: hashCheck(check),
		factors: factors.filter(({ triggered }) => triggered).map(({ id }) => id),
		reason,
		manifest_digest: manifestDigest,
	};
	return {
		...envelope,
		workspace_id: check.workspace_id,
		event_type: "policy_check",
		decision,
		risk_score,
		risk_tier,
		payload: canonicalJson(payload),
	};
}
