// Metrics of the deployment: what users' requests come to, each once, whatever fails and however often it is sent.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AccountMeter } from "../../src/meter/account-meter.object.ts";
import { UsageTotals } from "../../src/meter/usage-totals.ts";
import type { MetricBatchOfSource } from "../../src/telemetry/metric-sums.ts";
import type { Metrics } from "../../src/telemetry/metrics.object.ts";
import {
	aCollector,
	type Collector,
	inMetrics,
	metricsAlarm,
	metricsStub,
	sample,
	scrape,
	TEST_METRICS_TOKEN,
	useCollector,
	useTelemetry,
} from "../support/collector.ts";
import { alarmAtMs, type Fault, inOrder, killObject, onlyFor, useFaults } from "../support/faults.ts";
import { foldMeter } from "../support/folds.ts";
import { hasOnePrice, modelOnWire } from "../support/models.ts";
import { useService } from "../support/per-test.ts";
import {
	call,
	callWith,
	callWithKey,
	chat,
	inMeter,
	meterAlarm,
	meterOf,
	newKey,
	type TestKey,
	usageOf,
} from "../support/service.ts";
import { aRequestId, reservationFor, settlementFor, TEST_KEY_ID, UNLIMITED_KEY } from "../support/settlements.ts";

const { key, upstream } = useService("corporate");
let telemetry: { restore(): void };
let faults: { restore(): void } | undefined;
let collector: Collector | undefined;
beforeEach(async () => {
	telemetry = await useTelemetry({ metricsToken: TEST_METRICS_TOKEN, metricLabels: ["user"] });
});
afterEach(() => {
	collector?.restore();
	collector = undefined;
	faults?.restore();
	faults = undefined;
	telemetry.restore();
	vi.useRealTimers();
});

const meterStub = (userId = key.user_id) =>
	env.ACCOUNT_METER.getByName(userId) as unknown as DurableObjectStub<undefined>;
const REAL = { model: "real", provider: "provider of real" };

/** What the metrics say of a user. */
async function counted(userId = key.user_id) {
	const text = await scrape();
	const of = (name: string, labels = {}) => sample(text, name, { user: userId, ...labels });
	const nanoUsd = Math.round(of("svc_cost_usd_total") * 1e9);
	return { requests: of("svc_requests_total"), tokens: of("svc_tokens_total"), nanoUsd };
}

/** What a user's meter says of its settled requests. */
async function settledSums(userId = key.user_id) {
	const { totals } = await meterOf({ user_id: userId }).snapshot("free");
	const { requests, tokens, costNanoUsd: nanoUsd } = new UsageTotals(totals).total();
	return { requests, tokens, nanoUsd };
}

const admission = (requestId: string) => ({
	...{ requestId, keyId: TEST_KEY_ID, ...UNLIMITED_KEY, plan: "corporate" as const, countsTowardsDay: false },
});

/** Admits and settles a request that costs so much. */
async function settleOne(costNanoUsd: number, userId = key.user_id): Promise<void> {
	const meter = meterOf({ user_id: userId });
	const requestId = aRequestId();
	const reservation = reservationFor(userId, requestId, costNanoUsd, Date.now() + 60_000);
	expect((await meter.admit({ ...admission(requestId), reservation })).admitted).toBe(true);
	expect(await meter.settle(await settlementFor(userId, requestId, costNanoUsd))).toBe("settled");
}

describe("metrics", () => {
	it("equal usage once the user's object has sent them", async () => {
		for (const text of ["hi", "hello", "how are you"]) expect((await chat(key.key, text)).status).toBe(200);
		await meterOf(key).flushNow();
		const usage = await usageOf(key);
		const { requests, tokens, nanoUsd } = await counted();
		expect(requests).toBe(3);
		expect([requests, tokens]).toEqual([usage.total_requests, usage.total_tokens]);
		expect(nanoUsd / 1e9).toBeCloseTo(usage.total_cost_usd, 9);
		const text = await scrape();
		for (const [model, sums] of Object.entries(usage.by_model))
			expect(sample(text, "svc_tokens_total", { user: key.user_id, model })).toBe(sums.tokens);
	});

	it("have the parts of tokens that rows have, before and after their meter dies", async () => {
		const { id: model } = modelOnWire("openai", hasOnePrice);
		const usage = {
			...{ prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
			...{ prompt_tokens_details: { cached_tokens: 40 }, completion_tokens_details: { reasoning_tokens: 30 } },
		};
		upstream.replace(async () =>
			Response.json({ choices: [{ message: { content: "x" }, finish_reason: "stop" }], usage }),
		);
		const parts = async () => {
			const text = await scrape();
			const labels = { gen_ai_request_model: model };
			const of = (name: string) => sample(text, `gen_ai_client_inference_usage_${name}_tokens_total`, labels);
			return [of("input"), of("cache_read_input"), of("output"), of("reasoning_output")];
		};
		const before = await parts();
		expect((await chat(key.key, "a".repeat(200), { model })).status).toBe(200);
		await killObject(meterStub());
		expect((await chat(key.key, "a".repeat(200), { model })).status).toBe(200);
		await meterOf(key).flushNow();
		const after = await parts();
		expect(after.map((value, i) => value - (before[i] ?? 0))).toEqual([200, 80, 100, 60]);
	});

	it("are sent with the minute's sums, by the same alarm", async () => {
		await settleOne(7);
		expect(await alarmAtMs(meterStub())).toBeLessThanOrEqual(Date.now() + 60_000);
		expect(await meterAlarm(key)).toBe(true);
		expect(await counted()).toEqual({ requests: 1, tokens: 7, nanoUsd: 7 });
	});

	it("count a batch once whose answer was lost, and what came after it with the next", async () => {
		faults = useFaults({ METRICS: onlyFor(["take"], inOrder(["failAfter", "fail"])) });
		await settleOne(7);
		await meterOf(key).flushNow();
		await settleOne(11);
		await meterOf(key).flushNow();
		await meterOf(key).flushNow();
		await meterOf(key).flushNow();
		expect(await counted()).toEqual({ requests: 2, tokens: 18, nanoUsd: 18 });
	});

	it("do not keep D1 from its sums while their object is away, and are sent a minute later", async () => {
		faults = useFaults({ METRICS: () => "fail" });
		await settleOne(7);
		await meterOf(key).flushNow();
		const { results } = await env.DB.prepare("SELECT requests FROM usage_days WHERE user_id = ?")
			.bind(key.user_id)
			.all();
		expect(results).toEqual([{ requests: 1 }]);
		expect(await alarmAtMs(meterStub())).not.toBeNull();
		faults.restore();
		faults = undefined;
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
		await meterAlarm(key);
		expect(await counted()).toEqual({ requests: 1, tokens: 7, nanoUsd: 7 });
	});

	it.each([
		["before it has sent anything", async () => undefined],
		["after its answer was lost", () => meterOf(key).flushNow()],
		["after a fold", () => foldMeter(key.user_id)],
	])("lose nothing of a user's object that dies %s", async (_, before) => {
		const lost = useFaults({ METRICS: onlyFor(["take"], inOrder(["failAfter", "failAfter"])) });
		await settleOne(7);
		await before();
		lost.restore();
		await killObject(meterStub());
		await settleOne(11);
		await killObject(meterStub());
		await meterOf(key).flushNow();
		await meterOf(key).flushNow();
		expect(await counted()).toEqual({ requests: 2, tokens: 18, nanoUsd: 18 });
	});

	it("stay when their own object dies, and do not fall", async () => {
		await settleOne(7);
		await meterOf(key).flushNow();
		await killObject(metricsStub());
		expect(await counted()).toEqual({ requests: 1, tokens: 7, nanoUsd: 7 });
		await settleOne(1);
		await meterOf(key).flushNow();
		expect(await counted()).toEqual({ requests: 2, tokens: 8, nanoUsd: 8 });
	});

	it("keep nothing of a batch whose writing failed half way", async () => {
		await settleOne(7);
		await meterOf(key).flushNow();
		const failed = await runInDurableObject(metricsStub(), async (instance, { storage }) => {
			storage.sql.exec(
				"CREATE TRIGGER full BEFORE INSERT ON sources WHEN NEW.source = 'other' BEGIN SELECT RAISE(ABORT, 'disk full'); END",
			);
			const series = JSON.parse(storage.sql.exec("SELECT key FROM series LIMIT 1").one()["key"] as string) as string[];
			const batch: MetricBatchOfSource = { source: "other", number: 1, deltas: { [JSON.stringify(series)]: [1_000] } };
			const refused = await (instance as unknown as Metrics).take(batch).then(
				() => false,
				() => true,
			);
			storage.sql.exec("DROP TRIGGER full");
			return refused;
		});
		expect(failed).toBe(true);
		expect(await counted()).toEqual({ requests: 1, tokens: 7, nanoUsd: 7 });
	});

	it("count what a restored meter settles from then on, once, whatever its backup had not sent", async () => {
		await settleOne(7);
		await meterOf(key).flushNow();
		await settleOne(11);
		// As a restore does it, in the transaction that takes the rows over; then the object begins anew.
		await runInDurableObject(meterStub(), (instance) => (instance as unknown as AccountMeter).adaptRestored());
		await killObject(meterStub());
		await settleOne(100);
		await meterOf(key).flushNow();
		expect(await counted()).toEqual({ requests: 2, tokens: 107, nanoUsd: 107 });
		await killObject(meterStub());
		await meterOf(key).flushNow();
		expect(await counted()).toEqual({ requests: 2, tokens: 107, nanoUsd: 107 });
	});

	it("do not count what was settled while nobody read them", async () => {
		telemetry.restore();
		await settleOne(7);
		await meterOf(key).flushNow();
		const written = await inMeter(key, (sql) => sql.exec("SELECT count(*) AS n FROM unsent_metrics").one()["n"]);
		expect(written).toBe(0);
		await killObject(meterStub());
		telemetry = await useTelemetry({ metricsToken: TEST_METRICS_TOKEN, metricLabels: ["user"] });
		await settleOne(11);
		await meterOf(key).flushNow();
		expect(await counted()).toEqual({ requests: 1, tokens: 11, nanoUsd: 11 });
	});

	it("ask nothing of their object while nobody reads them", async () => {
		telemetry.restore();
		const asked: string[] = [];
		faults = useFaults({
			METRICS: ({ method }) => {
				asked.push(method);
				return "pass";
			},
		});
		expect((await chat(key.key, "hi")).status).toBe(200);
		await meterOf(key).flushNow();
		expect(asked).toEqual([]);
	});

	it("name no user unless the operator lists that label", async () => {
		telemetry.restore();
		telemetry = await useTelemetry({ metricsToken: TEST_METRICS_TOKEN });
		await settleOne(7);
		await meterOf(key).flushNow();
		const text = await scrape();
		expect(text).not.toContain(key.user_id);
		expect(sample(text, "svc_tokens_total", REAL)).toBeGreaterThanOrEqual(7);
	});

	it("count requests that were refused or failed, each with its code, and none that is repeated or lost", async () => {
		const errors = (code: string) => async () => sample(await scrape(), "svc_request_errors_total", { code });
		const [invalid, failed] = [errors("invalid_request"), errors("all_models_failed")];
		const before = [await invalid(), await failed()];
		faults = useFaults({ ACCOUNT_METER: onlyFor(["recordFailed"], inOrder(["failAfter"])) });
		expect((await callWithKey(key.key, "/v1/chat/completions", { messages: "none" })).status).toBe(422);
		expect((await chat(key.key, "hi [[status 500]]")).status).toBe(502);
		const recorded = async () => {
			const { data } = (await (await callWithKey(key.key, "/v1/requests")).json()) as { data: object[] };
			expect(data.length).toBe(2);
		};
		await vi.waitFor(recorded);
		faults.restore();
		faults = undefined;
		await killObject(meterStub());
		await meterOf(key).flushNow();
		await meterOf(key).flushNow();
		expect([await invalid(), await failed()]).toEqual(before.map((count) => count + 1));
		expect(await counted()).toMatchObject({ requests: 2, tokens: 0, nanoUsd: 0 });
	});

	it("count each decision of the policy once", async () => {
		const before = sample(await scrape(), "svc_policy_checks_total");
		const check = { workspace_id: "order-service", action: "List", commands: ["ls"] };
		expect((await callWithKey(key.key, "/v1/policy/check", check)).status).toBe(200);
		const own = meterOf(key);
		await vi.waitFor(async () => {
			await own.flushNow();
			expect(sample(await scrape(), "svc_policy_checks_total")).toBe(before + 1);
		});
		const again = { id: "ae_1", decision: "deny", tier: "critical" };
		await own.countCheck(again);
		await own.countCheck(again);
		await own.flushNow();
		expect(sample(await scrape(), "svc_policy_checks_total")).toBe(before + 2);
	});

	it("equal usage after any sequence of requests and faults", async () => {
		const users = [await newKey("corporate"), await newKey("corporate")] as const;
		const deeds = {
			settle: (user: TestKey, costNanoUsd: number) => settleOne(costNanoUsd, user.user_id),
			flush: (user: TestKey) => meterOf(user).flushNow(),
			alarm: (user: TestKey) => meterAlarm(user),
			kill: (user: TestKey) => killObject(meterStub(user.user_id)),
			killMetrics: () => killObject(metricsStub()),
			fold: (user: TestKey) => foldMeter(user.user_id),
		};
		const step = fc.record({
			user: fc.constantFrom(...users),
			deed: fc.constantFrom<keyof typeof deeds>(
				"settle",
				"settle",
				"settle",
				"flush",
				"alarm",
				"kill",
				"killMetrics",
				"fold",
			),
			costNanoUsd: fc.integer({ min: 1, max: 1_000 }),
			fault: fc.constantFrom<Fault>("pass", "pass", "fail", "failAfter"),
		});
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
				let last = 0;
				for (const { user, deed, costNanoUsd, fault } of steps) {
					const faulty = useFaults({ METRICS: onlyFor(["take"], () => fault) });
					await deeds[deed](user, costNanoUsd).finally(() => faulty.restore());
					const sum = sample(await scrape(), "svc_tokens_total");
					expect(sum).toBeGreaterThanOrEqual(last);
					last = sum;
				}
				for (const { user_id } of users) {
					// The first sends a batch that was frozen, the second what came after it.
					await meterOf({ user_id }).flushNow();
					await meterOf({ user_id }).flushNow();
					expect(await counted(user_id)).toEqual(await settledSums(user_id));
				}
			}),
			{ numRuns: 12, endOnFailure: true },
		);
	});
});

describe("GET /metrics", () => {
	const read = (authorization: string) => call("/metrics", { headers: { authorization } });

	it("answers Prometheus' text to whoever has the token", async () => {
		await settleOne(7);
		await meterOf(key).flushNow();
		const response = await read(`Bearer ${TEST_METRICS_TOKEN}`);
		expect([response.status, response.headers.get("content-type"), response.headers.get("cache-control")]).toEqual([
			200,
			"text/plain; version=0.0.4; charset=utf-8",
			"no-store",
		]);
		expect(await response.text()).toMatch(/^# HELP [\s\S]*# TYPE svc_requests_total counter\n[\s\S]*\n$/);
	});

	it("refuses everybody else, a user's key and the operator's token as well", async () => {
		for (const authorization of ["", "Bearer", `Bearer ${TEST_METRICS_TOKEN}x`, `Bearer ${key.key}`, "Basic eDp5"]) {
			const response = await read(authorization);
			expect([response.status, (await response.text()).includes(TEST_METRICS_TOKEN)], authorization).toEqual([
				401,
				false,
			]);
		}
		const posted = await call("/metrics", { method: "POST" });
		expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
	});

	it("does not exist without a token", async () => {
		telemetry.restore();
		for (const authorization of ["", "Bearer null", `Bearer ${TEST_METRICS_TOKEN}`]) {
			const response = await read(authorization);
			expect([response.status, await response.json()], authorization).toMatchObject([404, { error: "not_found" }]);
		}
		const document = (await (await call("/openapi.json")).json()) as { paths: object };
		expect(Object.keys(document.paths)).not.toContain("/metrics");
	});

	it("is 503 while its object is away", async () => {
		faults = useFaults({ METRICS: () => "fail" });
		const response = await read(`Bearer ${TEST_METRICS_TOKEN}`);
		expect([response.status, await response.json()]).toMatchObject([503, { error: "storage_unavailable" }]);
	});

	it("reads the token of its own deployment", async () => {
		const bindings = { METRICS_TOKEN: "another-token-0123456789" } as unknown as Partial<Env>;
		const headers = { authorization: `Bearer ${TEST_METRICS_TOKEN}` };
		expect((await callWith(bindings, "/metrics", { headers })).status).toBe(401);
	});
});

describe("metrics that are pushed", () => {
	const push = async (answer?: Parameters<typeof useCollector>[0]) => {
		telemetry.restore();
		telemetry = await useTelemetry({ metricsToken: TEST_METRICS_TOKEN, otlp: aCollector(), metricLabels: ["user"] });
		collector = useCollector(answer);
		await settleOne(7);
		await meterOf(key).flushNow();
		return collector;
	};
	const pushed = (from: Collector) => from.received.filter(({ url }) => url.endsWith("/v1/metrics"));
	// biome-ignore lint/suspicious/noExplicitAny: a body of the protocol.
	const pushedValue = (body: any, name: string, user: string) =>
		body.resourceMetrics[0].scopeMetrics[0].metrics
			// biome-ignore lint/suspicious/noExplicitAny: a body of the protocol.
			.find((metric: any) => metric.name === name)
			// biome-ignore lint/suspicious/noExplicitAny: a body of the protocol.
			.sum.dataPoints.filter((point: any) => JSON.stringify(point.attributes).includes(user))
			// biome-ignore lint/suspicious/noExplicitAny: a body of the protocol.
			.reduce((sum: number, point: any) => sum + Number(point.asInt ?? point.asDouble), 0);

	it("are those that Prometheus reads, once a minute while they change", async () => {
		const from = await push();
		expect(await alarmAtMs(metricsStub())).not.toBeNull();
		expect(await metricsAlarm()).toBe(true);
		const [sent] = pushed(from);
		expect(sent?.headers.get("content-type")).toBe("application/json");
		expect(sent?.headers.get("x-scope")).toBe("tests");
		expect(pushedValue(sent?.body, "svc.tokens", key.user_id)).toBe(7);
		expect(await counted()).toMatchObject({ tokens: 7 });
		expect(await alarmAtMs(metricsStub())).toBeNull();
	});

	it("wait for a collector that is away, which then gets all that was counted meanwhile", async () => {
		const from = await push((nth) => {
			if (nth === 0) throw new TypeError("connection refused");
			return nth === 1 ? new Response("busy", { status: 503 }) : new Response("{}");
		});
		await metricsAlarm();
		expect(await alarmAtMs(metricsStub())).not.toBeNull();
		await metricsAlarm();
		await settleOne(11);
		await meterOf(key).flushNow();
		expect(await alarmAtMs(metricsStub())).not.toBeNull();
		await metricsAlarm();
		expect(pushed(from).map(({ body }) => pushedValue(body, "svc.tokens", key.user_id))).toEqual([7, 7, 18]);
		expect(await alarmAtMs(metricsStub())).toBeNull();
	});

	it("are not sent again to a collector that refuses them", async () => {
		const from = await push(() => new Response("no", { status: 400 }));
		await metricsAlarm();
		expect(pushed(from).length).toBe(1);
		expect(await alarmAtMs(metricsStub())).toBeNull();
	});
});

describe("the states of providers' keys", () => {
	it("are told by who calls them, once while nothing changes", async () => {
		const told: unknown[] = [];
		faults = useFaults({
			METRICS: ({ method, args }) => {
				if (method === "noteKey") told.push(args[0]);
				return "pass";
			},
		});
		upstream.replace(async (request) =>
			new URL(request.url).pathname.startsWith("/openai/")
				? Response.json({ error: { message: "slow down" } }, { status: 429, headers: { "retry-after": "60" } })
				: undefined,
		);
		expect((await chat(key.key, "hi")).status).toBe(200);
		expect((await chat(key.key, "hello")).status).toBe(200);
		await vi.waitFor(() => expect(told.length).toBeGreaterThan(0));
		expect(told).toEqual([{ provider: "openai", name: "", state: "throttled", untilMs: expect.any(Number) }]);
		expect(sample(await scrape(), "svc_provider_keys", { provider: "openai", state: "throttled" })).toBe(1);
	});

	const note = (state: "ok" | "throttled" | "refused", untilMs: number | null, name = "eu") =>
		runInDurableObject(metricsStub(), (instance) =>
			(instance as unknown as Metrics).noteKey({ provider: "openai", name, state, untilMs }),
		);
	const stateOf = async (name = "eu") => {
		const text = await scrape();
		return ["ok", "throttled", "refused"].filter(
			(state) => sample(text, "svc_provider_keys", { provider: "openai", key: name, state }) === 1,
		);
	};

	it("are what was last noted, until its time is over", async () => {
		await note("throttled", Date.now() + 600_000);
		expect(await stateOf()).toEqual(["throttled"]);
		await note("refused", null);
		expect(await stateOf()).toEqual(["refused"]);
		await note("throttled", Date.now() - 1);
		expect(await stateOf()).toEqual(["ok"]);
		await note("refused", null, "us");
		expect([await stateOf(), await stateOf("us")]).toEqual([["ok"], ["refused"]]);
		expect(
			await inMetrics((sql) => sql.exec("SELECT count(*) AS n FROM provider_keys WHERE name > ''").one()["n"]),
		).toBe(2);
	});
});

describe("what runs wait for", () => {
	const insertRun = (id: string, status: string, kinds: string[]) =>
		env.DB.prepare(
			`INSERT INTO agent_runs (id, user_id, created_at, revision, status, summary) VALUES (?, 'usr_waits', '2026-11-28T00:00:00.000Z', 1, ?, ?)`,
		)
			.bind(id, status, JSON.stringify({ pending: kinds.map((kind) => ({ id: `pnd_${kind}`, kind })) }))
			.run();
	const waiting = async () => {
		const text = await scrape();
		return Object.fromEntries(
			["client_tool", "approval", "input", "plan"].map((kind) => [kind, sample(text, "svc_agent_pending", { kind })]),
		);
	};

	it("is counted by kind as it stands, and found by an index of its own", async () => {
		await insertRun("agt_waits_1", "requires_action", ["approval", "client_tool"]);
		await insertRun("agt_waits_2", "requires_action", ["approval"]);
		await insertRun("agt_waits_3", "complete", ["plan"]);
		expect(await waiting()).toEqual({ client_tool: 1, approval: 2, input: 0, plan: 0 });
		await env.DB.prepare("DELETE FROM agent_runs WHERE user_id = 'usr_waits'").run();
		expect((await waiting())["approval"]).toBe(0);
		const plan = await env.DB.prepare(
			"EXPLAIN QUERY PLAN SELECT count(*) FROM agent_runs WHERE status = 'requires_action'",
		).all<{ detail: string }>();
		expect(plan.results.map(({ detail }) => detail).join()).toContain("agent_runs_waiting");
	});
});
