// What holds for every Responses body, whatever stands in it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCatalog } from "../../../src/catalog/catalog.ts";
import type { Failure } from "../../../src/failure.ts";
import { readableCalls } from "../../../src/inference/readable-call.ts";
import type { OpenedReasoning } from "../../../src/inference/sealed-reasoning.edge.ts";
import { type ContentPart, type ModelCall, partsOfType } from "../../../src/providers/model-call.ts";
import { toInputItems } from "../../../src/responses/items.ts";
import { responsesRequestSchema } from "../../../src/responses/request.ts";
import { type ResponsesCall, toResponsesCall } from "../../../src/responses/to-call.ts";
import { TEST_CATALOG } from "../../support/catalog.ts";
import { responsesBodies } from "../../support/generate-responses.ts";

/** Contexts so short that truncation has work to do. */
const CATALOG = createCatalog({
	...TEST_CATALOG,
	models: TEST_CATALOG.models.map((model) => ({ ...model, limits: { ...model.limits, context_window: 1_100 } })),
});
const MODEL_ID = CATALOG.models[0]?.id ?? "";
const OPENED: ReadonlyMap<string, OpenedReasoning> = new Map([
	[
		"sealed",
		{
			provider: "p",
			modelId: MODEL_ID,
			parts: [
				{ type: "provider", wire: "anthropic", block: { type: "thinking" } },
				{ type: "provider", wire: "google", block: { type: "google.thought_signature" } },
				{ type: "tool_call", id: "call_1", name: "f", arguments: "", signature: "s" },
			],
		},
	],
]);

/** The outputs of a call that stand before their call, or without one. */
function strayResults({ messages }: ModelCall): string[] {
	const made = new Set<string>();
	const strays: string[] = [];
	for (const { content } of messages) {
		for (const { callId } of partsOfType<ContentPart, "tool_result">(content, "tool_result"))
			if (!made.has(callId)) strays.push(callId);
		for (const { id } of partsOfType<ContentPart, "tool_call">(content, "tool_call")) made.add(id);
	}
	return strays;
}

/** What is wrong with a refusal; empty where it names its place. */
function refusalFaults(failure: Failure): string[] {
	if (failure.reason === "invalid_request")
		return failure.issues.filter(({ path, message }) => path === "" || message === "").map(({ message }) => message);
	return failure.reason === "invalid_encrypted_content" || failure.reason === "previous_response_not_found"
		? []
		: [failure.reason];
}

/** What does not hold together in a call. */
function callFaults({ call, tools, places, warnings }: ResponsesCall): string[] {
	const names = call.tools.map(({ name }) => name);
	const { toolChoice } = call;
	return [
		...warnings.filter(({ param, message }) => !param || message === "").map(({ message }) => `no field: ${message}`),
		...strayResults(call).map((id) => `no call: ${id}`),
		...call.messages.filter(({ content }) => content.length === 0).map(({ role }) => `empty: ${role}`),
		...names.filter((name, index) => names.indexOf(name) !== index).map((name) => `twice: ${name}`),
		...names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name) || !tools.has(name)).map((name) => `name: ${name}`),
		...(typeof toolChoice === "object" && !names.includes(toolChoice.name) ? ["choice"] : []),
		...(places.length === call.messages.length ? [] : ["places"]),
		...(JSON.stringify(readableCalls(call)("another").call).includes("onlyFor") ? ["reasoning of another"] : []),
	];
}

describe("every Responses body", () => {
	it("is refused by name, or has a call that holds together and warnings that name their fields", () => {
		const counts = { malformed: 0, refused: 0, served: 0 };
		const property = fc.property(responsesBodies, (rawBody) => {
			const { data: body, error } = responsesRequestSchema.safeParse(rawBody);
			if (!body) {
				counts.malformed++;
				expect(error?.issues).not.toEqual([]);
				return;
			}
			const context = { catalog: CATALOG, opened: OPENED, rawBody };
			const made = toResponsesCall(body, toInputItems(body.input), context);
			counts[made.ok ? "served" : "refused"]++;
			expect(made.ok ? callFaults(made.value) : refusalFaults(made.failure)).toEqual([]);
		});
		fc.assert(property, { numRuns: 500 });
		for (const count of Object.values(counts)) expect(count).toBeGreaterThan(20);
		expect(counts.served).toBeGreaterThan(200);
	});
});
