// The members of requests that make or change keys: one schema for users, operators and the command line. Pure.
import * as z from "zod";
import { PLANS, type PlanId } from "../catalog/plans.ts";
import { type Failure, fail, type Issue, ok, type Result } from "../failure.ts";
import { KEY_ROLES } from "../http/endpoint.ts";
import { timestampParam } from "../http/query.ts";
import type { KeyOptions } from "./key.ts";

const MAX_NAME_CHARS = 128;
const MAX_TAGS = 10;
const TAG = /^[A-Za-z0-9._:-]{1,64}$/;
const MAX_OVERLAP_SECONDS = 86_400;

/** The options of a key in a request. */
export const keyOptionFields = () => ({
	name: z.string().trim().min(1).max(MAX_NAME_CHARS).nullish().describe("For people."),
	role: z.enum(KEY_ROLES).nullish().describe("An agent's key may not change manifests, shares or keys."),
	expires_at: timestampParam.nullish().describe("From then on, the key is refused. None by default."),
	rpm: z.int().min(1).nullish().describe("Requests a minute, at most the plan's, which is the default."),
	daily_requests: z.int().min(1).nullish().describe("Requests in 24 hours, at most the plan's, which is the default."),
	tags: z
		.array(z.string().regex(TAG, "must be 1 to 64 characters of A-Z a-z 0-9 . _ : -"))
		.max(MAX_TAGS)
		.refine((tags) => new Set(tags).size === tags.length, "must not repeat a tag")
		.nullish()
		.describe("Labels of the key."),
});

/** A member that is not honoured would be a rule that nobody keeps, so unknown ones are refused. */
export const keyRequestSchema = z.lazy(() => z.strictObject(keyOptionFields()));
export type KeyRequest = z.output<typeof keyRequestSchema>;

export const rotateRequestSchema = z.lazy(() =>
	z.strictObject({
		overlap_seconds: z
			.int()
			.min(0)
			.max(MAX_OVERLAP_SECONDS)
			.default(0)
			.describe("How long the old key still works beside the new one."),
	}),
);

/** What a request names of a key's options. Null stands for none. */
export function toKeyOptions(body: KeyRequest): Partial<KeyOptions> {
	const { name, role, expires_at, rpm, daily_requests, tags } = body;
	return {
		...(name === undefined ? {} : { name }),
		...(role == null ? {} : { role }),
		...(expires_at === undefined ? {} : { expiresAt: expires_at }),
		...(rpm === undefined ? {} : { rpm }),
		...(daily_requests === undefined ? {} : { dailyRequests: daily_requests }),
		...(tags === undefined ? {} : { tags: tags ?? [] }),
	};
}

function findLimitIssue(path: string, limit: number | null | undefined, ofPlan: number | null, plan: PlanId): Issue[] {
	if (limit == null || ofPlan === null || limit <= ofPlan) return [];
	return [{ path, message: `must be at most ${ofPlan}, the limit of the ${PLANS[plan].displayName} plan` }];
}

/** What a request names of a key's options, if a key of the plan can have them. */
export function readKeyOptions(body: KeyRequest, plan: PlanId, nowMs: number): Result<Partial<KeyOptions>> {
	const { expires_at, rpm, daily_requests } = body;
	const { rpm: planRpm, dailyRequests } = PLANS[plan];
	const issues = [
		...findLimitIssue("rpm", rpm, planRpm, plan),
		...findLimitIssue("daily_requests", daily_requests, dailyRequests, plan),
		...(expires_at != null && Date.parse(expires_at) <= nowMs
			? [{ path: "expires_at", message: "must be in the future; to end a key now, delete it" }]
			: []),
	];
	const failure: Failure = { reason: "invalid_request", issues };
	return issues.length > 0 ? fail(failure) : ok(toKeyOptions(body));
}
