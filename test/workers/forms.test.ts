// The form of answers through the front door: checked, repaired once, and told.
import { describe, expect, it } from "vitest";
import { answerIn, ask, ENTRANCES, endOf, entranceNamed, sentence } from "../support/entrances.ts";
import { nano } from "../support/money.ts";
import { useService } from "../support/per-test.ts";
import { callWithKey, receiptOf } from "../support/service.ts";

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
