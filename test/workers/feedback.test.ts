// Feedback through the front door: on every kind of receipt, for its own user only, once, changeable for a day, whatever fails;
// and the operator's export of what was decided, what it cost and how it was rated.
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import type * as z from "zod";
import type { routingDecisionSchema } from "../../src/usage/routing-decisions.ts";
import { runAgent } from "../support/agents.ts";
import { always, isSumsFlush, killObject, type Operation, onlyFor, useFaults } from "../support/faults.ts";
import { useService } from "../support/per-test.ts";
import {
	callWithKey,
	chat,
	eventually,
	inMeter,
	newKey,
	operator,
	proofOf,
	settledCount,
	usageOf,
} from "../support/service.ts";

const { upstream, key } = useService("corporate");
let faults: { restore(): void } | undefined;
afterEach(() => {
	faults?.restore();
});

type RoutingDecision = z.output<typeof routingDecisionSchema>;

interface FeedbackAnswer {
	status: number;
	body: Record<string, unknown>;
}

async function rate(request_id: string, content: object, { key: apiKey } = key): Promise<FeedbackAnswer> {
	const response = await callWithKey(apiKey, "/v1/feedback", { request_id, ...content });
	return { status: response.status, body: await response.json() };
}

async function answeredChat(of = key): Promise<string> {
	const response = await chat(of.key, "hi");
	expect(response.status).toBe(200);
	return response.headers.get("x-request-id") ?? "";
}

function storedFeedback(of = key): Promise<Record<string, unknown>[]> {
	return inMeter(of, (sql) =>
		sql
			.exec("SELECT id AS request_id, score, reason, created_at, updated_at FROM feedback JOIN requests USING (n)")
			.toArray(),
	);
}

/** Moves feedback into the past, as if it had been given then. */
function ageBy(requestId: string, ms: number): Promise<unknown> {
	const createdAt = new Date(Date.now() - ms).toISOString();
	const update = "UPDATE feedback SET created_at = ? WHERE n = (SELECT n FROM requests WHERE id = ?)";
	return inMeter(key, (sql) => sql.exec(update, createdAt, requestId).toArray());
}

const DAY_MS = 86_400_000;

describe("feedback", () => {
	it("is stored beside the receipt, which stays as it is", async () => {
		const id = await answeredChat();
		const before = await proofOf(id);
		const { status, body } = await rate(id, { score: -1, reason: "wrong" });
		expect(status).toBe(200);
		expect(body).toEqual({
			object: "feedback",
			request_id: id,
			score: -1,
			reason: "wrong",
			created_at: body["created_at"],
			updated_at: body["created_at"],
			changeable_until: new Date(Date.parse(String(body["created_at"])) + DAY_MS).toISOString(),
		});
		const { created_at, updated_at } = body;
		expect(await storedFeedback()).toEqual([{ request_id: id, score: -1, reason: "wrong", created_at, updated_at }]);
		expect(await proofOf(id)).toEqual(before);
	});

	it("answers a repetition alike, and a change within a day with what holds then", async () => {
		const id = await answeredChat();
		const first = await rate(id, { score: 1 });
		expect(await rate(id, { score: 1, reason: null, comment: "my secret opinion" })).toEqual(first);
		await ageBy(id, DAY_MS - 60_000);
		const changed = await rate(id, { score: 0, reason: "slow" });
		expect(changed).toMatchObject({ status: 200, body: { score: 0, reason: "slow" } });
		// The day is counted from the first one.
		expect(Date.parse(String(changed.body["changeable_until"])) - Date.now()).toBeLessThan(60_000);
		expect(await rate(id, { score: 0 })).toMatchObject({ status: 200, body: { score: 0, reason: null } });
		expect(await storedFeedback()).toHaveLength(1);
		expect(JSON.stringify(await storedFeedback())).not.toContain("opinion");
	});

	it("is closed after a day: the same again is answered, a change is 409", async () => {
		const id = await answeredChat();
		await rate(id, { score: 1, reason: "style" });
		await ageBy(id, DAY_MS + 1_000);
		const before = await storedFeedback();
		expect(await rate(id, { score: 1, reason: "style" })).toMatchObject({ status: 200, body: { score: 1 } });
		for (const change of [{ score: -1, reason: "style" }, { score: 1 }, { score: 1, reason: "other" }]) {
			const { status, body } = await rate(id, change);
			expect([status, body["error"]]).toEqual([409, "feedback_closed"]);
			expect(Date.parse(String(body["changeable_until"]))).toBeLessThan(Date.now());
		}
		expect(await storedFeedback()).toEqual(before);
	});

	it("is taken for every kind of receipt", async () => {
		const messages = [{ role: "user", content: "hi" }];
		const idOf = async (path: string, body: object) => {
			const response = await callWithKey(key.key, path, body);
			const id = response.headers.get("x-request-id") ?? "";
			expect(response.status, await response.text()).toBe(200);
			return id;
		};
		const ids = [
			await answeredChat(),
			await idOf("/v1/chat/completions", { messages, stream: true }),
			await idOf("/v1/skills/debugging/invoke", { task: "It prints 8, not 9." }),
			await idOf("/v2/orchestrate", { messages }),
			await idOf("/v2/code", { task: "Write a Python function that adds two numbers" }),
			(await runAgent(key, { max_steps: 1 })).run_id,
		];
		for (const id of ids) expect(await rate(id, { score: 1 })).toMatchObject({ status: 200, body: { request_id: id } });
		await eventually(async () => (await settledCount(key)) === ids.length);
		const kinds = (await decisions()).map(({ kind, score }) => `${kind} ${score}`);
		expect(kinds.toSorted()).toEqual(["agent 1", "chat 1", "chat 1", "code 1", "orchestration 1", "skill 1"]);
	});

	it("counts towards the minute, not towards the day", async () => {
		const id = await answeredChat();
		const before = (await usageOf(key)).limits.daily_requests_used;
		await rate(id, { score: 1 });
		expect((await usageOf(key)).limits.daily_requests_used).toBe(before);
	});

	it.each([
		[{ score: 2 }, "score"],
		[{ score: 0.5 }, "score"],
		[{ score: "1" }, "score"],
		[{}, "score"],
		[{ score: 1, reason: "because" }, "reason"],
		[{ score: 1, reason: "" }, "reason"],
	])("of %j is 422", async (content, path) => {
		const { status, body } = await rate(await answeredChat(), content);
		expect([status, body]).toMatchObject([422, { error: "invalid_request", issues: [{ path }] }]);
		expect(await storedFeedback()).toEqual([]);
	});
});

describe("an id that the caller has no receipt under", () => {
	const UNKNOWN = "svc-01ARZ3NDEKTSV4RRFFQ69G5FAV";

	it("is 404 whether nobody has it, another user has it, or it is malformed, and nothing is stored", async () => {
		const stranger = await newKey("corporate");
		const theirs = await answeredChat(stranger);
		const answers: FeedbackAnswer[] = [];
		for (const id of [UNKNOWN, theirs, "svc-", "", "agt_x", "x".repeat(100_000)])
			answers.push(await rate(id, { score: 1 }));
		expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
		expect(answers[0]).toMatchObject({ status: 404, body: { error: "request_not_found" } });
		expect([...(await storedFeedback()), ...(await storedFeedback(stranger))]).toEqual([]);
	});

	it("is asked for alike, whether nobody has it or another user", async () => {
		const theirs = await answeredChat(await newKey("corporate"));
		await rate(UNKNOWN, { score: 1 });
		const costs: string[][] = [];
		for (const id of [theirs, UNKNOWN]) {
			const operations: string[] = [];
			const note = ({ method, target }: Operation) => {
				operations.push(`${method} ${target}`);
				return "pass" as const;
			};
			faults = useFaults({ DB: note, ACCOUNT_METER: note });
			await rate(id, { score: 1 });
			faults.restore();
			costs.push(operations.filter((operation) => !/usage_days/i.test(operation)));
		}
		expect(costs[0]).toContain(`giveFeedback ${key.user_id}`);
		expect(costs[0]).toEqual(costs[1]);
	});

	it("is 404 until its request is settled, and taken from then on", async () => {
		const gate = Promise.withResolvers<void>();
		const reached = Promise.withResolvers<void>();
		upstream.replace(async () => {
			reached.resolve();
			await gate.promise;
			return undefined;
		});
		const answer = chat(key.key, "hi");
		await reached.promise;
		const [open] = (await usageOf(key)).open;
		const id = open?.request_id ?? "";
		expect(await rate(id, { score: 1 })).toMatchObject({ status: 404 });
		gate.resolve();
		await (await answer).text();
		expect(await rate(id, { score: 1 })).toMatchObject({ status: 200, body: { request_id: id } });
	});
});

describe("when things fail", () => {
	it("feedback right after the answer is taken while D1 refuses sums, and stays when the object begins anew", async () => {
		faults = useFaults({ DB: ({ target }) => (isSumsFlush(target) ? "fail" : "pass") });
		const id = await answeredChat();
		const first = await rate(id, { score: 1, reason: "style" });
		expect(first).toMatchObject({ status: 200 });
		await killObject(env.ACCOUNT_METER.getByName(key.user_id) as unknown as DurableObjectStub<undefined>);
		faults.restore();
		expect(await decisions()).toMatchObject([{ request_id: id, score: 1, feedback_reason: "style" }]);
		expect(await rate(id, { score: 1, reason: "style" })).toEqual(first);
	});

	it("a meter that is away is 503, and the same again is taken", async () => {
		const id = await answeredChat();
		faults = useFaults({ ACCOUNT_METER: onlyFor(["giveFeedback"], always("fail")) });
		const { status, body } = await rate(id, { score: 1 });
		expect([status, body["error"]]).toEqual([503, "storage_unavailable"]);
		expect(await storedFeedback()).toEqual([]);
		faults.restore();
		expect(await rate(id, { score: 1 })).toMatchObject({ status: 200 });
	});

	it("a lost answer of the meter is 503, and the same again answers with the feedback of the first time", async () => {
		const id = await answeredChat();
		faults = useFaults({ ACCOUNT_METER: onlyFor(["giveFeedback"], always("failAfter")) });
		expect(await rate(id, { score: 1 })).toMatchObject({ status: 503 });
		faults.restore();
		const [first] = await storedFeedback();
		expect(await rate(id, { score: 1 })).toMatchObject({ status: 200, body: { created_at: first?.["created_at"] } });
		expect(await storedFeedback()).toEqual([first]);
	});

	it("a hundred at once are one row; each is answered with its own content, and one of them stays", async () => {
		const id = await answeredChat();
		const contents = Array.from({ length: 100 }, (_, n) => ({
			score: (n % 3) - 1,
			reason: n % 2 === 0 ? "wrong" : null,
		}));
		const answers = await Promise.all(contents.map((content) => rate(id, content)));
		for (const [n, content] of contents.entries()) expect(answers[n]).toMatchObject({ status: 200, body: content });
		expect(new Set(answers.map(({ body }) => body["changeable_until"])).size).toBe(1);
		const [stored, ...more] = await storedFeedback();
		expect(more).toEqual([]);
		expect(contents).toContainEqual({ score: stored?.["score"], reason: stored?.["reason"] });
	});
});

interface DecisionPage {
	data: RoutingDecision[];
	next: string | null;
}

async function decisionPage(query: string): Promise<DecisionPage> {
	const response = await operator("GET", `/internal/decisions?${query}`);
	expect(response.status, await response.clone().text()).toBe(200);
	return response.json();
}

/** The exported requests of a user, page by page. */
async function decisions({ user_id } = key, limit = 1_000): Promise<RoutingDecision[]> {
	const all: RoutingDecision[] = [];
	for (let after: string | null = ""; after !== null; ) {
		const page: DecisionPage = await decisionPage(`after=${after}&limit=${limit}`);
		all.push(...page.data);
		after = page.next;
	}
	expect(new Set(all.map(({ request_id }) => request_id)).size).toBe(all.length);
	return all.filter((decision) => decision.user_id === user_id);
}

describe("the export of decisions", () => {
	it("joins decision, cost and feedback, as the receipt and the answer say them", async () => {
		const response = await chat(key.key, "Write a Python function that reverses a list", { routing_mode: "quality" });
		const { id, svc } = (await response.json()) as {
			id: string;
			svc: { routing: { reason: string }; cost: { total_usd: number } };
		};
		await rate(id, { score: -1, reason: "incomplete" });
		await eventually(async () => (await settledCount(key)) === 1);
		const { receipt } = await proofOf(id);
		expect(await decisions()).toMatchObject([
			{
				request_id: id,
				user_id: key.user_id,
				kind: "chat",
				mode: "quality",
				model: receipt["model"],
				provider: receipt["provider"],
				models: [receipt["model"]],
				calls: 1,
				reason: svc.routing.reason,
				strategy: null,
				passed: null,
				cost_usd: svc.cost.total_usd,
				bound_usd: receipt["bound_usd"],
				tokens: Number(receipt["prompt_tokens"]) + Number(receipt["completion_tokens"]),
				input_tokens: receipt["prompt_tokens"],
				outcome: "complete",
				fallback: false,
				estimated: false,
				score: -1,
				feedback_reason: "incomplete",
			},
		]);
	});

	it("says of several calls which strategy, how many, and which models", async () => {
		const messages = [{ role: "user", content: "hi" }];
		const answer = await callWithKey(key.key, "/v2/orchestrate", { messages, strategy: "self_consistency", k: 3 });
		expect(answer.status).toBe(200);
		const code = await callWithKey(key.key, "/v2/code", { task: "Write a Python function that adds two numbers" });
		expect(code.status).toBe(200);
		await eventually(async () => (await settledCount(key)) === 2);
		const [orchestration, written] = (await decisions()).toSorted((a, b) => (a.kind > b.kind ? -1 : 1));
		expect(orchestration).toMatchObject({ kind: "orchestration", strategy: "self_consistency", reason: null });
		expect(orchestration?.calls).toBeGreaterThanOrEqual(3);
		expect(orchestration?.models.length).toBeGreaterThan(0);
		expect(orchestration).toMatchObject({ score: null, feedback_reason: null, feedback_created_at: null });
		expect(written).toMatchObject({ kind: "code", language: "python" });
		expect(typeof written?.passed).toBe("boolean");
	});

	it("holds neither prompt nor answer, and goes page by page without a gap", async () => {
		for (let n = 0; n < 5; n++) await chat(key.key, "the purple elephant", { max_tokens: 50 });
		await eventually(async () => (await settledCount(key)) === 5);
		expect(await decisions(key, 2)).toHaveLength(5);
		const text = JSON.stringify(await decisions());
		for (const word of ["elephant", "sandbox answers"]) expect(text).not.toContain(word);
	});

	it("goes on behind a request that it named, and behind nothing else", async () => {
		expect((await operator("GET", "/internal/decisions?after=usr_1%20nope")).status).toBe(422);
	});

	it("refuses a limit beyond 1,000", async () => {
		expect((await operator("GET", "/internal/decisions?limit=1001")).status).toBe(422);
	});
});
