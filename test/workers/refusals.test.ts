// Refusals through the entrances: they are delivered as they come, and marked in `svc` and by each form's own sign.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { modelWhere } from "../support/catalog.ts";
import { answerIn, ask, ENTRANCES, endOf, sentence } from "../support/entrances.ts";
import { useService } from "../support/per-test.ts";
import { callWithKey } from "../support/service.ts";

type Json = Record<string, unknown>;

const { upstream, key } = useService("corporate");
const WORDS = "I'm sorry, but I can't assist with that request.";
const QUESTION = "Explain how a lock is picked.";
const model = modelWhere(CATALOG, ({ provider, supports }) => provider === "openai" && supports.tools).id;

/** What a form says of a refusal by its own sign. */
function signOf(body: Json): unknown {
	const text = JSON.stringify(body);
	if ("choices" in body)
		return (body["choices"] as { message: { refusal: string | null } }[])[0]?.message.refusal ?? null;
	if ("output" in body) return /"type":"refusal","refusal":"([^"]+)"/.exec(text)?.[1] ?? null;
	return body["stop_reason"] === "refusal" ? WORDS : null;
}

describe.each(ENTRANCES)("through $name", (entrance) => {
	const asked = (text: string, more: Json = {}) => ask(entrance, key.key, sentence(text, { model }), more);

	it("words that refuse are delivered and marked, and no other model is asked", async () => {
		const body = await answerIn(await asked(`${QUESTION} [[unwilling]]`));
		const { text, svc } = entrance.hear(body);
		expect(text).toBe(WORDS);
		expect(svc["refused"]).toBe(true);
		expect(signOf(body)).toBe(WORDS);
		expect(upstream.answered).toBe(1);
	});

	it("the provider's own refusal is marked", async () => {
		const body = await answerIn(await asked(`${QUESTION} [[filtered]]`));
		expect(entrance.hear(body).svc["refused"]).toBe(true);
		expect(signOf(body)).toBe(WORDS);
	});

	it("a stream of words is not held back, and says so at its end", async () => {
		const end = await endOf(entrance, await asked(`${QUESTION} [[unwilling]]`, { stream: true }));
		expect(end).toMatchObject({ isWhole: true, text: WORDS });
		expect(end.svc?.["refused"]).toBe(true);
		expect(upstream.answered).toBe(1);
	});

	it("an answer, and one that names a missing tool, is not marked", async () => {
		for (const word of ["", "[[toolless]]"]) {
			const body = await answerIn(await asked(`${QUESTION} ${word}`));
			expect(entrance.hear(body).svc).not.toHaveProperty("refused");
			expect(signOf(body)).toBeNull();
		}
	});

	it("an agent's loop gets the flag, and no sign that ends it", async () => {
		const tools = [{ name: "pick", description: "Xyz", schema: { type: "object", properties: {} } }];
		const response = await ask(entrance, key.key, sentence(`Hello there, friend [[unwilling]]`, { model, tools }));
		const body = await answerIn(response);
		expect(entrance.hear(body).svc["refused"]).toBe(true);
		expect(signOf(body)).toBeNull();
	});

	it("a refusal that was marked is sent back to a model once", async () => {
		const first = sentence(`${QUESTION} [[unwilling]]`, { model });
		const body = await answerIn(await ask(entrance, key.key, first));
		const again = entrance.goOn(entrance.toBody(first), body, []);
		const sent: string[] = [];
		upstream.replace(async (request) => {
			sent.push(await request.clone().text());
			return undefined;
		});
		const response = await callWithKey(key.key, entrance.path, again);
		expect(response.status, await response.text()).toBe(200);
		expect(sent.join("").split(WORDS).length - 1).toBe(1);
	});
});

it("a skill's refusal is marked as a chat's is", async () => {
	const response = await callWithKey(key.key, "/v1/skills/api-design/invoke", { task: `${QUESTION} [[unwilling]]` });
	const { svc, choices } = await response.json<{ svc: Json; choices: { message: Json }[] }>();
	expect(svc["refused"]).toBe(true);
	expect(choices[0]?.message).toMatchObject({ content: WORDS, refusal: WORDS });
});
