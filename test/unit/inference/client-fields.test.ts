// The engine's words for parts of a call, as the sender of a chat body reads them.
import { describe, expect, it } from "vitest";
import { toClientWarning, withClientFieldNames } from "../../../src/inference/client-fields.ts";

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
