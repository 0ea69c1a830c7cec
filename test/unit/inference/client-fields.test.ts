// The engine's words for parts of a call, as the sender of a chat body reads them.
import { describe, expect, it } from "vitest";
import {
	toClientWarning,
	withClientFieldNames,
	withContextOverflow,
	withTextField,
} from "../../../src/inference/client-fields.ts";

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

describe("a refusal that a shorter prompt would cure", () => {
	const overflow = { tokens: 20, maximum: 10 };

	it("says so in the word that agents know, whatever else keeps other models from serving", () => {
		const issues = [{ path: "messages", message: "has about 20 tokens" }];
		expect(withContextOverflow({ reason: "invalid_request", issues, overflow })).toEqual({
			reason: "context_length_exceeded",
			message: "has about 20 tokens",
			...overflow,
		});
		for (const reason of ["compliance_blocked", "model_blocked", "model_not_allowed"] as const)
			expect(withContextOverflow({ reason, message: "m", excluded: {}, overflow })).toMatchObject({
				reason: "context_length_exceeded",
				...overflow,
			});
		const upstreams = { reason: "upstream_rejected" as const, message: "prompt is too long", provider: "p" };
		expect(
			withContextOverflow({ ...upstreams, upstreamStatus: 400, overflow: { tokens: null, maximum: null } }),
		).toEqual({ reason: "context_length_exceeded", message: "prompt is too long", tokens: null, maximum: null });
	});

	it("is no other refusal", () => {
		const failure = { reason: "invalid_request" as const, issues: [{ path: "tools", message: "m" }] };
		expect(withContextOverflow(failure)).toBe(failure);
	});
});
