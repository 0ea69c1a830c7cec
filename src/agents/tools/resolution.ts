// The body of POST /v1/agent/{run_id}/resolve, and what a batch of resolutions means for the pendings of a run: changes, nothing new, or
// a refusal. A batch counts as a whole. Who may resolve what, and storing, is left to others. Pure.
import * as z from "zod";
import { type DecidedBy, type Failure, fail, ok, type Result } from "../../failure.ts";
import type { JsonObject } from "../../json.ts";
import { canonicalJson, NotCanonicalError } from "../../proof/canonical.ts";
import type { Hash } from "../../proof/hash.ts";
import type { TextHash } from "../../proof/salted.ts";
import { utf8Length } from "../../text/utf8.ts";
import { findNumberFault } from "./arguments.ts";
import type { PendingEntry, PendingKind } from "./pending.ts";
import { MAX_ARGUMENT_BYTES, MAX_RESULT_BYTES } from "./results.ts";
import type { PendingEnd } from "./tool-call.ts";

/** As many as a run has calls, and its plan. */
const MAX_RESOLUTIONS = 201;
const MAX_REASON_CHARS = 2_000;
const MAX_MESSAGE_ID_CHARS = 200;
const MAX_MESSAGE_BYTES = 65_536;

const DECISION_WORDS = ["approve", "edit", "reject"] as const;
type DecisionWord = (typeof DECISION_WORDS)[number];

const resolutionSchema = z.lazy(() =>
	z.strictObject({
		id: z.string().describe("The pending's id."),
		output: z.unknown().optional().describe("Of a `client_tool`: its result, a text or any JSON; at most 1 MiB."),
		is_error: z.boolean().nullish().describe("The client's tool failed; `output` says why."),
		decision: z.enum(DECISION_WORDS).nullish().describe("Of an `approval` or a `plan`: what a person decides."),
		arguments: z
			.record(z.string(), z.unknown())
			.nullish()
			.describe("With `edit`: the arguments to run with instead; of a plan, `{plan: [...]}`."),
		reason: z
			.string()
			.max(MAX_REASON_CHARS)
			.nullish()
			.describe("With `reject`: why, for the model and for the audit log, which has it as it is."),
		payload: z.unknown().optional().describe("Of an `input`: the answer to the question."),
	}),
);

/** The fields of the body that say what is resolved. */
export function resolutionFields() {
	return {
		resolutions: z
			.array(resolutionSchema)
			.max(MAX_RESOLUTIONS)
			.nullish()
			.describe("Answers to some or all of what the run waits for. They count together, or none does."),
		message: z
			.strictObject({
				id: z.string().min(1).max(MAX_MESSAGE_ID_CHARS).describe("The same id again adds nothing."),
				text: z
					.string()
					.min(1)
					.refine(
						(text) => utf8Length(text) <= MAX_MESSAGE_BYTES,
						`must have at most ${MAX_MESSAGE_BYTES} bytes of UTF-8`,
					)
					.describe("The model reads it as the user's before its next turn."),
			})
			.nullish()
			.describe("Steers the run; from the key that began it, or an owner's."),
	};
}

/** What a body resolves. */
export type ResolutionBody = z.output<z.ZodObject<ReturnType<typeof resolutionFields>>>;
type ResolutionRequest = z.output<typeof resolutionSchema>;

/** A message that steers a run. */
export type SteeringMessage = NonNullable<ResolutionBody["message"]>;

/** A resolution in the form that its pending takes. */
export type Resolution = { id: string } & (
	| { form: "output"; output: string; isError: boolean }
	| { form: "decision"; decision: DecisionWord; arguments: JsonObject | null; reason: string | null }
	| { form: "payload"; payload: unknown }
);

/** What a person decides on an action. */
export type PersonDecision = Extract<Resolution, { form: "decision" }>;

/** What a request asks of a waiting run. */
export interface ResolutionBatch {
	resolutions: Resolution[];
	message: SteeringMessage | null;
}

const FORM_BY_KIND: Readonly<Record<PendingKind, Resolution["form"]>> = {
	client_tool: "output",
	approval: "decision",
	plan: "decision",
	input: "payload",
};

const FORM_TEXT: Readonly<Record<Resolution["form"], string>> = {
	output: "{id, output, is_error?}",
	decision: "{id, decision: approve | edit | reject, arguments?, reason?}",
	payload: "{id, payload}",
};

/** Refuses a member of the body. @param path of it, such as `resolutions.0.output`. */
export function refuseMember(path: string, message: string): { ok: false; failure: Failure } {
	return fail({ reason: "invalid_request", issues: [{ path, message }] });
}

/** Refuses JSON with a number that the service has not as it was written. @param path of it. */
function refuseNumber(path: string, json: string) {
	const fault = findNumberFault(json);
	return fault === null ? null : refuseMember(path, fault);
}

function refuseArguments(path: string, edited: JsonObject | null) {
	const json = JSON.stringify(edited);
	if (utf8Length(json) <= MAX_ARGUMENT_BYTES) return refuseNumber(path, json);
	return refuseMember(path, `have more than ${MAX_ARGUMENT_BYTES} bytes of JSON`);
}

/** The one form that a resolution has. @param path of it in the body. */
function toResolution(request: ResolutionRequest, path: string): Result<Resolution> {
	const { id, decision, arguments: edited, reason, payload } = request;
	const isOutput = request.output !== undefined;
	const forms = [isOutput, decision != null, payload != null].filter(Boolean).length;
	const all = Object.values(FORM_TEXT).join(", ");
	if (forms !== 1) return refuseMember(path, `must have exactly one of output, decision and payload: ${all}`);
	if (request.is_error != null && !isOutput) return refuseMember(`${path}.is_error`, "goes with output only");
	if (edited != null && decision !== "edit")
		return refuseMember(
			`${path}.arguments`,
			"go with the decision edit only: edit approves other arguments, approve those that are shown",
		);
	if (decision === "edit" && edited == null)
		return refuseMember(`${path}.arguments`, "are required with the decision edit");
	if (isOutput) {
		const output = typeof request.output === "string" ? request.output : JSON.stringify(request.output);
		const bytes = utf8Length(output);
		if (bytes <= MAX_RESULT_BYTES)
			return ok({ id, form: "output", output: output.toWellFormed(), isError: request.is_error ?? false });
		return refuseMember(
			`${path}.output`,
			`has ${bytes} bytes; at most ${MAX_RESULT_BYTES} are allowed (1 MiB): send the part that matters`,
		);
	}
	const refused =
		decision == null
			? refuseNumber(`${path}.payload`, JSON.stringify(payload))
			: refuseArguments(`${path}.arguments`, edited ?? null);
	if (refused) return refused;
	if (decision == null) return ok({ id, form: "payload", payload });
	return ok({ id, form: "decision", decision, arguments: edited ?? null, reason: reason ?? null });
}

const toPath = (at: number) => `resolutions.${at}`;

/** The batch of a body. */
export function readBatch({ resolutions, message }: ResolutionBody): Result<ResolutionBatch> {
	const requests = resolutions ?? [];
	if (resolutions == null && message == null)
		return refuseMember("resolutions", "are missing: answer what the run waits for, or send a message");
	const read: Resolution[] = [];
	const ids = new Set<string>();
	for (const [at, request] of requests.entries()) {
		if (ids.has(request.id)) return refuseMember(`${toPath(at)}.id`, "stands twice: answer each pending once");
		ids.add(request.id);
		const resolution = toResolution(request, toPath(at));
		if (!resolution.ok) return resolution;
		read.push(resolution.value);
	}
	return ok({ resolutions: read, message: message ?? null });
}

/** A resolution, and the hash by which the same one is known again. */
export interface HashedResolution {
	resolution: Resolution;
	/** Salted, over all that it says. */
	hash: Hash;
}

/** @param hash salted with the run's salt. */
export function hashResolutions(resolutions: readonly Resolution[], hash: TextHash): Result<HashedResolution[]> {
	const hashed: HashedResolution[] = [];
	for (const [at, resolution] of resolutions.entries()) {
		try {
			hashed.push({ resolution, hash: hash(canonicalJson({ type: "svc.resolution.v1", ...resolution })) });
		} catch (error) {
			if (!(error instanceof NotCanonicalError)) throw error;
			return refuseMember(toPath(at), `cannot be stored as it is: ${error.message}`);
		}
	}
	return ok(hashed);
}

/** A pending that the run has or had. */
export interface KnownPending {
	id: string;
	kind: PendingKind;
	/** Of its call; null for the plan. */
	callId: string | null;
	/** What has become of it. */
	standing: "open" | PendingEnd;
	/** Of its call, or of the plan, now: for people. */
	state: string;
	/** Who decided on it; null where nobody did, or where the decision counts no more. */
	decided: DecidedBy | null;
	/** Null for one that is over. */
	expiresAtMs: number | null;
	/** Hash of the resolution that settled it. */
	resolution: Hash | null;
}

/** Refuses a request that answers nothing of a run which waits for something. @param present what it waits for; not empty. */
export function refuseNothing(present: readonly PendingEntry[]): { ok: false; failure: Failure } {
	const ids = present.map(({ id, kind }) => `${id} (${kind}: ${FORM_TEXT[FORM_BY_KIND[kind]]})`).join(", ");
	return refuseMember("resolutions", `are empty: answer some of what the run waits for, or send a message: ${ids}`);
}

/** A resolution that changes something. */
export interface PendingChange extends HashedResolution {
	/** Its place in the request, as faults name it. */
	path: string;
	pending: KnownPending;
}

const STANDING_TEXT: Readonly<Record<PendingEnd | "late", string>> = {
	resolved: "was resolved before, in another way",
	expired: "has expired",
	late: "has expired",
	closed: "was closed",
};

const DECISION_TEXT: Readonly<Record<DecisionWord, string>> = {
	approve: "approved",
	edit: "approved with other arguments",
	reject: "rejected",
};

function endText({ kind, decided }: KnownPending, end: PendingEnd | "late"): string {
	if (end !== "resolved" || !decided) return STANDING_TEXT[end];
	const isEditedPlan = kind === "plan" && decided.decision === "edit";
	return `was ${isEditedPlan ? "edited and approved" : DECISION_TEXT[decided.decision]} by ${decided.keyId} at ${decided.at}`;
}

/** The refusal of a resolution that comes too late. @param present what the run waits for now. */
function conflict(
	pending: KnownPending,
	end: PendingEnd | "late",
	present: readonly PendingEntry[],
): { ok: false; failure: Failure } {
	const { id, callId, state, standing, decided } = pending;
	const of = callId === null || state === standing ? "" : `, and its call is ${state}`;
	const ids = present.map((open) => open.id).join(", ");
	const next = present.length === 0 ? "the run waits for nothing now" : `what the run waits for now is ${ids}`;
	const message = `${id} ${endText(pending, end)}${of}; nothing of this request was taken, and ${next}`;
	return fail({ reason: "action_conflict", message, id, state, decided, pending: [...present] });
}

/**
 * What resolutions change. Those that were taken before, and say the same, change nothing. One that is unknown, of another form, too
 * late or another than the one before refuses all.
 * @param known all pendings that the run has or had.
 * @param present as lists show what it waits for.
 */
export function planResolutions(
	resolutions: readonly HashedResolution[],
	known: ReadonlyMap<string, KnownPending>,
	present: readonly PendingEntry[],
	nowMs: number,
): Result<PendingChange[]> {
	const changes: PendingChange[] = [];
	for (const [at, hashed] of resolutions.entries()) {
		const { resolution, hash } = hashed;
		const path = toPath(at);
		const pending = known.get(resolution.id);
		if (!pending) {
			const ids = present.map(({ id, kind }) => `${id} (${kind})`).join(", ");
			const waitsFor = ids === "" ? "which waits for nothing" : `which waits for ${ids}`;
			return refuseMember(`${path}.id`, `is no pending of this run, ${waitsFor}`);
		}
		const form = FORM_BY_KIND[pending.kind];
		if (resolution.form !== form)
			return refuseMember(path, `answers ${pending.id}, which is of kind ${pending.kind} and takes ${FORM_TEXT[form]}`);
		if (pending.resolution === hash) continue;
		if (pending.standing !== "open") return conflict(pending, pending.standing, present);
		if (pending.expiresAtMs !== null && pending.expiresAtMs <= nowMs) return conflict(pending, "late", present);
		changes.push({ ...hashed, path, pending });
	}
	return ok(changes);
}
