// Tool loops through the three entrances: begun by a model of one provider, ended by the same or by another's.
import { describe, expect, it } from "vitest";
import { CATALOG } from "../../src/catalog/shipped.ts";
import { answerIn, ask, ENTRANCES, sentence } from "../support/entrances.ts";
import { alwaysReasons, modelOf, modelOnWire } from "../support/models.ts";
import { useBedrock, useService } from "../support/per-test.ts";
import { callWithKey } from "../support/service.ts";

const { upstream, key } = useService("corporate");
useBedrock();

const returning =
	CATALOG.providers.find(({ returns_reasoning }) => returns_reasoning) ?? expect.fail("nobody's returns");

/** Who calls a tool, and the member by which what it thought comes back to it. */
const BEGINNERS = [
	{ model: modelOnWire("google", alwaysReasons), effort: "high", own: "thoughtSignature" },
	{ model: modelOnWire("anthropic", alwaysReasons), effort: "high", own: "signature" },
	{ model: modelOnWire("bedrock", alwaysReasons), effort: "high", own: "reasoningContent" },
	{ model: modelOf(returning.id), effort: "high", own: "reasoning_content" },
];
const ENDERS = [...BEGINNERS.map(({ model }) => model), modelOnWire("openai")];

/** What Google takes for the calls of other models. */
const NO_SIGNATURE = '"thoughtSignature":"skip_thought_signature_validator"';
const SIGNATURE = /"(?:thoughtSignature|signature)":/;

const tools = [
	{
		name: "get_weather",
		description: "Weather of a city",
		schema: { type: "object", properties: { city: { type: "string" } } },
	},
];

describe.each(ENTRANCES)("a tool loop through $name", (entrance) => {
	describe.each(BEGINNERS)("that $model.id begins", ({ model, effort, own }) => {
		/** The request that answers the tool's call. */
		async function begin() {
			const conversation = sentence("What is the weather in Paris?", { model: model.id, effort, tools });
			const first = await answerIn(await ask(entrance, key.key, conversation));
			expect(entrance.hear(first)).toMatchObject({
				model: model.id,
				calls: [{ name: "get_weather", args: { city: "Paris" } }],
			});
			return entrance.goOn(entrance.toBody(conversation), first, ["rain"]);
		}

		it("ends with it under auto, and gets back what it thought", async () => {
			const body = { ...(await begin()), model: "auto", routing_mode: "agility" };
			const last = entrance.hear(await answerIn(await callWithKey(key.key, entrance.path, body)));
			expect([last.model, last.svc.fallback_from]).toEqual([model.id, null]);
			expect(last.text).toContain("rain");
			expect(JSON.stringify(upstream.requests.at(-1)?.body)).toContain(`"${own}":`);
		});

		it.each(ENDERS.filter(({ provider }) => provider !== model.provider))(
			"ends with $id, which is not sent what the other signed",
			async (other) => {
				const body = { ...(await begin()), model: other.id };
				const last = entrance.hear(await answerIn(await callWithKey(key.key, entrance.path, body)));
				expect([last.model, last.svc.fallback_from]).toEqual([other.id, null]);
				expect(last.text).toContain("rain");
				const sent = JSON.stringify(upstream.requests.at(-1)?.body);
				expect(sent).toContain("Paris");
				expect(sent.replaceAll(NO_SIGNATURE, "")).not.toMatch(SIGNATURE);
			},
		);
	});
});
