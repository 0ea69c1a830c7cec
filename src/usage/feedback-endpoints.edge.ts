// Feedback over HTTP: a user rates an answer of their own. Receipts stay as they are, and nothing is tuned by it.
import * as z from "zod";
import type { KeyContext } from "../account/context.ts";
import { endpoint } from "../account/endpoint.ts";
import { mayChange, mayRead } from "../account/makers.ts";
import { parseRequestId } from "../account/request-ids.edge.ts";
import { type Failure, fail, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { findSettledBy, storeFeedback } from "./feedback.store.ts";
import {
	changeableUntil,
	FEEDBACK_REASONS,
	type Feedback,
	latestClosedAt,
	MAX_SCORE,
	MIN_SCORE,
	saysTheSame,
} from "./feedback.ts";

const NO_REQUEST: Failure = {
	reason: "request_not_found",
	message: "you have no request with a receipt under this id",
};

const NOT_ITS_REQUEST: Failure = {
	reason: "role_forbidden",
	message: "a key with the role agent may rate only requests that it, or a key it replaced, made",
};

/**
 * Why the caller may not rate a request; null when it may. A request must be the user's and have a receipt. D1 comes first: a
 * meter keeps for a minute what it flushes in between. Another user's id and an unknown one cost the same. A malformed one is not
 * looked up.
 */
async function findRefusal(
	{ account, db, meter, settings, timings }: KeyContext,
	requestId: string,
): Promise<Failure | null> {
	if (!parseRequestId(requestId, settings)) return NO_REQUEST;
	const stored = await timings.measure("d1", () => findSettledBy(db, account.userId, requestId));
	const own = meter(account.userId);
	if (stored === undefined && (await own.receipt(requestId)) === null) return NO_REQUEST;
	if (account.key.role !== "agent") return null;
	const keyId = stored === undefined ? await own.settledBy(requestId) : stored;
	if (!mayRead(account, keyId)) return NO_REQUEST;
	return mayChange(account, keyId) ? null : NOT_ITS_REQUEST;
}

const giveFeedbackEndpoint = endpoint({
	id: "give_feedback",
	method: "POST",
	path: "/v1/feedback",
	access: "key",
	countsTowardsDay: false,
	effect: "replaces",
	toolGroup: "account",
	summary: "Rates the answer to one of the caller's own requests, of any kind that has a receipt.",
	description: "Once per request; it can be changed for a day. Receipts, routing and limits stay as they are.",
	body: z.lazy(() =>
		z.object({
			request_id: z.string().describe("The answer's `id`, `run_id` or `svc.proof.request_id`."),
			score: z.int().min(MIN_SCORE).max(MAX_SCORE).describe("-1 bad, 0 neither, 1 good."),
			reason: z.enum(FEEDBACK_REASONS).nullish().describe("What the score is about; none by default."),
		}),
	),
	result: z.lazy(() =>
		z.object({
			object: z.literal("feedback"),
			request_id: z.string(),
			score: z.int(),
			reason: z.string().nullable(),
			created_at: z.string().describe("Of the first feedback on this request."),
			updated_at: z.string(),
			changeable_until: z.string(),
		}),
	),
	ids: { request_id: { answerOf: "create_chat_completion", member: "id" } },
	example: { body: { score: 1 } },
	async handle({ body, context }) {
		const refused = await findRefusal(context, body.request_id);
		if (refused) return fail(refused);
		const { account, db, startedAtMs, timings } = context;
		const now = new Date(startedAtMs).toISOString();
		const given: Feedback = {
			requestId: body.request_id,
			userId: account.userId,
			score: body.score,
			reason: body.reason ?? null,
			createdAt: now,
			updatedAt: now,
		};
		const stored = await timings.measure("d1", () => storeFeedback(db, given, latestClosedAt(startedAtMs)));
		if (!stored) return fail(NO_REQUEST);
		const until = changeableUntil(stored);
		if (!saysTheSame(stored, given)) return fail({ reason: "feedback_closed", changeableUntil: until });
		return ok({
			object: "feedback" as const,
			request_id: stored.requestId,
			score: stored.score,
			reason: stored.reason,
			created_at: stored.createdAt,
			updated_at: stored.updatedAt,
			changeable_until: until,
		});
	},
});

export const feedbackEndpoints: readonly Endpoint[] = [giveFeedbackEndpoint];
