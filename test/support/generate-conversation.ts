// Conversations that every entrance's form can say: turns, images, tool loops, schemas, settings.
import fc from "fast-check";
import type { SpokenCall, SpokenConversation, Turn } from "./entrances.ts";

const words = fc.constantFrom("Hello", "What is the weather?", "Ωμέγα 😀", "{}", "a\nb", "one two three ".repeat(40));
const PNG = "iVBORw0KGgo=";
const TOOL_NAMES = ["get_weather", "read_file", "list"] as const;

const userTurn = fc
	.tuple(words, fc.boolean())
	.map(([text, hasImage]): Turn => ({ by: "user", text, ...(hasImage ? { image: PNG } : {}) }));
const systemTurn = words.map((text): Turn => ({ by: "system", text }));
const modelTurn = words.map((text): Turn => ({ by: "model", text, calls: [] }));

const args = fc.dictionary(fc.constantFrom("city", "n"), fc.oneof(words, fc.integer()));
/** Calls of one turn and their results; ids become unique in a conversation. */
const loop = fc
	.tuple(
		fc.oneof(fc.constant(""), words),
		fc.array(fc.tuple(fc.constantFrom(...TOOL_NAMES), args, words), { minLength: 1, maxLength: 3 }),
	)
	.map(([text, all]): Turn[] => {
		const calls = all.map(([name, members], index): SpokenCall => ({ id: `${index}`, name, args: members }));
		return [
			{ by: "model", text, calls },
			{ by: "tools", results: all.map(([, , result], index) => ({ id: `${index}`, text: result })) },
		];
	});

/** Ids that no other turn has. */
function withIds(turn: Turn, loopIndex: number): Turn {
	const unique = (id: string) => `call_${loopIndex}_${id}`;
	if (turn.by === "model") return { ...turn, calls: turn.calls.map((call) => ({ ...call, id: unique(call.id) })) };
	if (turn.by === "tools")
		return { ...turn, results: turn.results.map((result) => ({ ...result, id: unique(result.id) })) };
	return turn;
}

const turns = fc
	.tuple(
		userTurn,
		fc.array(
			fc.oneof(
				fc.tuple(modelTurn, userTurn).map((pair): Turn[] => [...pair]),
				fc.tuple(modelTurn, systemTurn, userTurn).map((three): Turn[] => [...three]),
				loop,
			),
			{ maxLength: 4 },
		),
	)
	.map(([first, rest]): Turn[] => [
		first,
		...rest.flatMap((group, index) => group.map((turn) => withIds(turn, index))),
	]);

const tools = fc
	.subarray([...TOOL_NAMES], { minLength: 1 })
	.chain((names) => fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), words))))
	.map((all) =>
		all.map(([name, description]) => ({
			name,
			description,
			schema: { type: "object", properties: { city: { type: "string" }, n: { type: "integer" } } },
		})),
	);
const schema = fc.constant({
	type: "object",
	properties: { answer: { type: "string" } },
	required: ["answer"],
	additionalProperties: false,
});

/** Conversations with a model, in no form. @param efforts that the model has. */
export function conversationsWith(model: string, efforts: readonly string[]): fc.Arbitrary<SpokenConversation> {
	const settings = fc.record(
		{
			system: words,
			schema,
			effort: fc.constantFrom(...efforts),
			temperature: fc.constantFrom(0, 0.5, 1),
			topP: fc.constantFrom(0.3, 1),
			user: fc.constant("user-7"),
		},
		{ requiredKeys: [] },
	);
	const toolSettings = fc.option(
		fc.record(
			{
				tools,
				toolChoice: fc.constantFrom("auto" as const, "none" as const, "any" as const),
				isSerial: fc.boolean(),
			},
			// Messages says in its choice of tools that calls come one by one.
			{ requiredKeys: ["tools", "toolChoice"] },
		),
	);
	return fc
		.tuple(turns, fc.constantFrom(1, 300, 1_024), settings, toolSettings)
		.map(([spoken, maxTokens, some, withTools]) => ({ model, turns: spoken, maxTokens, ...some, ...withTools }));
}
