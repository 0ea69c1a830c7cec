import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addCounts, type DaySumSource, DaySums, NO_COUNTS, toDaySums } from "../../../src/meter/day-sums.ts";
import { mergeCallsByModel, type UsageCall } from "../../../src/meter/settlement.ts";

function callOf(model: string, tokens: number, requests?: number): UsageCall {
	const amounts = { tokens, input_tokens: Math.floor(tokens / 2), cost_nano_usd: 3 * tokens };
	return { model, provider: `of ${model}`, ...amounts, ...(requests === undefined ? {} : { requests }) };
}

function sourceOf(model: string, calls: UsageCall[]): DaySumSource {
	return {
		api_key_id: "key_1",
		created_at: "2026-11-21T23:59:59.999Z",
		model,
		calls,
	};
}

describe("the parts of a request", () => {
	it("are one for each model, with its share; the request counts once, in that of its own model", () => {
		const parts = toDaySums(sourceOf("b", [callOf("a", 4), callOf("b", 6), callOf("a", 10)]));
		const shared = { day: "2026-11-21", api_key_id: "key_1", model_requests: 1 };
		expect(parts).toEqual([
			{ ...shared, model: "a", requests: 0, calls: 2, tokens: 14, input_tokens: 7, cost_nano_usd: 42 },
			{ ...shared, model: "b", requests: 1, calls: 1, tokens: 6, input_tokens: 3, cost_nano_usd: 18 },
		]);
	});

	it("count a request without a call, under its model, which it did not call", () => {
		expect(toDaySums(sourceOf("planned", []))).toMatchObject([
			{ model: "planned", requests: 1, model_requests: 0, calls: 0, tokens: 0, cost_nano_usd: 0 },
		]);
	});

	const calls = fc.array(
		fc
			.tuple(
				fc.constantFrom("a", "b", "c"),
				fc.nat(1_000),
				fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
			)
			.map(([model, tokens, requests]) => callOf(model, tokens, requests)),
		{ maxLength: 12 },
	);

	it("add up to the request, and are the same when its calls are merged", () => {
		fc.assert(
			fc.property(fc.constantFrom("a", "b", "d"), calls, (model, made) => {
				const parts = toDaySums(sourceOf(model, made));
				const sum = (amount: (part: (typeof parts)[number]) => number) =>
					parts.reduce((total, part) => total + amount(part), 0);
				expect(sum(({ requests }) => requests)).toBe(1);
				expect(sum(({ tokens }) => tokens)).toBe(made.reduce((total, { tokens }) => total + tokens, 0));
				expect(sum(({ cost_nano_usd }) => cost_nano_usd)).toBe(
					made.reduce((total, call) => total + call.cost_nano_usd, 0),
				);
				expect(sum((part) => part.calls)).toBe(made.reduce((total, { requests = 1 }) => total + requests, 0));
				expect(new Set(parts.map((part) => part.model)).size).toBe(parts.length);
				expect(toDaySums(sourceOf(model, mergeCallsByModel(made)))).toEqual(parts);
			}),
		);
	});
});

describe("sums", () => {
	const source = fc
		.tuple(fc.constantFrom("21", "22"), fc.constantFrom("key_1", "key_2"), fc.constantFrom("a", "b"), fc.nat(100))
		.map(([day, api_key_id, model, tokens]) => ({
			...{ created_at: `2026-11-${day}T12:00:00.000Z`, api_key_id, model },
			calls: [callOf("a", tokens), callOf("b", 1, 3)],
		}));

	it("have one entry for each day, key and model, in which nothing is lost", () => {
		fc.assert(
			fc.property(fc.array(source, { maxLength: 30 }), (requests) => {
				const sums = new DaySums();
				for (const request of requests) sums.addRow(request);
				const all = sums.all();
				expect(new Set(all.map(DaySums.key)).size).toBe(all.length);
				const parts = requests.flatMap(toDaySums);
				expect(all.reduce(addCounts, NO_COUNTS)).toEqual(parts.reduce(addCounts, NO_COUNTS));
				for (const { day, api_key_id, model, ...counts } of all) {
					const place = { day, api_key_id, model };
					expect(sums.find(place)).toMatchObject(counts);
					const same = parts.filter((part) => DaySums.key(part) === DaySums.key(place));
					expect(same.reduce(addCounts, NO_COUNTS)).toEqual(counts);
				}
			}),
		);
	});

	it("have nothing where nothing was added, and after they were cleared", () => {
		const sums = new DaySums();
		const place = { day: "2026-11-21", api_key_id: "key_1", model: "a" };
		expect(sums.find(place)).toEqual(NO_COUNTS);
		sums.add({ ...place, ...NO_COUNTS, requests: 1 });
		expect(sums.find(place)).toMatchObject({ requests: 1 });
		sums.clear();
		expect([sums.all(), sums.find(place)]).toEqual([[], NO_COUNTS]);
	});
});
