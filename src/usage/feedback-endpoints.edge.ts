// Feedback over HTTP: a user rates an answer of their own. Receipts stay as they are, and nothing is tuned by it.
import * as z from "zod";
import { endpoint } from "../account/endpoint.ts";
import { changeableMakers, readableMakers } from "../account/makers.ts";
import { parseRequestId } from "../account/request-ids.edge.ts";
import { type Failure, fail, ok } from "../failure.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { changeableUntil, FEEDBACK_REASONS, latestClosedAt, MAX_SCORE, MIN_SCORE, saysTheSame } from "./feedback.ts";

const NO_REQUEST: Failure = {
	reason: "request_not_found",
	message: "you have no request with a receipt under this id",
};

const NOT_ITS_REQUEST: Failure = {
	reason: "role_forbidden",
	message: "a key with the role agent may rate only requests that it, or a key it replaced, made",
};

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
		const { account, meter, settings, startedAtMs } = context;
		if (!parseRequestId(body.request_id, settings)) return fail(NO_REQUEST);
		const given = { score: body.score, reason: body.reason ?? null };
		const verdict = await meter(account.userId).giveFeedback({
			requestId: body.request_id,
			...given,
			at: new Date(startedAtMs).toISOString(),
			closedAt: latestClosedAt(startedAtMs),
			readableKeys: readableMakers(account),
			ratableKeys: changeableMakers(account),
		});
		if (verdict.outcome !== "stored") return fail(verdict.outcome === "no_request" ? NO_REQUEST : NOT_ITS_REQUEST);
		const stored = verdict.feedback;
		const until = changeableUntil(stored);
		if (!saysTheSame(stored, given)) return fail({ reason: "feedback_closed", changeableUntil: until });
		return ok({
			object: "feedback" as const,
			request_id: body.request_id,
			...stored,
			changeable_until: until,
		});
	},
});

export const feedbackEndpoints: readonly Endpoint[] = [giveFeedbackEndpoint];
