// The engine's words for parts of a call, as the sender of a chat body reads them.
import { describe, expect, it } from "vitest";
import { toClientWarning, withClientFieldNames, withTextField } from "../../../src/inference/client-fields.ts";

describe("faults and warnings", () => {
	it("name the fields of a client's body", () => {
		const issues = ["output", "effort", "config", "tools"].map((path) => ({ path, message: "m" }));
		const failure = withClientFieldNames({ reason: "invalid_request", issues });
		expect(failure).toMatchObject({
			issues: [{ path: "response_format" }, { path: "reasoning_effort" }, { path: "brain_config" }, { path: "tools" }],
		});
		const warning = { code: "parameter_dropped", message: "m" } as const;
		expect(toClientWarning({ ...warning, param: "effort" }).param).toBe("reasoning_effort");
		expect(toClientWarning({ ...warning, param: "seed" }).param).toBe("seed");
		expect(toClientWarning({ ...warning, param: null }).param).toBeNull();
	});
});

it("a refusal of a request with one text names its field in place of messages", () => {
	const place = (path: string, message: number | null) => ({
		path,
		message,
		place: "text",
		kinds: ["email"],
		count: 1,
	});
	const notice = {
		policies: [],
		classes: [],
		kinds: {},
		places: [place("messages[1]", 1), place("stop", null)],
		counts: {},
	};
	const failure = { reason: "compliance_blocked" as const, message: "m", excluded: {}, notice };
	expect(withTextField(failure, "goal")).toEqual({
		...failure,
		notice: { ...notice, places: [place("goal", null), place("stop", null)] },
	});
	expect(withTextField({ reason: "no_goal" }, "goal")).toEqual({ reason: "no_goal" });
});
