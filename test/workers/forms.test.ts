// The form of answers through the front door: checked, repaired once, and told.
import { describe, expect, it } from "vitest";
import { orchestrationSchema } from "../../src/orchestration/response.ts";
import { STAGE_HEADER } from "../../src/providers/sandbox-stage.ts";
import { answerIn, ask, ENTRANCES, endOf, entranceNamed, sentence } from "../support/entrances.ts";
import { nano } from "../support/money.ts";
import { useService } from "../support/per-test.ts";
import { answers } from "../support/scripted.ts";
import { callWithKey, receiptOf, usageOf } from "../support/service.ts";
import { resultsOf, stageOf } from "../support/stages.ts";

type Json = Record<string, unknown>;

const { upstream, key } = useService("corporate");
const schema = {
	type: "object",
	properties: { name: { type: "string" } },
	required: ["name"],
	additionalProperties: false,
};
const ASKED = "Who wrote the first program? Answer Ada.";

describe.each(ENTRANCES)("through $name", (entrance) => {
	const asked = (word: string, more: Json = {}, system?: string) =>
		ask(entrance, key.key, sentence(`${ASKED} ${word}`, { schema, ...(system ? { system } : {}) }), more);

	it("an answer that has the form is as it came, in one call", async () => {
		const { text, svc } = entrance.hear(await answerIn(await asked("")));
		expect(JSON.parse(text)).toEqual({ name: "Ada" });
		expect(svc["format_met"]).toBe(true);
		expect(upstream.answered).toBe(1);
	});

	it.each(["[[loose json]]", "[[unfit json]]"])(
		"%s is repaired by the same model, and both calls are billed",
		async (word) => {
			const { text, svc } = entrance.hear(await answerIn(await asked(word)));
			expect(JSON.parse(text)).toEqual({ name: expect.any(String) });
			expect(svc["format_met"]).toBe(true);
			expect(upstream.answered).toBe(2);
			const receipt = await receiptOf(svc.proof.request_id);
			expect(nano(Number(receipt["cost_usd"]))).toBe(nano(svc.cost.total_usd));
		},
	);

	it("what no repair mends is delivered, and says so", async () => {
		const { text, svc } = entrance.hear(await answerIn(await asked("", {}, "[[loose json]]")));
		expect(text).toContain("Certainly");
		expect(svc["format_met"]).toBe(false);
		expect(upstream.answered).toBe(2);
	});

	it("a stream is not repaired, and says so at its end", async () => {
		const end = await endOf(entrance, await asked("[[loose json]]", { stream: true }));
		expect(end.isWhole).toBe(true);
		expect(end.svc?.["format_met"]).toBe(false);
		expect(upstream.answered).toBe(1);
	});

	it("an answer that was cut stays cut", async () => {
		const { svc } = entrance.hear(await answerIn(await asked("[[loose json]]", { [entrance.limit]: 3 })));
		expect(svc).not.toHaveProperty("format_met");
		expect(upstream.answered).toBe(1);
	});
});

describe("a strict form", () => {
	const chat = entranceNamed("chat");
	const strict = (word: string, more: Json = {}) =>
		callWithKey(key.key, chat.path, {
			...chat.toBody(sentence(ASKED, { system: word })),
			response_format: { type: "json_schema", json_schema: { name: "form", schema, strict: true } },
			...more,
		});

	it("that is not met is 502, and what it cost is charged", async () => {
		const response = await strict("[[loose json]]");
		const body = await response.json<{ error: { code: string; cost_usd?: number }; cost_usd?: number }>();
		expect(response.status).toBe(502);
		expect(JSON.stringify(body)).toContain("format_not_met");
		expect(response.headers.get("x-should-retry")).toBe("false");
		const cost = body.cost_usd ?? body.error.cost_usd ?? 0;
		expect(cost).toBeGreaterThan(0);
	});

	it("is 200 where it is met, and in a stream", async () => {
		expect((await strict("Be brief.")).status).toBe(200);
		expect((await strict("[[loose json]]", { stream: true })).status).toBe(200);
	});

	it("any object is one where no schema is given", async () => {
		const body = await answerIn(
			await callWithKey(key.key, chat.path, {
				...chat.toBody(sentence(`${ASKED} [[loose json]]`)),
				response_format: { type: "json_object" },
			}),
		);
		expect(chat.hear(body).svc["format_met"]).toBe(true);
	});
});

it("no repair is made beyond three attempts", async () => {
	const chat = entranceNamed("chat");
	const asked = () => ask(chat, key.key, sentence(`${ASKED} [[loose json]]`, { schema }));
	expect(chat.hear(await answerIn(await asked())).svc["format_met"]).toBe(true);
	const sent: string[] = [];
	upstream.replace(async (request) => {
		sent.push(request.url);
		return sent.length < 3 ? new Response("{}", { status: 503 }) : undefined;
	});
	expect(chat.hear(await answerIn(await asked())).svc["format_met"]).toBe(false);
	expect(sent).toHaveLength(3);
});

describe("in an orchestration", () => {
	const post = (word: string, { system = "Be brief.", strict = false, ...more }: Json = {}) =>
		callWithKey(key.key, "/v2/orchestrate", {
			messages: [
				{ role: "system", content: system },
				{ role: "user", content: `${ASKED} ${word}` },
			],
			response_format: { type: "json_schema", json_schema: { name: "form", schema, strict } },
			...more,
		});
	const orchestrated = async (word: string, more: Json = {}) =>
		orchestrationSchema.parse(await answerIn(await post(word, more)));
	/** Has the first so many calls answered in prose. */
	const proseFirst = (count: number) => {
		let left = count;
		upstream.replace(async () => (left-- > 0 ? answers("Ada wrote the first program.") : undefined));
	};
	/** The providers of the others answer in formats of their own. */
	const brain_config = { blocked: ["anthropic", "google"] };

	it.each(["single", "ensemble_moa"])(
		"the answer of %s is repaired by its model, within the bound",
		async (strategy) => {
			const { svc, choices, id } = await orchestrated("[[loose json]]", { strategy });
			expect(JSON.parse(choices[0].message.content)).toEqual({ name: expect.any(String) });
			expect(svc).toMatchObject({ format_met: true, cost: { basis: "provider_usage" } });
			expect(svc.orchestration.confidence).toBeGreaterThan(0);
			const { results } = stageOf({ svc }, "repair");
			expect(results).toMatchObject([{ ok: true, role: "answerer" }]);
			expect(svc.orchestration.models_used).toContain(results[0]?.model);
			const receipt = await receiptOf(id);
			expect(receipt["cost_usd"]).toBe(svc.cost.total_usd);
			expect(nano(svc.cost.total_usd)).toBe(resultsOf({ svc }).reduce((sum, { cost_usd }) => sum + nano(cost_usd), 0));
			expect(svc.cost.total_usd).toBeLessThanOrEqual(svc.cost.bound_usd);
		},
	);

	it("what no repair mends is delivered with a confidence of 0, and says so", async () => {
		const { svc, choices } = await orchestrated("", { strategy: "single", system: "[[loose json]]" });
		expect(choices[0].message.content).toContain("Certainly");
		expect(svc).toMatchObject({ format_met: false, orchestration: { confidence: 0, agreement: 0 } });
		expect(resultsOf({ svc }).map(({ confidence }) => confidence)).toEqual([0, 0]);
		expect(upstream.answered).toBe(2);
	});

	it("under a strict form that is 502, and what it cost is charged", async () => {
		const response = await post("", { strategy: "single", system: "[[loose json]]", strict: true });
		const { total_cost_usd, open } = await usageOf(key);
		expect([response.status, await response.json()]).toMatchObject([
			502,
			{ error: "format_not_met", cost_usd: total_cost_usd },
		]);
		expect(total_cost_usd).toBeGreaterThan(0);
		expect(open).toEqual([]);
		expect((await post("", { strategy: "single", strict: true })).status).toBe(200);
	});

	it("an answer that was cut stays cut", async () => {
		const { svc } = await orchestrated("[[loose json]]", { strategy: "single", max_tokens: 3, max_cost_usd: 1e-9 });
		expect(svc.truncated).toBe(true);
		expect(svc).not.toHaveProperty("format_met");
		expect(upstream.answered).toBe(1);
	});

	it("a refusal has no form", async () => {
		const { svc } = await orchestrated("[[unwilling answer]] [[unwilling continue]]", { strategy: "single" });
		expect(svc.refused).toBe(true);
		expect(svc).not.toHaveProperty("format_met");
	});

	it("a member whose answer has not the form has no vote", async () => {
		proseFirst(1);
		const { svc, choices } = await orchestrated("", { strategy: "self_consistency", k: 3, brain_config });
		expect(svc).toMatchObject({ format_met: true });
		expect(JSON.parse(choices[0].message.content)).toEqual({ name: expect.any(String) });
		expect(stageOf({ svc }, "sample").detail).toMatchObject({ samples: 2, failed: 1 });
		expect(stageOf({ svc }, "sample").results.map(({ confidence }) => confidence > 0)).toEqual([false, true, true]);
	});

	it("a masked value is checked as the client gets it", async () => {
		upstream.replace(async (request) => {
			const [placeholder] = /\[EMAIL_\d+\]/.exec(await request.text()) ?? [];
			return placeholder ? answers(JSON.stringify({ name: placeholder })) : undefined;
		});
		const mail = { type: "object", properties: { name: { type: "string", format: "email" } }, required: ["name"] };
		const { svc, choices } = await orchestrated("Write to ada@example.com.", {
			...{ strategy: "single", brain_config, compliance: { mask_data_classes: ["PII"] } },
			response_format: { type: "json_schema", json_schema: { name: "form", schema: mail } },
		});
		expect(JSON.parse(choices[0].message.content)).toEqual({ name: "ada@example.com" });
		expect(svc.format_met).toBe(true);
		expect(resultsOf({ svc })).toHaveLength(1);
	});

	it("a cascade whose first answers have not the form climbs", async () => {
		proseFirst(2);
		const { svc } = await orchestrated("", { strategy: "cascade", brain_config });
		expect(svc).toMatchObject({ format_met: true, orchestration: { escalated: true } });
	});

	it("who merges without the form is replaced by the best proposal", async () => {
		const names = ["Ada", "Grace", "Betty"];
		upstream.replace(async (request) => {
			const stage = request.headers.get(STAGE_HEADER) ?? "";
			if (stage.startsWith("propose")) return answers(JSON.stringify({ name: names.pop() }));
			return stage.startsWith("aggregate") ? answers("Ada wrote it.") : undefined;
		});
		const { svc, choices } = await orchestrated("", { strategy: "ensemble_moa", brain_config });
		expect(stageOf({ svc }, "aggregate").results).toMatchObject([{ ok: true, confidence: 0 }]);
		expect(JSON.parse(choices[0].message.content)).toEqual({ name: expect.any(String) });
		expect(stageOf({ svc }, "aggregate").detail).toMatchObject({
			how: expect.stringContaining("the aggregator failed"),
		});
	});
});
