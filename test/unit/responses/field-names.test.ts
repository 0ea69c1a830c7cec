// What the engine says, under the names of a Responses body.
import { describe, expect, it } from "vitest";
import type { BlockedPlace, Failure } from "../../../src/failure.ts";
import { toResponsesWarning, withResponsesFields } from "../../../src/responses/field-names.ts";

describe("the names of a Responses body", () => {
	it.each([
		["max_tokens", "max_output_tokens"],
		["effort", "reasoning.effort"],
		["output", "text.format"],
		["messages", "input"],
		["tools[3]", "tools[3]"],
		["constructor", "constructor"],
		[null, null],
	])("has %s as %s in warnings", (param, name) => {
		const warning = { code: "parameter_dropped" as const, message: "left out" };
		expect(toResponsesWarning({ ...warning, param })).toEqual({ ...warning, param: name });
	});

	it("stand in failures of the engine", () => {
		const failure: Failure = { reason: "invalid_request", issues: [{ path: "effort", message: "not taken" }] };
		expect(withResponsesFields(failure, [])).toMatchObject({ issues: [{ path: "reasoning.effort" }] });
		const other: Failure = { reason: "no_messages" };
		expect(withResponsesFields(other, [])).toBe(other);
	});

	it("stand for the messages that compliance refuses, and for what is beside them", () => {
		const place = (path: string, message: number | null): BlockedPlace => ({
			...{ path, message, place: "text" },
			...{ kinds: ["email"], count: 1 },
		});
		const places = [
			place("messages[0]", 0),
			place("messages[2]", 2),
			place("tools", null),
			place("response_format", null),
		];
		const notice = { policies: [], classes: ["PII"], kinds: {}, counts: {}, places };
		const failure: Failure = { reason: "compliance_blocked", message: "refused", excluded: {}, notice };
		expect(withResponsesFields(failure, ["instructions", "input[0]", "input[3]"])).toMatchObject({
			notice: {
				places: [
					{ path: "instructions", message: null },
					{ path: "input[3]", message: null },
					{ path: "tools", message: null },
					{ path: "text.format", message: null },
				],
			},
		});
	});
});
