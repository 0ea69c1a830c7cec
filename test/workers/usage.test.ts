// Usage and savings: one truth with receipts, and read without looking at every request ever made.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { DEFAULT_BASELINE } from "../../src/usage/savings.ts";
import { modelWhere } from "../support/catalog.ts";
import { statementsOf } from "../support/d1-statements.ts";
import { currentPrice, hasOnePrice } from "../support/models.ts";
import { useService } from "../support/per-test.ts";
import { call, callWithKey, chat, settledRequests } from "../support/service.ts";

const { key } = useService("pro");

async function savings(query = ""): Promise<Record<string, number | string>> {
	const response = await callWithKey(key.key, `/v1/savings${query}`);
	expect(response.status).toBe(200);
	return response.json();
}

/** Prompt and completion tokens over some chats. */
async function chatTokens(...contents: string[]): Promise<{ prompt: number; completion: number; costUsd: number }> {
	const sum = { prompt: 0, completion: 0, costUsd: 0 };
	for (const content of contents) {
		const { usage, svc } = (await (await chat(key.key, content)).json()) as {
			usage: { prompt_tokens: number; completion_tokens: number };
			svc: { cost: { total_usd: number } };
		};
		sum.prompt += usage.prompt_tokens;
		sum.completion += usage.completion_tokens;
		sum.costUsd += svc.cost.total_usd;
	}
	return sum;
}

describe("GET /v1/savings", () => {
	it("prices the caller's own tokens at the baseline's rates, input and output apart", async () => {
		const { prompt, completion, costUsd } = await chatTokens("one", "two and a little more", "three");
		// At another rate for output than for input, and at the same one at all hours.
		const baseline = modelWhere(CATALOG, (model) => model.hyper_frontier && hasOnePrice(model));
		const { input, output } = currentPrice(baseline);
		const found = await savings(`?baseline=${baseline.id}`);
		const baselineUsd = (prompt * input + completion * output) / 1e6;
		expect(found).toMatchObject({
			baseline_model: baseline.id,
			total_requests: 3,
			total_tokens: prompt + completion,
		});
		expect(found["actual_cost_usd"]).toBeCloseTo(costUsd, 9);
		expect(found["baseline_cost_usd"]).toBeCloseTo(baselineUsd, 8);
		expect(found["saved_usd"]).toBeCloseTo(baselineUsd - costUsd, 8);
		expect(found["saved_pct"]).toBeCloseTo((1 - costUsd / baselineUsd) * 100, 1);
	});

	it("takes any model of the listing, and a premium one by default", async () => {
		await chatTokens("hi");
		for (const { id } of CATALOG.models) {
			const { baseline_model, saved_usd, saved_pct, baseline_cost_usd, actual_cost_usd } = await savings(
				`?baseline=${id}`,
			);
			expect(baseline_model).toBe(id);
			const difference = Math.max(0, Number(baseline_cost_usd) - Number(actual_cost_usd));
			expect(saved_usd).toBeCloseTo(difference, 9);
			expect(Number(saved_pct) >= 0 && Number(saved_pct) <= 100).toBe(true);
		}
		expect((await savings())["baseline_model"]).toBe(DEFAULT_BASELINE);
		expect(CATALOG.models.find(({ id }) => id === DEFAULT_BASELINE)?.tier).toBe("premium");
	});

	it("is all zero for a user who has asked nothing", async () => {
		expect(await savings()).toMatchObject({ total_requests: 0, baseline_cost_usd: 0, saved_usd: 0, saved_pct: 0 });
	});

	it("answers 400 unknown_model for a baseline that is not in the catalog", async () => {
		for (const baseline of ["nope", "", "auto", "laser-1", "__proto__", "constructor"]) {
			const response = await callWithKey(key.key, `/v1/savings?baseline=${encodeURIComponent(baseline)}`);
			expect([response.status, await response.json()], baseline).toMatchObject([400, { error: "unknown_model" }]);
		}
	});
});

describe("usage", () => {
	it.each(["/v1/usage", "/v1/savings"])(
		"%s asks D1 for nothing but its key, whatever the user has asked",
		async (path) => {
			await chatTokens("one", "two");
			const asked = async () => (await statementsOf(() => callWithKey(key.key, path))).map(({ sql }) => sql);
			await asked();
			expect(await asked()).toEqual([]);
		},
	);

	it("has one row for every request, with its usage and its receipt", async () => {
		const { prompt, completion } = await chatTokens("one", "two");
		const requests = (await settledRequests(key)).map(({ request }) => request);
		expect(requests).toHaveLength(2);
		expect(requests.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(prompt + completion);
		expect(requests.reduce((sum, { input_tokens }) => sum + input_tokens, 0)).toBe(prompt);
		const { recent } = (await (await callWithKey(key.key, "/v1/usage")).json()) as { recent: { request_id: string }[] };
		expect(recent.map(({ request_id }) => request_id)).toEqual(requests.map(({ request_id }) => request_id));
		for (const { request_id } of recent) expect((await call(`/v1/proof/${request_id}`)).status).toBe(200);
	});
});
